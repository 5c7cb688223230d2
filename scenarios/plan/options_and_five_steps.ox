A plan has at most five steps, and keeps what the user may choose between.

-- repo/a.txt --
one
-- user: plan --
Plan it.
-- model --
@read_file
path: a.txt
-- tool: read_file --
one
[a.txt: 1 line]
-- model --
@plan_respond
response: Seven steps.
steps: ["a", "b", "c", "d", "e", "f", "g"]
-- tool: plan_respond failed --
`plan_respond` was not run: a plan has at most 5 steps, not 7: join what belongs together
-- model --
@plan_respond
response: Two ways.
steps: ["a", "b"]
options: ["fast", "careful"]
-- events --
conversation_id
turn_start mode="plan" prompt="Plan it." continues=false verification="full"
prompted system=… tools=[read_file search_code list_files run_command ask_user find_tools use_tool plan_respond] context=[environment files mode]
workflow state="explore"
iteration_start iteration=1 tool_choice="auto"
stream_complete calls=[read_file] finish="calls"
tool_start call="call_12_0" tool="read_file" iteration=1
tool_complete call="call_12_0" tool="read_file" outcome=ok
iteration_start iteration=2 tool_choice="auto"
stream_complete calls=[plan_respond] finish="calls"
tool_complete call="call_17_0" tool="plan_respond" outcome=failed
iteration_start iteration=3 tool_choice="auto"
stream_complete calls=[plan_respond] finish="calls"
plan plan=[open open]
workflow state="plan"
todo items=[pending pending]
stopped stop=answered
summary summary="Two ways."
completion stop=answered
-- stop: answered --
