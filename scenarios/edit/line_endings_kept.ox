Windows line endings and the byte order mark stay as they are.

-- repo/a.txt (bom) (crlf) --
one
two
three
-- user --
Spell two in capitals.
-- model --
@read_file
path: a.txt
-- tool: read_file --
one
two
three
[a.txt: 3 lines]
-- model --
@edit_file
path: a.txt
old: |
  one
  two
new: |
  one
  TWO
-- tool: edit_file --
edited a.txt:1-2
-- model --
Done.
-- after/a.txt (bom) (crlf) --
one
TWO
three
-- stop: done_unchecked --
