What the user changed since the model read it is not overwritten.

-- repo/notes.txt --
one
-- user --
Replace notes.txt by hello.
-- model --
@read_file
path: notes.txt
-- tool: read_file --
one
[notes.txt: 1 line]
-- repo-change/notes.txt --
one
and something precious
-- model --
@write_file
path: notes.txt
content: |
  hello
-- tool: write_file failed --
`notes.txt` changed on disk after you read it (the user, a command or a formatter wrote it); nothing was written. Read it again, or change only the part you mean with edit_file.
-- model --
@read_file
path: notes.txt
-- tool: read_file --
one
and something precious
[notes.txt: 2 lines]
-- model --
@write_file
path: notes.txt
content: |
  hello
  and something precious
-- tool: write_file --
wrote notes.txt (2 lines, +1 -1)
-- model --
I kept what you added meanwhile.
-- after/notes.txt --
hello
and something precious
-- stop: done_unchecked --
