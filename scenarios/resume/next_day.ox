Between two turns the process ends; the next prompt goes on with what is known, and an old read no longer counts where the file changed.

-- repo/a.txt --
one
-- repo/b.txt --
one
-- user: chat --
What do they say?
-- model --
@read_file
path: a.txt
@read_file
path: b.txt
-- tool: read_file --
one
[a.txt: 1 line]
-- tool: read_file --
one
[b.txt: 1 line]
-- model --
Both say one.
-- stop: answered --
-- repo-change/b.txt --
something new
-- crash --
-- user: build --
Make both two.
-- model --
@write_file
path: a.txt
content: |
  two
@write_file
path: b.txt
content: |
  two
-- tool: write_file --
wrote a.txt (1 line, +1 -1)
-- tool: write_file failed --
`b.txt` exists (1 lines) and you have not read it; nothing was written. Read it whole first, or change only the part you mean with edit_file.
-- model --
@edit_file
path: b.txt
old: something new
new: two
-- tool: edit_file --
edited b.txt:1
-- model --
Both say two.
-- after/a.txt --
two
-- after/b.txt --
two
-- stop: done_unchecked --
