When one edit of a reply fails, the edits after it are not made.

-- repo/a.txt --
one
-- repo/b.txt --
one
-- repo/c.txt --
one
-- user --
Make all of them two.
-- model --
@edit_file
path: a.txt
old: one
new: two
@edit_file
path: b.txt
old: eins
new: two
@edit_file
path: c.txt
old: one
new: two
@read_file
path: b.txt
-- tool: edit_file --
edited a.txt:1
-- tool: edit_file failed --
`b.txt` was not edited. The search text is not in the file, and nothing in it is alike.
Take the lines from the file as it is now (read it again if in doubt) and send the edit again.
-- tool: edit_file skipped --
not run: `edit_file` before it in this reply failed or was refused. Look at its result first.
-- tool: read_file --
one
[b.txt: 1 line]
-- model --
@edit_file
edits: = [{"path": "b.txt", "old": "one", "new": "two"}, {"path": "c.txt", "old": "one", "new": "two"}]
-- tool: edit_file --
edited b.txt:1
edited c.txt:1
-- model --
All say two.
-- after/a.txt --
two
-- after/b.txt --
two
-- after/c.txt --
two
-- stop: done_unchecked --
