The user allows a command for good; the same command is not asked again, another one is.

-- repo/a.txt --
a
-- user --
Sort a.txt and show it.
-- model --
@run_command
command: cat a.txt
-- ask: run_command --
cat a.txt
approval.why.not_isolated · always: run_command(cat a.txt)
-- user: always --
-- tool: run_command --
a
-- model --
@run_command
command: cat a.txt
@run_command
command: cat a.txt a.txt
-- tool: run_command --
a
-- ask: run_command --
cat a.txt a.txt
approval.why.not_isolated · always: run_command(cat a.txt a.txt)
-- user: deny --
-- tool: run_command denied --
the user refused `cat a.txt a.txt`. Do not try it again in another form; choose another way or ask.
-- model --
@attempt_completion
result: It has one line.
no_change: One line is sorted.
-- stop: answered --
