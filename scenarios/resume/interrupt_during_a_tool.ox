The user stops a command while it runs.

-- set --
allow: run_command
-- repo/a.txt --
one
-- user --
Wait a while.
-- model --
@run_command
command: sleep 0.2; echo woke
@read_file
path: a.txt
-- user: interrupt during run_command --
-- tool: run_command interrupted --
[no output; stopped by the user before it ended]
-- tool: read_file interrupted --
not run: the turn was interrupted before.
-- stop: interrupted --
-- user --
Never mind. Make it two.
-- prompt: new --
tool_choice: required
[assistant]
@run_command {"command":"sleep 0.2; echo woke"}
@read_file {"path":"a.txt"}
[result of run_command failed]
[no output; stopped by the user before it ended]
[result of read_file failed]
not run: the turn was interrupted before.
[user]
The user stopped you before this.
Never mind. Make it two.
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
