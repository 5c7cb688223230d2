What is typed before the first reply arrives is taken up right after it.

-- repo/a.txt --
one
-- user --
Make it two.
-- user --
Three, I mean.
-- model --
@read_file
path: a.txt
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
Three, I mean.
-- model --
@edit_file
path: a.txt
old: one
new: three
-- tool: edit_file --
edited a.txt:1
-- model --
It says three.
-- after/a.txt --
three
-- stop: done_unchecked --
