Where nothing passed before and nothing passes after, nothing is verified: a broken toolchain is no proof.

-- baseline: fail --
error: no toolchain is installed
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
error: no toolchain is installed
-- after/a.txt --
two
-- stop: checks_not_run --
