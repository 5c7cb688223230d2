Whatever ends a turn, its stages are closed in order and cleaning up comes last.

-- repo/a.txt --
one
-- user: chat --
What does a.txt say?
-- model: fail 402 insufficient credit --
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
model_failed failure=quota
stopped stop=model_failed quota
stage_exit stage="agent_loop" success=true
stage_enter stage="final_response"
stage_exit stage="final_response" success=true
stage_enter stage="write_result"
summary summary=""
stage_exit stage="write_result" success=true
stage_enter stage="cleanup"
stage_exit stage="cleanup" success=true
completion stop=model_failed quota
-- stop: model_failed quota --
