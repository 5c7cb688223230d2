What failed before the edits is shown and not held against them.

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
new: two
-- tool: edit_file --
edited a.txt:1
-- model --
It says two.
-- check: fail --
src/old.rs:12: [E0001] this was broken long ago
812 passed, 1 failed
-- after/a.txt --
two
-- stop: done --
