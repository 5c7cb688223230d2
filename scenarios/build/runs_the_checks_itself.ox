The model runs the checks itself; as nothing changes afterwards they are not run again.

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
@run_checks
-- check: pass --
-- tool: run_checks --
check (`./check`) passed
-- model --
It says two.
-- after/a.txt --
two
-- stop: done --
