An endpoint that rejects a forced tool call is asked without forcing from then on.

-- repo/a.txt --
one
-- user --
What does a.txt say?
-- prompt: new --
tool_choice: required
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
Mode: build. Change files with `edit_file` (many places in one call) and `write_file`, run commands with `run_command`, the project's checks with `run_checks`. Keep the steps of a larger task in `todo_write`.
When done, call `attempt_completion`: the files changed and why, how to verify it by hand, what is left undone. Ox then runs the checks; what newly fails comes back to you. Claim nothing that you have not seen.
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
Mode: build. Change files with `edit_file` (many places in one call) and `write_file`, run commands with `run_command`, the project's checks with `run_checks`. Keep the steps of a larger task in `todo_write`.
When done, call `attempt_completion`: the files changed and why, how to verify it by hand, what is left undone. Ox then runs the checks; what newly fails comes back to you. Claim nothing that you have not seen.
</mode>
What does a.txt say?
-- model --
@read_file
path: a.txt
-- tool: read_file --
one
[a.txt: 1 line]
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
turn_start mode="build" prompt="What does a.txt say?" continues=false verification="full"
prompted system=… tools=[read_file edit_file write_file search_code list_files run_command run_checks todo_write ask_user attempt_completion find_tools use_tool] context=[environment files named mode]
workflow state="explore"
iteration_start iteration=1 tool_choice="required"
model_failed failure=tool_choice_rejected
downgrade what="tool_choice" reason=…
stream_complete calls=[read_file] finish="calls"
tool_start call="call_14_0" tool="read_file" iteration=1
tool_complete call="call_14_0" tool="read_file" outcome=ok
iteration_start iteration=2 tool_choice="auto"
stream_complete calls=[attempt_completion] finish="calls"
stopped stop=answered
summary summary="It says one."
completion stop=answered
turn_start mode="build" prompt="In capitals?" continues=false verification="full"
prompted context=[]
workflow state="explore"
iteration_start iteration=1 tool_choice="auto"
stream_complete calls=[attempt_completion] finish="calls"
stopped stop=answered
summary summary="ONE."
completion stop=answered
-- stop: answered --
