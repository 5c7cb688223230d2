The same call with the same outcome, again and again, ends the turn.

-- repo/a.txt --
one
-- user --
Make it two.
-- model --
@read_file
path: a.txt
-- tool: read_file --
one
[a.txt: 1 line]
-- model --
@read_file
path: a.txt
-- tool: read_file --
one
[a.txt: 1 line]
-- model --
@read_file
path: a.txt
-- tool: read_file --
one
[a.txt: 1 line]
-- stop: oscillation --
