Several places in one call are changed together or not at all.

-- repo/a.txt --
one
-- repo/b.txt --
one
-- user --
Make both two.
-- model --
@edit_file
edits: = [{"path": "a.txt", "old": "one", "new": "two"}, {"path": "b.txt", "old": "eins", "new": "two"}]
-- tool: edit_file failed --
`b.txt` was not edited. The search text is not in the file, and nothing in it is alike.
Take the lines from the file as it is now (read it again if in doubt) and send the edit again.
None of the files of this call was changed.
-- model --
@edit_file
edits: = [{"path": "a.txt", "old": "one", "new": "two"}, {"path": "b.txt", "old": "one", "new": "two"}]
-- tool: edit_file --
edited a.txt:1
edited b.txt:1
-- model --
Both say two.
-- after/a.txt --
two
-- after/b.txt --
two
-- stop: done_unchecked --
