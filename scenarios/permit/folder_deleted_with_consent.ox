Deleting a folder is asked even where everything is allowed.

-- set --
allow: *
speeds: agent wire (whether a path is a folder is known from the disk)
-- repo/old/a.txt --
a
-- repo/b.txt --
b
-- user --
Remove the folder old.
-- model --
@use_tool
name: delete_file
args: = {"path": "old"}
-- ask: delete_file --
{"path":"old"}
approval.why.system · always: delete_file
-- user: allow --
-- tool: delete_file --
deleted old with 1 file
-- model --
The folder is gone.
-- after/old/a.txt (deleted) --
-- stop: done_unchecked --
