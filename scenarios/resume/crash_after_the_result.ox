The process dies after an edit is on record; nothing is lost and nothing is done twice.

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
-- crash --
-- model --
It says two.
-- after/a.txt --
two
-- stop: done_unchecked --
