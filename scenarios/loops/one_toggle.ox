A fix that is taken back once, so that its test is seen to fail, and put on again is no circle.

-- set --
checkpoints: true
speeds: agent (the others record no states of the tree)
-- repo/a.txt --
one
-- user --
Make a.txt say two.
-- model --
@edit_file
path: a.txt
old: one
new: two
-- tool: edit_file --
edited a.txt:1
-- model --
@edit_file
path: a.txt
old: two
new: one
why: to see the test fail without it
-- tool: edit_file --
edited a.txt:1
-- model --
@edit_file
path: a.txt
old: one
new: two
-- tool: edit_file --
edited a.txt:1
-- model --
@attempt_completion
result: It says two.
-- after/a.txt --
two
-- stop: done_unchecked --
