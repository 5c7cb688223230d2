The user stops the model while it thinks, and has it go on later.

-- repo/a.txt --
one
-- user --
Make it two.
-- model --
@read_file
path: a.txt
-- tool: read_file --
one
[a.txt: 1 line]
-- user: interrupt --
-- stop: interrupted --
-- user: continue --
-- prompt: new --
tool_choice: auto
[assistant]
@read_file {"path":"a.txt"}
[result of read_file]
one
[a.txt: 1 line]
[user]
The user stopped you before this.
Continue where you stopped.
-- model --
@edit_file
path: a.txt
old: one
new: two
-- tool: edit_file --
edited a.txt:1
-- model --
It says two.
-- after/a.txt --
two
-- stop: done_unchecked --
