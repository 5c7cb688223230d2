The process dies while the checks run; they run again.

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
-- crash --
-- check: pass --
-- after/a.txt --
two
-- stop: done --
