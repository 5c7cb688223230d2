Checks that are cut before and after the edit failed neither time; nothing is verified, and nothing is held against the edit.

-- baseline: timeout --
812 passed, 0 failed
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
-- check: timeout --
640 passed, 0 failed
-- after/a.txt --
two
-- stop: checks_not_run --
