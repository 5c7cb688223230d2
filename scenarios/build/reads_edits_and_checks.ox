Two files are read side by side, one call edits both, and the checks pass.

-- repo/src/a.rs --
pub fn one() -> u8 { 2 }
-- repo/src/b.rs --
pub fn two() -> u8 { 3 }
-- user --
one() and two() return one too much.
-- model --
@read_file
path: src/a.rs
@read_file
path: src/b.rs
-- tool: read_file --
pub fn one() -> u8 { 2 }
[src/a.rs: 1 line]
-- tool: read_file --
pub fn two() -> u8 { 3 }
[src/b.rs: 1 line]
-- model --
@edit_file
edits: = [{"path": "src/a.rs", "old": "{ 2 }", "new": "{ 1 }"}, {"path": "src/b.rs", "old": "{ 3 }", "new": "{ 2 }"}]
-- tool: edit_file --
edited src/a.rs:1
edited src/b.rs:1
-- model --
Both return what they are called.
-- check: pass --
-- events --
conversation_id
turn_start mode="build" prompt="one() and two() return one too much." continues=false verification="full"
prompted system=… tools=[read_file edit_file write_file search_code list_files run_command run_checks todo_write ask_user attempt_completion find_tools use_tool] context=[environment project files mode]
workflow state="explore"
iteration_start iteration=1 tool_choice="required"
stream_complete calls=[read_file read_file] finish="calls"
tool_start call="call_12_0" tool="read_file" iteration=1
tool_start call="call_12_1" tool="read_file" iteration=1
tool_complete call="call_12_0" tool="read_file" outcome=ok
tool_complete call="call_12_1" tool="read_file" outcome=ok
iteration_start iteration=2 tool_choice="auto"
stream_complete calls=[edit_file] finish="calls"
approval call="checks_1" decision=allow by="rule"
checks_start baseline=true round=0
check_result baseline=true round=0 report=[passed]
tool_start call="call_19_0" tool="edit_file" iteration=2
tool_complete call="call_19_0" tool="edit_file" outcome=ok
workflow state="implement"
iteration_start iteration=3 tool_choice="auto"
stream_complete text="Both return what they are called." finish="stop"
audited changes=1
checks_start baseline=false round=1
workflow state="verify"
check_result baseline=false round=1 report=[passed]
workflow state="summarize"
stopped stop=done
summary summary="Both return what they are called."
completion stop=done
-- after/src/a.rs --
pub fn one() -> u8 { 1 }
-- after/src/b.rs --
pub fn two() -> u8 { 2 }
-- stop: done --
