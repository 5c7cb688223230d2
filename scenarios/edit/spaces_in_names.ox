Names with spaces and other letters are names like any other.

-- repo/my notes/größe 1.txt --
one
-- user --
Make the note in `my notes` say two.
-- model --
@list_files
path: my notes
-- tool: list_files --
my notes/größe 1.txt
-- model --
@edit_file
path: my notes/größe 1.txt
old: one
new: two
-- tool: edit_file --
edited my notes/größe 1.txt:1
-- model --
It says two.
-- after/my notes/größe 1.txt --
two
-- stop: done_unchecked --
