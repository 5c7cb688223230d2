The model runs the checks itself, sees them fail, and repairs before it concludes.

-- baseline: fail --
src/old.rs:9: [E0001] this was broken long ago
811 passed, 1 failed
-- repo/a.txt --
one
-- user --
Make it two.
-- model --
@edit_file
path: a.txt
old: one
new: too
-- tool: edit_file --
edited a.txt:1
-- model --
@run_checks
-- check: fail --
src/old.rs:9: [E0001] this was broken long ago
a.txt:1: [spelling] unknown number `too`
-- tool: run_checks --
check (`./check`) failed with exit code 1

check (`./check`) failed with exit code 1:
a.txt:1 spelling: unknown number `too`

Failed before your edits too, not held against you: check (`./check`) (src/old.rs:9 E0001).
-- model --
@edit_file
path: a.txt
old: too
new: two
-- tool: edit_file --
edited a.txt:1
-- model --
It says two.
-- check: fail --
src/old.rs:9: [E0001] this was broken long ago
811 passed, 1 failed
-- after/a.txt --
two
-- stop: done --
