A tree that is changed and taken back again and again ends the turn: its recorded states show it, though no two calls were the same in a row.

-- set --
checkpoints: true
speeds: agent (the others record no states of the tree)
-- repo/a.txt --
one
-- user --
Make a.txt say what it should.
-- model --
@read_file
path: a.txt
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
-- model --
@edit_file
path: a.txt
old: two
new: one
-- tool: edit_file --
edited a.txt:1
-- model --
@edit_file
path: a.txt
old: one
new: two
-- tool: edit_file --
edited a.txt:1
-- model --
@edit_file
path: a.txt
old: two
new: one
-- tool: edit_file --
edited a.txt:1
[The tree is again in a state that it was in earlier in this turn: changes are being made and taken back again and again. Say what the two states are each good for, and decide, or look for another cause.]
-- model --
@edit_file
path: a.txt
old: one
new: two
-- tool: edit_file --
edited a.txt:1
[The tree is again in a state that it was in earlier in this turn: changes are being made and taken back again and again. Say what the two states are each good for, and decide, or look for another cause.]
-- model --
@edit_file
path: a.txt
old: two
new: one
-- tool: edit_file --
edited a.txt:1
[The tree is again in a state that it was in earlier in this turn: changes are being made and taken back again and again. Say what the two states are each good for, and decide, or look for another cause.]
-- stop: oscillation --
