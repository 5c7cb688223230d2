A second question in chat mode need not explore again.

-- repo/a.txt --
apple
-- user: chat --
What does a.txt say?
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
<named>
a.txt: exists
</named>
<mode>
Mode: chat. Answer from the code, naming files and lines; look before you answer. You cannot change anything: commands run on a private copy of the project that is gone when they end, so run what shows how things are. When you know the answer, give it as plain text without calls.
</mode>
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
-- user --
In capitals?
-- prompt: new --
tool_choice: auto
[assistant]
It says apple.
[user]
In capitals?
-- model --
APPLE.
-- events --
conversation_id
turn_start mode="chat" prompt="What does a.txt say?" continues=false verification="full"
prompted system=… tools=[read_file search_code list_files run_command ask_user find_tools use_tool] context=[environment files named mode]
workflow state="explore"
iteration_start iteration=1 tool_choice="auto"
stream_complete calls=[read_file] finish="calls"
tool_start call="call_12_0" tool="read_file" iteration=1
tool_complete call="call_12_0" tool="read_file" outcome=ok
iteration_start iteration=2 tool_choice="auto"
stream_complete text="It says apple." finish="stop"
stopped stop=answered
summary summary="It says apple."
completion stop=answered
turn_start mode="chat" prompt="In capitals?" continues=false verification="full"
prompted context=[]
workflow state="explore"
iteration_start iteration=1 tool_choice="auto"
stream_complete text="APPLE." finish="stop"
stopped stop=answered
summary summary="APPLE."
completion stop=answered
-- stop: answered --
