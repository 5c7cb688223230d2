The cost budget ends the turn before a request that it could not pay.

-- set --
price: 3 15
max_cost: 0.015
-- repo/a.txt --
one
-- user --
Make it two.
-- model --
@@usage 1000 100
@read_file
path: a.txt
-- tool: read_file --
one
[a.txt: 1 line]
-- model --
@@usage 2000 200
@list_files
-- tool: list_files --
a.txt
-- stop: cost_budget --
