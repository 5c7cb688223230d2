What is typed while a command runs waits for its result.

-- set --
allow: run_command
-- repo/a.txt --
one
-- user --
Show the files, then make it two.
-- model --
@run_command
command: ls
-- user --
Make it three instead.
-- tool: run_command --
a.txt
-- prompt: new --
tool_choice: auto
[assistant]
@run_command {"command":"ls"}
[result of run_command]
a.txt
[user]
Make it three instead.
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
