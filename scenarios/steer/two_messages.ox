Two messages typed one after the other arrive in their order.

-- repo/a.txt --
one
-- user --
Make it two.
-- model --
@read_file
path: a.txt
-- user --
Or rather three.
-- user --
No, four.
-- tool: read_file --
one
[a.txt: 1 line]
-- prompt: new --
tool_choice: auto
[assistant]
@read_file {"path":"a.txt"}
[result of read_file]
one
[a.txt: 1 line]
[user]
Or rather three.
[user]
No, four.
-- model --
@edit_file
path: a.txt
old: one
new: four
-- tool: edit_file --
edited a.txt:1
-- model --
It says four.
-- after/a.txt --
four
-- stop: done_unchecked --
