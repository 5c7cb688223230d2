A fixer that hangs, one that is missing, one that fails, and one that breaks a file change nothing. Each is named once, and the turn goes on.

-- repo/data.json --
{"a": 1}
-- set --
checkpoints: true
fixer: 50 ms sleep 60
fixer: no-such-fixer-here {files} 2>/dev/null
fixer: false {files}
fixer: truncate -s 3 {files}
speeds: agent wire (where edits are played there is nothing to fix)
-- user --
a must be 2.
-- model --
@edit_file
path: data.json
old: = "{\"a\": 1}"
new: = "{\"a\": 2}"
-- tool: edit_file --
edited data.json:1
-- model --
@attempt_completion
result: a is 2.
-- error: fixers.timed_out --
name: sleep
seconds: 0
-- error: fixers.failed --
name: no-such-fixer-here
why: exit code 127
-- error: fixers.failed --
name: false
why: exit code 1
-- error: fixers.breaks --
name: truncate
path: data.json
-- tool: fixers --
-- check: fail --
data.json:1: b is missing
-- model --
@edit_file
path: data.json
old: = "{\"a\": 2}"
new: = "{\"a\": 2, \"b\": 2}"
-- tool: edit_file --
edited data.json:1
-- model --
@attempt_completion
result: a and b are 2.
-- tool: fixers --
-- check: pass --
-- after/data.json --
{"a": 2, "b": 2}
-- stop: done --
