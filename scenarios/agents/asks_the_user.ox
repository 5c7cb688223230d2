A sub-agent's question reaches the user, and the answer reaches the sub-agent.

-- set --
speeds: core agent (the requests of two conversations have no common beginning)
-- repo/a.txt --
one
-- user: chat --
Which port does it use?
-- model --
@spawn_subagent
kind: explore
task: Which port does it use?
-- model --
@ask_user
question: Which of the two servers?
-- ask: ask_user --
Which of the two servers?
-- user: answer --
The second.
-- tool: ask_user --
The second.
-- model --
The second server uses 8080.
-- tool: spawn_subagent --
The second server uses 8080.
[explore 20330518-3ajyds.1: answered; 2 requests, 2200 tokens]
-- model --
8080.
-- events --
conversation_id
turn_start mode="chat" prompt="Which port does it use?" continues=false verification="full"
prompted system=… tools=[read_file search_code list_files run_command ask_user find_tools use_tool] context=[environment files mode]
workflow state="explore"
iteration_start iteration=1 tool_choice="auto"
stream_complete calls=[spawn_subagent] finish="calls"
agent_start call="call_12_0" agent="20330518-3ajyds.1" request=explore "Which port does it use?"
tool_start call="call_12_0" tool="spawn_subagent" iteration=1
  a1 conversation_id
  a1 turn_start mode="chat" prompt="Which port does it use?" continues=false verification="off"
  a1 prompted system=… tools=[read_file search_code list_files run_command ask_user find_tools use_tool] context=[environment files mode agent]
  a1 workflow state="explore"
  a1 iteration_start iteration=1 tool_choice="auto"
  a1 stream_complete calls=[ask_user] finish="calls"
  a1 question call="a1_call_12_0" text="Which of the two servers?"
  a1 answer call="a1_call_12_0" text="The second."
  a1 tool_complete call="a1_call_12_0" tool="ask_user" outcome=ok
  a1 iteration_start iteration=2 tool_choice="auto"
  a1 stream_complete text="The second server uses 8080." finish="stop"
  a1 stopped stop=answered
  a1 summary summary="The second server uses 8080."
  a1 completion stop=answered
agent_end call="call_12_0" agent="20330518-3ajyds.1" stop=answered iterations=2
tool_complete call="call_12_0" tool="spawn_subagent" outcome=ok
iteration_start iteration=2 tool_choice="auto"
stream_complete text="8080." finish="stop"
stopped stop=answered
summary summary="8080."
completion stop=answered
-- stop: answered --
