A rule that denies wins over one that allows, and the model is told.

-- set --
allow: edit_file
deny: edit_file(locked/**)
-- repo/locked/a.txt --
one
-- repo/b.txt --
one
-- user --
Make both two.
-- model --
@edit_file
edits: = [{"path": "b.txt", "old": "one", "new": "two"}, {"path": "locked/a.txt", "old": "one", "new": "two"}]
-- tool: edit_file denied --
the user's rule `deny edit_file(locked/**)` forbids this call. Do not work around it; choose another way or ask.
-- model --
@edit_file
path: b.txt
old: one
new: two
-- tool: edit_file --
edited b.txt:1
-- model --
b.txt says two; locked/a.txt may not be changed.
-- after/b.txt --
two
-- stop: done_unchecked --
