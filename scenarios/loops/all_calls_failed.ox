Three replies in a row whose calls all fail end the turn.

-- repo/a.txt --
one
-- user --
Make it two.
-- model --
@read_file
path: b.txt
-- tool: read_file failed --
`b.txt` does not exist; did you mean `a.txt`?
The project root is /repo.
-- model --
@read_file
path: c.txt
-- tool: read_file failed --
`c.txt` does not exist; did you mean `a.txt`?
The project root is /repo.
-- model --
@read_file
path: d.txt
-- tool: read_file failed --
`d.txt` does not exist; did you mean `a.txt`?
The project root is /repo.
-- stop: all_calls_failed --
