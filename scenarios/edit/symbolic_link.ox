Editing through a link within the project changes what it points to and leaves the link.

-- set --
speeds: agent wire (the paths of a call are resolved on the disk)
-- repo/real.txt --
one
-- repo/link.txt (symlink) --
real.txt
-- user --
Make link.txt say two.
-- model --
@edit_file
path: link.txt
old: one
new: two
-- tool: edit_file --
edited real.txt:1
-- model --
It says two.
-- after/real.txt --
two
-- stop: done_unchecked --
