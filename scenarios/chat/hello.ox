Where no mode was given, words that change nothing are the answer: one request, in whatever language.

-- set --
mode: auto
-- repo/a.txt --
apple
-- user --
hi
-- prompt --
tool_choice: auto
[user]
<environment>
Project `project`, linux, 2033-05-18. Paths are relative to the project's root, where commands run.
</environment>
<files>
1 files in 0 folders
a.txt
</files>
<mode>
Mode: auto. A question or a greeting: answer it in plain text without calls, after a look where the answer rests on the code. A change that is asked for: make it. Change files with `edit_file` (many places in one call) and `write_file`, run commands with `run_command`, the project's checks with `run_checks`. Keep the steps of a larger task in `todo_write`.
When done, call `attempt_completion`: the files changed and why, how to verify it by hand, what is left undone. Ox then runs the checks; what newly fails comes back to you. Claim nothing that you have not seen.
</mode>
hi
-- model --
Hello! What shall I do?
-- events --
conversation_id
turn_start mode="auto" prompt="hi" continues=false verification="full"
prompted system=… tools=[read_file edit_file write_file search_code list_files run_command run_checks todo_write ask_user attempt_completion find_tools use_tool] context=[environment files mode]
workflow state="explore"
iteration_start iteration=1 tool_choice="auto"
stream_complete text="Hello! What shall I do?" finish="stop"
stopped stop=answered
summary summary="Hello! What shall I do?"
completion stop=answered
-- stop: answered --
-- user --
你好
-- model --
你好！
-- stop: answered --
-- user --
What does a.txt say?
-- model --
@read_file
path: a.txt
-- tool: read_file --
apple
[a.txt: 1 line]
-- model --
It says apple.
-- stop: answered --
-- user: chat --
thanks
-- model --
You are welcome.
-- stop: answered --
-- user: plan --
hello
-- model --
Hello.
-- events --
turn_start mode="auto" prompt="你好" continues=false verification="full"
prompted context=[]
workflow state="explore"
iteration_start iteration=1 tool_choice="auto"
stream_complete text="你好！" finish="stop"
stopped stop=answered
summary summary="你好！"
completion stop=answered
turn_start mode="auto" prompt="What does a.txt say?" continues=false verification="full"
prompted context=[named]
workflow state="explore"
iteration_start iteration=1 tool_choice="auto"
stream_complete calls=[read_file] finish="calls"
tool_start call="call_58_0" tool="read_file" iteration=1
tool_complete call="call_58_0" tool="read_file" outcome=ok
iteration_start iteration=2 tool_choice="auto"
stream_complete text="It says apple." finish="stop"
stopped stop=answered
summary summary="It says apple."
completion stop=answered
turn_start mode="chat" prompt="thanks" continues=false verification="full"
prompted context=[mode]
workflow state="explore"
iteration_start iteration=1 tool_choice="auto"
stream_complete text="You are welcome." finish="stop"
stopped stop=answered
summary summary="You are welcome."
completion stop=answered
turn_start mode="plan" prompt="hello" continues=false verification="full"
prompted tools=[read_file edit_file write_file search_code list_files run_command run_checks todo_write ask_user attempt_completion find_tools use_tool plan_respond] context=[mode]
workflow state="explore"
prefix_dropped cause="tools" tokens=1100
iteration_start iteration=1 tool_choice="auto"
stream_complete text="Hello." finish="stop"
stopped stop=answered
summary summary="Hello."
completion stop=answered
-- stop: answered --
