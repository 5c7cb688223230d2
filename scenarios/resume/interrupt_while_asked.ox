The user stops the turn instead of answering a request for consent.

-- repo/a.txt --
one
-- user --
Clean up.
-- model --
@read_file
path: a.txt
@run_command
command: rm a.txt
-- tool: read_file --
one
[a.txt: 1 line]
-- ask: run_command --
rm a.txt
approval.why.not_isolated · always: run_command(rm a.txt)
-- user: interrupt --
-- tool: run_command interrupted --
not run: the turn was interrupted before.
-- stop: interrupted --
-- user --
Only say what you wanted to do.
-- prompt: new --
tool_choice: required
[assistant]
@read_file {"path":"a.txt"}
@run_command {"command":"rm a.txt"}
[result of read_file]
one
[a.txt: 1 line]
[result of run_command failed]
not run: the turn was interrupted before.
[user]
The user stopped you before this.
Only say what you wanted to do.
-- model --
@attempt_completion
result: I wanted to remove a.txt.
no_change: It was a question.
-- stop: answered --
