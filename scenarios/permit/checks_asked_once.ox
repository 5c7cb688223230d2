The project's checks are asked for once; edits wait for the answer, and what failed before is known.

-- set --
checks: ask
-- baseline: pass --
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
-- user: allow --
-- tool: edit_file --
edited a.txt:1
-- model --
It says two.
-- check: pass --
-- stop: done --
-- user --
Now three.
-- model --
@edit_file
path: a.txt
old: two
new: three
-- tool: edit_file --
edited a.txt:1
-- model --
It says three.
-- check: pass --
-- after/a.txt --
three
-- stop: done --
