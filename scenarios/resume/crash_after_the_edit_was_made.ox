The process dies after an edit was made and before that was recorded.

-- repo/a.txt --
one
-- user --
Make it two.
-- model --
@edit_file
path: a.txt
old: one
new: two
-- crash after edit_file --
-- tool: edit_file lost --
-- model --
@read_file
path: a.txt
-- tool: read_file --
two
[a.txt: 1 line]
-- model --
It says two already.
-- after/a.txt --
two
-- stop: done_unchecked --
