A plan given as prose is asked for once more in its proper form, then taken as it is.

-- repo/a.txt --
a
-- user: plan --
How should a.txt grow?
-- model --
@read_file
path: a.txt
-- tool: read_file --
a
[a.txt: 1 line]
-- model --
Add a second line.
-- refusal: no_plan --
Not accepted: a plan was asked for. Give it with `plan_respond`, alone in its reply. (refusal 1 of 5)
-- model --
Add a second line, I said.
-- events --
conversation_id
turn_start mode="plan" prompt="How should a.txt grow?" continues=false verification="full"
prompted system=… tools=[read_file search_code list_files run_command ask_user find_tools use_tool plan_respond] context=[environment files named mode]
workflow state="explore"
iteration_start iteration=1 tool_choice="auto"
stream_complete calls=[read_file] finish="calls"
tool_start call="call_12_0" tool="read_file" iteration=1
tool_complete call="call_12_0" tool="read_file" outcome=ok
iteration_start iteration=2 tool_choice="auto"
stream_complete text="Add a second line." finish="stop"
refusal gate="no_plan" retry=1
iteration_start iteration=3 tool_choice="required"
stream_complete text="Add a second line, I said." finish="stop"
plan plan=[]
workflow state="plan"
stopped stop=answered
summary summary="Add a second line, I said."
completion stop=answered
-- stop: answered --
