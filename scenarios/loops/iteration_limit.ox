The number of iterations is a limit.

-- set --
max_iterations: 2
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
-- model --
@list_files
-- tool: list_files --
a.txt
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
stream_complete calls=[list_files] finish="calls"
tool_start call="call_17_0" tool="list_files" iteration=2
tool_complete call="call_17_0" tool="list_files" outcome=ok
stopped stop=iteration_limit
summary summary=""
completion stop=iteration_limit
-- stop: iteration_limit --
