A file that the model has not read is not replaced as a whole.

-- repo/notes.txt --
much work
-- user --
Write hello into notes.txt.
-- model --
@write_file
path: notes.txt
content: |
  hello
-- tool: write_file failed --
`notes.txt` exists (1 lines) and you have not read it; nothing was written. Read it whole first, or change only the part you mean with edit_file.
-- model --
@read_file
path: notes.txt
-- tool: read_file --
much work
[notes.txt: 1 line]
-- model --
@write_file
path: notes.txt
content: |
  much work
  hello
-- tool: write_file --
wrote notes.txt (2 lines, +1 -0)
-- model --
It says hello below the rest.
-- after/notes.txt --
much work
hello
-- stop: done_unchecked --
