The user changes a command before it runs; the model reads what ran.

-- repo/a.txt --
a
-- user --
What files are there? Tell me only.
-- model --
@run_command
command: ls -la /
-- ask: run_command --
ls -la /
approval.why.system · always: run_command(ls -la /)
-- user: amend --
command: ls
-- tool: run_command --
a.txt
-- prompt: new --
tool_choice: auto
[assistant]
@run_command {"command":"ls -la /"}
[result of run_command]
The user changed this call before allowing it. It ran with: {"command":"ls"}
a.txt
-- model --
@attempt_completion
result: Only a.txt.
no_change: It was a question.
-- stop: answered --
