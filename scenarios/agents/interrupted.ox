Whoever interrupts the turn interrupts its sub-agents.

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
-- user: interrupt --
-- tool: spawn_subagent interrupted --
It said nothing.
[explore 20330518-3ajyds.1: interrupted; 1 requests, 0 tokens]
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
  a1 interrupted
  a1 stopped stop=interrupted
  a1 summary summary=""
  a1 completion stop=interrupted
interrupted
agent_end call="call_12_0" agent="20330518-3ajyds.1" stop=interrupted iterations=1
tool_complete call="call_12_0" tool="spawn_subagent" outcome=interrupted
stopped stop=interrupted
summary summary=""
completion stop=interrupted
-- stop: interrupted --
