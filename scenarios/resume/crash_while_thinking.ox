The process dies while the model thinks; the model is simply asked again.

-- repo/a.txt --
one
-- user --
Make it two.
-- model --
@read_file
path: a.txt
-- tool: read_file --
one
[a.txt: 1 line]
-- crash --
-- model --
@edit_file
path: a.txt
old: one
new: two
-- tool: edit_file --
edited a.txt:1
-- model --
It says two.
-- events --
conversation_id
turn_start mode="build" prompt="Make it two." continues=false verification="full"
prompted system=… tools=[read_file edit_file write_file search_code list_files run_command run_checks todo_write ask_user attempt_completion find_tools use_tool] context=[environment files mode]
workflow state="explore"
iteration_start iteration=1 tool_choice="required"
stream_complete calls=[read_file] finish="calls"
tool_start call="call_12_0" tool="read_file" iteration=1
tool_complete call="call_12_0" tool="read_file" outcome=ok
iteration_start iteration=2 tool_choice="auto"
stream_complete calls=[edit_file] finish="calls"
tool_start call="call_17_0" tool="edit_file" iteration=2
tool_complete call="call_17_0" tool="edit_file" outcome=ok
workflow state="implement"
iteration_start iteration=3 tool_choice="auto"
stream_complete text="It says two." finish="stop"
audited changes=1
workflow state="summarize"
stopped stop=done_unchecked
summary summary="It says two."
completion stop=done_unchecked
-- after/a.txt --
two
-- stop: done_unchecked --
