The process dies while the user is asked; after the restart the question is asked again.

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
-- ask: run_command --
ls
approval.why.not_isolated · always: run_command(ls)
-- user: allow --
-- tool: run_command --
a.txt
-- model --
@attempt_completion
result: There is a.txt.
no_change: It was a question.
-- stop: answered --
