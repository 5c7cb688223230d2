The process is killed between plan and build: the plan, its comment and its steps are still there.

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
-- user: comment 1 --
By a letter.
-- crash --
-- user: build --
Go.
-- prompt: new --
tool_choice: required
[assistant]
@plan_respond {"response":"One step.","steps":["Extend `a.txt`"]}
[result of plan_respond]
Accepted.
[user]
<plan>
One step.
- [ ] Extend `a.txt`
  The user: By a letter.
</plan>
<mode>
Mode: build. Change files with `edit_file` (many places in one call) and `write_file`, run commands with `run_command`, the project's checks with `run_checks`. Keep the steps of a larger task in `todo_write`.
When done, call `attempt_completion`: the files changed and why, how to verify it by hand, what is left undone. Ox then runs the checks; what newly fails comes back to you. Claim nothing that you have not seen.
</mode>
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
result: Longer by a letter.
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
plan plan=[open]
turn_start mode="build" prompt="Go." continues=false verification="full"
prompted tools=[read_file edit_file write_file search_code list_files run_command run_checks todo_write ask_user attempt_completion find_tools use_tool plan_respond] context=[plan mode]
workflow state="explore"
prefix_dropped cause="tools" tokens=1100
iteration_start iteration=1 tool_choice="required"
stream_complete calls=[edit_file] finish="calls"
approval call="checks_2" decision=allow by="rule"
checks_start baseline=true round=0
check_result baseline=true round=0 report=[passed]
tool_start call="call_45_0" tool="edit_file" iteration=1
tool_complete call="call_45_0" tool="edit_file" outcome=ok
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
summary summary="Longer by a letter." steps=[done] undone=[]
completion stop=done
-- after/a.txt --
aa
-- stop: done --
