A command runs in the background: it is typed into, read and stopped.

-- set --
allow: run_command
checks: none
speeds: agent (a process answers)
-- repo/echo.sh --
read name
echo "hello $name"
read more
echo "$more is not reached"
-- user --
Try echo.sh.
-- model --
@run_command
command: sh echo.sh
background: = true
-- tool: run_command --
[no output; it goes on in the background as job_1: use_tool read_output {"id": "job_1", "wait": 60} waits for more of it; also write_stdin {id, text} and stop_command {id}]
-- model --
@use_tool
name: write_stdin
args: = {"id": "job_1", "text": "ox\n", "wait": 30}
-- ask: write_stdin --
ox

approval.why.system · always: write_stdin(ox
)
-- user: allow --
-- tool: write_stdin --
hello ox
[job_1 still runs after N s]
-- model --
@use_tool
name: read_output
args: = {"id": "job_1"}
-- tool: read_output --
[no output; job_1 still runs after N s]
-- model --
@use_tool
name: stop_command
args: = {"id": "job_1"}
-- tool: stop_command unchanged --
[no output; job_1 stopped after N s]
-- model --
@use_tool
name: read_output
args: = {"id": "job_1"}
-- tool: read_output --
[no output; job_1 ended after N s: killed by signal 15]
-- model --
@attempt_completion
result: It greets.
no_change: It was only to be tried.
-- stop: answered --
