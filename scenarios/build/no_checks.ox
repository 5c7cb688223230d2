A project without checks ends done, with a warning that nothing was checked.

-- repo/a.txt --
one
-- user --
Make it two.
-- model --
@read_file
path: a.txt
@run_checks
-- tool: read_file --
one
[a.txt: 1 line]
-- tool: run_checks --
The project has no checks that Ox knows of. Run its tests with `run_command`.
-- model --
@edit_file
path: a.txt
old: one
new: two
-- tool: edit_file --
edited a.txt:1
-- model --
It says two.
-- after/a.txt --
two
-- stop: done_unchecked --
