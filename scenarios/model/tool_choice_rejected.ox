An endpoint that rejects a forced tool call is asked without forcing from then on.

-- repo/a.txt --
one
-- user --
What does a.txt say?
-- prompt: new --
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
Mode: chat. Answer from the code, naming files and lines; look before you answer. You cannot change anything. When you know the answer, give it as plain text without calls.
</mode>
What does a.txt say?
-- model: fail 400 tool_choice "required" is not supported by this model --
-- prompt: new --
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
Mode: chat. Answer from the code, naming files and lines; look before you answer. You cannot change anything. When you know the answer, give it as plain text without calls.
</mode>
What does a.txt say?
-- model --
@read_file
path: a.txt
-- tool: read_file --
one
-- model --
@attempt_completion
result: It says one.
no_change: it was a question
-- stop: answered --
-- user --
In capitals?
-- model --
@attempt_completion
result: ONE.
no_change: it was a question
-- events --
conversation_id
turn_start mode="chat" prompt="What does a.txt say?" continues=false verification="full"
prompted system=… tools=[read_file search_code list_files ask_user find_tools use_tool project_structure git_diff git_log] context=[environment files named mode]
workflow state="explore"
iteration_start iteration=1 tool_choice="auto"
model_failed failure=tool_choice_rejected
downgrade what="tool_choice" reason=…
stream_complete calls=[read_file] finish="calls"
tool_start call="call_14_0" tool="read_file" iteration=1
tool_complete call="call_14_0" tool="read_file" outcome=ok
iteration_start iteration=2 tool_choice="auto"
stream_complete text="It says one." finish="stop"
stopped stop=answered
summary summary="It says one."
completion stop=answered
turn_start mode="chat" prompt="In capitals?" continues=false verification="full"
prompted context=[]
workflow state="explore"
iteration_start iteration=1 tool_choice="auto"
stream_complete text="ONE." finish="stop"
stopped stop=answered
summary summary="ONE."
completion stop=answered
-- stop: answered --
