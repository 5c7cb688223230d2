A command that writes files counts as a change, and the checks run after it.

-- set --
allow: run_command
-- repo/a.txt --
one
-- user --
Make it two.
-- model --
@run_command
command: echo two > a.txt
-- tool: run_command changed --
[no output; modified a.txt]
-- model --
It says two.
-- check: pass --
-- after/a.txt --
two
-- stop: done --
