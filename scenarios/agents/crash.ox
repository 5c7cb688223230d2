After a crash the sub-agent goes on where it was, and its parent waits for it as before.

-- set --
speeds: core agent (the requests of two conversations have no common beginning)
-- repo/a.txt --
one
-- user: chat --
What does a.txt say?
-- model --
@spawn_subagent
kind: explore
task: What does a.txt say?
-- model --
@read_file
path: a.txt
-- tool: read_file --
one
[a.txt: 1 line]
-- crash --
-- model --
It says one.
-- tool: spawn_subagent --
It says one.
[explore 20330518-3ajyds.1: answered; 2 requests, 2200 tokens]
-- model --
One.
-- events --
conversation_id
turn_start mode="chat" prompt="What does a.txt say?" continues=false verification="full"
prompted system=… tools=[read_file search_code list_files run_command ask_user find_tools use_tool] context=[environment files named mode]
workflow state="explore"
iteration_start iteration=1 tool_choice="auto"
stream_complete calls=[spawn_subagent] finish="calls"
agent_start call="call_12_0" agent="20330518-3ajyds.1" request=explore "What does a.txt say?"
tool_start call="call_12_0" tool="spawn_subagent" iteration=1
  a1 conversation_id
  a1 turn_start mode="chat" prompt="What does a.txt say?" continues=false verification="off"
  a1 prompted system=… tools=[read_file search_code list_files run_command ask_user find_tools use_tool] context=[environment files named mode agent]
  a1 workflow state="explore"
  a1 iteration_start iteration=1 tool_choice="auto"
  a1 stream_complete calls=[read_file] finish="calls"
  a1 tool_start call="a1_call_12_0" tool="read_file" iteration=1
  a1 tool_complete call="a1_call_12_0" tool="read_file" outcome=ok
  a1 iteration_start iteration=2 tool_choice="auto"
tool_start call="call_12_0" tool="spawn_subagent" iteration=1
  a1 stream_complete text="It says one." finish="stop"
  a1 stopped stop=answered
  a1 summary summary="It says one."
  a1 completion stop=answered
agent_end call="call_12_0" agent="20330518-3ajyds.1" stop=answered iterations=2
tool_complete call="call_12_0" tool="spawn_subagent" outcome=ok
iteration_start iteration=2 tool_choice="auto"
stream_complete text="One." finish="stop"
stopped stop=answered
summary summary="One."
completion stop=answered
-- stop: answered --
