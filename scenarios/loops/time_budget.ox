The time budget ends the turn while the model thinks.

-- set --
max_time: 1m
-- repo/a.txt --
one
-- user --
Make it two.
-- clock: +30s --
-- model --
@read_file
path: a.txt
-- tool: read_file --
one
[a.txt: 1 line]
-- clock: +31s --
-- stop: time_budget --
