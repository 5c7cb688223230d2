A chat between plan and build neither takes up the plan nor loses it.

-- repo/a.txt --
a
-- user: plan --
a.txt is too short.
-- model --
@read_file
path: a.txt
-- tool: read_file --
a
[a.txt: 1 line]
-- model --
@plan_respond
response: One step.
steps: = ["Extend `a.txt`"]
-- stop: answered --
-- user: chat --
Is that all?
-- model --
Yes.
-- stop: answered --
-- user: build --
Go.
-- model --
@edit_file
path: a.txt
old: a
new: aa
-- tool: edit_file --
edited a.txt:1
-- model --
@attempt_completion
result: Longer.
-- check: pass --
-- events --
conversation_id
turn_start mode="plan" prompt="a.txt is too short." continues=false verification="full"
prompted system=… tools=[read_file search_code list_files run_command ask_user find_tools use_tool plan_respond] context=[environment project files named mode]
workflow state="explore"
iteration_start iteration=1 tool_choice="auto"
stream_complete calls=[read_file] finish="calls"
tool_start call="call_12_0" tool="read_file" iteration=1
tool_complete call="call_12_0" tool="read_file" outcome=ok
iteration_start iteration=2 tool_choice="auto"
stream_complete calls=[plan_respond] finish="calls"
plan plan=[open]
workflow state="plan"
todo items=[pending]
stopped stop=answered
summary summary="One step."
completion stop=answered
turn_start mode="chat" prompt="Is that all?" continues=false verification="full"
prompted context=[plan mode]
workflow state="explore"
iteration_start iteration=1 tool_choice="auto"
stream_complete text="Yes." finish="stop"
stopped stop=answered
summary summary="Yes."
completion stop=answered
turn_start mode="build" prompt="Go." continues=false verification="full"
prompted tools=[read_file edit_file write_file search_code list_files run_command run_checks todo_write ask_user attempt_completion find_tools use_tool plan_respond] context=[mode]
workflow state="explore"
prefix_dropped cause="tools" tokens=1100
iteration_start iteration=1 tool_choice="required"
stream_complete calls=[edit_file] finish="calls"
approval call="checks_3" decision=allow by="rule"
checks_start baseline=true round=0
check_result baseline=true round=0 report=[passed]
tool_start call="call_67_0" tool="edit_file" iteration=1
tool_complete call="call_67_0" tool="edit_file" outcome=ok
workflow state="implement"
plan plan=[changed]
iteration_start iteration=2 tool_choice="auto"
stream_complete calls=[attempt_completion] finish="calls"
audited changes=1
checks_start baseline=false round=1
workflow state="verify"
check_result baseline=false round=1 report=[passed]
plan plan=[done]
todo items=[completed]
workflow state="summarize"
stopped stop=done
summary summary="Longer." steps=[done] undone=[]
completion stop=done
-- after/a.txt --
aa
-- stop: done --
