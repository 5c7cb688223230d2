A command that takes too long is killed, and what it printed until then is kept.

-- set --
allow: run_command
-- repo/a.txt --
one
-- user --
Wait.
-- model --
@run_command
command: echo begun; sleep 30; echo ended
timeout: = 1
-- tool: run_command --
begun
[killed after 1 s, output until then above; give a larger `timeout` (600 at most) or a narrower command]
-- model --
@attempt_completion
result: It took too long.
no_change: There was nothing to change.
-- stop: answered --
