A stream that broke off is asked for again; what was shown of it is not sent back.

-- repo/a.txt --
one
-- user: chat --
What does a.txt say?
-- model --
@read_file
path: a.txt
-- tool: read_file --
one
[a.txt: 1 line]
-- model: cut --
It says o
-- prompt: new --
tool_choice: auto
[assistant]
@read_file {"path":"a.txt"}
[result of read_file]
one
[a.txt: 1 line]
-- model --
It says one.
-- events --
conversation_id
turn_start mode="chat" prompt="What does a.txt say?" continues=false verification="full"
prompted system=… tools=[read_file search_code list_files run_command ask_user find_tools use_tool] context=[environment files named mode]
workflow state="explore"
iteration_start iteration=1 tool_choice="auto"
stream_complete calls=[read_file] finish="calls"
tool_start call="call_12_0" tool="read_file" iteration=1
tool_complete call="call_12_0" tool="read_file" outcome=ok
iteration_start iteration=2 tool_choice="auto"
model_failed failure=cut
retry attempt=2 kind="cut" wait_ms=250
woken
stream_complete text="It says one." finish="stop"
stopped stop=answered
summary summary="It says one."
completion stop=answered
-- stop: answered --
