The token budget ends the turn between two iterations.

-- set --
max_tokens: 2500
-- repo/a.txt --
one
-- user --
Make it two.
-- model --
@@usage 900 100
@read_file
path: a.txt
-- tool: read_file --
one
[a.txt: 1 line]
-- model --
@@usage 1500 200
@edit_file
path: a.txt
old: one
new: two
-- tool: edit_file --
edited a.txt:1
-- after/a.txt --
two
-- stop: token_budget --
