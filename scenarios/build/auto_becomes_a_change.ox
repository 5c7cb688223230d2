Where no mode was given, the first edit makes it a change: the checks are asked about and run only then, and open todos hold it.

-- set --
mode: auto
checks: ask
-- repo/a.txt --
one
-- baseline: pass --
-- user --
Make it two, please.
-- model --
@read_file
path: a.txt
-- tool: read_file --
one
[a.txt: 1 line]
-- events --
conversation_id
turn_start mode="auto" prompt="Make it two, please." continues=false verification="full"
prompted system=… tools=[read_file edit_file write_file search_code list_files run_command run_checks todo_write ask_user attempt_completion find_tools use_tool] context=[environment project files mode]
workflow state="explore"
iteration_start iteration=1 tool_choice="auto"
stream_complete calls=[read_file] finish="calls"
tool_start call="call_12_0" tool="read_file" iteration=1
tool_complete call="call_12_0" tool="read_file" outcome=ok
iteration_start iteration=2 tool_choice="auto"
-- model --
@todo_write
action: create
tasks: ["Edit a.txt"]
@edit_file
path: a.txt
old: one
new: two
-- ask: run_checks --
./check
approval.why.not_isolated · always: run_checks
-- user: allow --
-- tool: todo_write --
1. [ ] Edit a.txt
[1 pending, 0 in progress, 0 completed]
-- tool: edit_file --
edited a.txt:1
-- events --
stream_complete calls=[todo_write edit_file] finish="calls"
approval_request call="checks_1" tool="run_checks" why=approval.why.not_isolated
tool_start call="call_17_0" tool="todo_write" iteration=2
approval call="checks_1" decision=allow by="user"
checks_start baseline=true round=0
todo items=[pending]
tool_complete call="call_17_0" tool="todo_write" outcome=ok
workflow state="plan"
plan plan=[open]
check_result baseline=true round=0 report=[passed]
tool_start call="call_17_1" tool="edit_file" iteration=2
tool_complete call="call_17_1" tool="edit_file" outcome=ok
workflow state="implement"
iteration_start iteration=3 tool_choice="auto"
-- model --
It says two.
-- refusal: open_todos --
Not accepted: todo items are open. Finish them, or mark as completed what is done, then conclude again. (refusal 1 of 5)
-- model --
@todo_write
action: mark_completed
id: 1
-- tool: todo_write --
1. [x] Edit a.txt
[0 pending, 0 in progress, 1 completed]
-- model --
It says two.
-- check: pass --
-- after/a.txt --
two
-- stop: done --
