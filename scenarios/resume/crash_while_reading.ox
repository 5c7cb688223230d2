A read that a crash cut off is simply done again.

-- repo/a.txt --
one
-- user: chat --
What does it say?
-- model --
@read_file
path: a.txt
-- crash during read_file --
-- tool: read_file --
one
[a.txt: 1 line]
-- model --
It says one.
-- stop: answered --
