A second task begins with an empty list; what the first one left open does not hold it up.

-- set --
max_iterations: 2
-- repo/a.txt --
one
-- user --
Make it two, then three.
-- model --
@todo_write
action: create
tasks: = ["make it two", "make it three"]
@read_file
path: a.txt
-- tool: todo_write --
1. [ ] make it two
2. [ ] make it three
[2 pending, 0 in progress, 0 completed]
-- tool: read_file --
one
[a.txt: 1 line]
-- model --
@edit_file
path: a.txt
old: one
new: two
-- tool: edit_file --
edited a.txt:1
-- stop: iteration_limit --
-- user --
Only add a full stop.
-- model --
@edit_file
path: a.txt
old: two
new: two.
-- tool: edit_file --
edited a.txt:1
-- model --
It has its full stop.
-- after/a.txt --
two.
-- stop: done_unchecked --
