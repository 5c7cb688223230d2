Where prices are known, the cost is counted.

-- set --
price: 3 15
-- repo/a.txt --
one
-- user: chat --
What does a.txt say?
-- model --
@@usage 1000 200 600
@read_file
path: a.txt
-- tool: read_file --
one
[a.txt: 1 line]
-- model --
@@usage 2000 100
It says one.
-- events: all --
conversation_id
stage_enter stage="claim"
stage_exit stage="claim" success=true
stage_enter stage="load_context"
turn_start mode="chat" prompt="What does a.txt say?" continues=false verification="full"
stage_exit stage="load_context" success=true
stage_enter stage="assemble_prompt"
prompted system=… tools=[read_file search_code list_files run_command ask_user find_tools use_tool] context=[environment files named mode]
stage_exit stage="assemble_prompt" success=true
stage_enter stage="agent_loop"
workflow state="explore"
iteration_start iteration=1 tool_choice="auto"
stream_complete calls=[read_file] finish="calls" cost=6000
token_usage cost=6000
tool_start call="call_12_0" tool="read_file" iteration=1
tool_complete call="call_12_0" tool="read_file" outcome=ok
iteration_start iteration=2 tool_choice="auto"
stream_complete text="It says one." finish="stop" cost=7500
token_usage cost=13500
stopped stop=answered
stage_exit stage="agent_loop" success=true
stage_enter stage="final_response"
stage_exit stage="final_response" success=true
stage_enter stage="write_result"
summary summary="It says one."
stage_exit stage="write_result" success=true
stage_enter stage="cleanup"
stage_exit stage="cleanup" success=true
completion stop=answered
-- stop: answered --
