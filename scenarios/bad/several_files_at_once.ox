Several files are read in one call, and a missing one does not spoil the others.

-- repo/a.txt --
one
-- repo/b.txt --
two
-- user: chat --
What do they say?
-- model --
@read_file
paths: = ["a.txt", "c.txt", "b.txt"]
-- tool: read_file --
==> a.txt <==
one
==> c.txt <==
[`c.txt` does not exist; did you mean `a.txt`, `b.txt`?]
==> b.txt <==
two
-- model --
One and two; there is no c.txt.
-- stop: answered --
