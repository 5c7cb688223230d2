Checks whose program is not installed are held against nobody, and nobody claims that they passed.

-- baseline: unavailable --
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
-- check: unavailable --
-- after/a.txt --
two
-- stop: checks_not_run --
