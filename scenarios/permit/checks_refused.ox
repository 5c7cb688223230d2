The user does not let the checks run; the end says that they were not.

-- set --
checks: ask
-- repo/a.txt --
one
-- user --
Make it two.
-- model --
@edit_file
path: a.txt
old: one
new: two
-- ask: run_checks --
./check
approval.why.not_isolated · always: run_checks
-- user: deny --
They take too long.
-- tool: edit_file --
edited a.txt:1
-- model --
It says two.
-- after/a.txt --
two
-- stop: checks_not_run --
