A turn that waits for consent is taken up where nobody can be asked: it begins anew under that rule instead of waiting for ever.

-- set --
headless_after_crash: true
speeds: agent wire (who can be asked changes with the process that takes the turn up)
-- repo/a.txt --
one
-- user --
List the files.
-- model --
@run_command
command: ls
-- ask: run_command --
ls
approval.why.not_isolated · always: run_command(ls)
-- crash --
-- tool: run_command interrupted --
not run: the turn was interrupted before.
-- prompt: new --
tool_choice: auto
[assistant]
@run_command {"command":"ls"}
[result of run_command failed]
not run: the turn was interrupted before.
[user]
<mode>
Mode: build. Change files with `edit_file` (many places in one call) and `write_file`, run commands with `run_command`, the project's checks with `run_checks`. Keep the steps of a larger task in `todo_write`.
When done, call `attempt_completion`: the files changed and why, how to verify it by hand, what is left undone. Ox then runs the checks; what newly fails comes back to you. Claim nothing that you have not seen.
Nobody can answer or consent in this run: what needs consent is refused. Where the user's intent decides, take the safest choice and say so at the end.
</mode>
The user stopped you before this.
Continue where you stopped.
-- model --
@list_files
-- tool: list_files --
a.txt
-- model --
@attempt_completion
result: There is a.txt.
no_change: It was a question.
-- stop: answered --
