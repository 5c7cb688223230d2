The process dies while it edits; the resumed turn knows that the result is unknown and looks first.

-- repo/a.txt --
one
-- user --
Make it two.
-- model --
@edit_file
path: a.txt
old: one
new: two
-- crash during edit_file --
-- tool: edit_file lost --
-- prompt: new --
tool_choice: auto
[assistant]
@edit_file {"path":"a.txt","old":"one","new":"two"}
[result of edit_file failed]
Lost in a crash after it had started; whether it took effect is unknown. Look before you run it again.
-- model --
I must look first.
@read_file
path: a.txt
-- tool: read_file --
one
[a.txt: 1 line]
-- model --
@edit_file
path: a.txt
old: one
new: two
-- tool: edit_file --
edited a.txt:1
-- model --
It says two now.
-- after/a.txt --
two
-- stop: done_unchecked --
