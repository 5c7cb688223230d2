A file goes back to the beginning of the turn; what else the turn changed stays.

-- set --
checkpoints: true
checks: none
speeds: agent (checkpoints are of the real tree)
-- repo/a.txt --
one
-- repo/b.txt --
b
-- user --
Make a.txt say two.
-- model --
@edit_file
path: a.txt
old: one
new: two
@edit_file
path: b.txt
old: b
new: c
-- tool: edit_file --
edited a.txt:1
-- tool: edit_file --
edited b.txt:1
-- model --
@use_tool
name: revert_file
args: = {"path": "b.txt"}
-- tool: revert_file --
b.txt is again as it was when this turn began
-- model --
a.txt says two; b.txt is as it was.
-- after/a.txt --
two
-- stop: done_unchecked --
