A file outside the project is read once the user allows it.

-- set --
speeds: agent wire (the paths of a call are resolved on the disk)
-- repo/a.txt --
one
-- repo/../wishes.txt --
make it two
-- user --
Do with a.txt what ../wishes.txt says.
-- model --
@read_file
path: ../wishes.txt
-- ask: read_file --
{"path":"../wishes.txt"}
approval.why.system · always: read_file
-- user: allow --
-- tool: read_file --
make it two
[/wishes.txt: 1 line]
-- model --
@edit_file
path: a.txt
old: one
new: two
-- tool: edit_file --
edited a.txt:1
-- model --
It says two, as wished.
-- after/a.txt --
two
-- stop: done_unchecked --
