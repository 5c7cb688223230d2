A command that exits with an error is a result like any other.

-- set --
allow: run_command
-- repo/a.txt --
one
-- user --
Is there a b.txt?
-- model --
@run_command
command: cat b.txt 2>/dev/null; exit 7
-- tool: run_command --
[no output; exit code 7]
-- model --
@attempt_completion
result: There is no b.txt.
no_change: It was a question.
-- stop: answered --
