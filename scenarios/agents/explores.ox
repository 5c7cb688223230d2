A question about the code goes to a sub-agent, which reads in a conversation of its own; the parent reads its last words.

-- set --
speeds: core agent (the requests of two conversations have no common beginning)
-- repo/src/lib.rs --
pub mod sum;
pub use sum::add;
-- repo/src/sum.rs --
pub fn add(a: i32, b: i32) -> i32 { a + b }
-- user: chat --
Where is add defined?
-- model --
I will have it looked up.
@spawn_subagent
kind: explore
task: Where is add defined?
-- model --
@read_file
path: src/sum.rs
-- tool: read_file --
pub fn add(a: i32, b: i32) -> i32 { a + b }
[src/sum.rs: 1 line]
-- model --
src/sum.rs:1
-- tool: spawn_subagent --
src/sum.rs:1
[explore 20330518-3ajyds.1: answered; 2 requests, 2200 tokens]
-- prompt: new --
tool_choice: auto
[assistant]
I will have it looked up.
@spawn_subagent {"kind":"explore","task":"Where is add defined?"}
[result of spawn_subagent]
src/sum.rs:1
[explore 20330518-3ajyds.1: answered; 2 requests, 2200 tokens]
-- model --
In src/sum.rs, line 1.
-- events --
conversation_id
turn_start mode="chat" prompt="Where is add defined?" continues=false verification="full"
prompted system=… tools=[read_file search_code list_files run_command ask_user find_tools use_tool] context=[environment project files mode]
workflow state="explore"
iteration_start iteration=1 tool_choice="auto"
stream_complete text="I will have it looked up." calls=[spawn_subagent] finish="calls"
agent_start call="call_12_0" agent="20330518-3ajyds.1" request=explore "Where is add defined?"
tool_start call="call_12_0" tool="spawn_subagent" iteration=1
  a1 conversation_id
  a1 turn_start mode="chat" prompt="Where is add defined?" continues=false verification="off"
  a1 prompted system=… tools=[read_file search_code list_files run_command ask_user find_tools use_tool] context=[environment project files mode agent]
  a1 workflow state="explore"
  a1 iteration_start iteration=1 tool_choice="auto"
  a1 stream_complete calls=[read_file] finish="calls"
  a1 tool_start call="a1_call_12_0" tool="read_file" iteration=1
  a1 tool_complete call="a1_call_12_0" tool="read_file" outcome=ok
  a1 iteration_start iteration=2 tool_choice="auto"
  a1 stream_complete text="src/sum.rs:1" finish="stop"
  a1 stopped stop=answered
  a1 summary summary="src/sum.rs:1"
  a1 completion stop=answered
agent_end call="call_12_0" agent="20330518-3ajyds.1" stop=answered iterations=2
tool_complete call="call_12_0" tool="spawn_subagent" outcome=ok
iteration_start iteration=2 tool_choice="auto"
stream_complete text="In src/sum.rs, line 1." finish="stop"
stopped stop=answered
summary summary="In src/sum.rs, line 1."
completion stop=answered
-- stop: answered --
