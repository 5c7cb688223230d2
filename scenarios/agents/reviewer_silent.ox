A reviewer whose model fails keeps nothing from ending, and is not asked again.

-- set --
speeds: agent (what a reviewer reads is the change as it is on the disk)
checkpoints: true
checks: none
review: always
-- repo/mean.py --
mean = sum
-- user --
mean() must divide by the number of items.
-- model --
@read_file
path: mean.py
@write_file
path: mean.py
content: mean = lambda items: sum(items) / len(items)
-- tool: read_file --
mean = sum
[mean.py: 1 line]
-- tool: write_file --
wrote mean.py (1 line, +1 -1)
-- model --
@attempt_completion
result: mean() divides.
-- model: fail 401 no such key --
-- error: model.key_rejected_unnamed --
page: 
provider: scripted
variable: 
-- events --
conversation_id
turn_start mode="build" prompt="mean() must divide by the number of items." continues=false verification="full"
prompted system=… tools=[read_file edit_file write_file search_code list_files run_command run_checks todo_write ask_user attempt_completion find_tools use_tool] context=[environment project files mode]
workflow state="explore"
iteration_start iteration=1 tool_choice="required"
stream_complete calls=[read_file write_file] finish="calls"
tool_start call="call_12_0" tool="read_file" iteration=1
tool_complete call="call_12_0" tool="read_file" outcome=ok
tool_start call="call_12_1" tool="write_file" iteration=1
checkpoint reason=… files=0 tree="9f5fa7f0d7b8aaa5990d477e7a3809c4c2de2822f8a2ccaf7eb4c7bab176"…
checkpoint reason=… files=1 tree="95afe2e4ed163780158fd9021b61f1cfba5ba5b49eaa1b8943335e40fe7d"…
tool_complete call="call_12_1" tool="write_file" outcome=ok
workflow state="implement"
iteration_start iteration=2 tool_choice="auto"
stream_complete calls=[attempt_completion] finish="calls"
audited changes=1
agent_start call="review_26" agent="20330518-3ajyds.1" request=review ""
  a1 conversation_id
  a1 turn_start mode="chat" prompt="The task:"… continues=false verification="off"
  a1 prompted system=… tools=[read_file search_code list_files run_command ask_user find_tools use_tool] context=[environment project files named mode agent]
  a1 workflow state="explore"
  a1 iteration_start iteration=1 tool_choice="auto"
  a1 model_failed failure=auth
  a1 stopped stop=model_failed auth
  a1 summary summary=""
  a1 error problem=model.key_rejected_unnamed
  a1 completion stop=model_failed auth
agent_end call="review_26" agent="20330518-3ajyds.1" stop=model_failed auth iterations=1 problem=reviewer.stopped
workflow state="summarize"
stopped stop=done_unchecked
summary summary="mean() divides." not_reviewed=reviewer.stopped
completion stop=done_unchecked
-- after/mean.py (no newline) --
mean = lambda items: sum(items) / len(items)
-- stop: done_unchecked --
