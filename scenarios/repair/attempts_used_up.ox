Each attempt fails and its edits are taken back; after the last one the turn ends as what it is.

-- set --
repair_attempts: 2
repair_edits: undo
checkpoints: true
speeds: agent (only there states of the tree are kept)
-- repo/a.txt --
one
-- user --
Make it two.
-- model --
@edit_file
path: a.txt
old: one
new: three
-- tool: edit_file --
edited a.txt:1
-- model --
@edit_file
path: b.txt
old: x
new: y
-- tool: edit_file failed --
`b.txt` does not exist; did you mean `a.txt`?
The project root is /repo.
-- model --
@edit_file
path: b.txt
old: x
new: y
-- tool: edit_file failed --
`b.txt` does not exist; did you mean `a.txt`?
The project root is /repo.
-- model --
@edit_file
path: b.txt
old: x
new: y
-- tool: edit_file failed --
`b.txt` does not exist; did you mean `a.txt`?
The project root is /repo.
-- model --
-- refusal: unfinished --
Your reply was empty or cut off at the output limit. Go on in smaller steps: make the next call, or conclude. (refusal 1 of 5)
-- model --
-- refusal: unfinished --
Your reply was empty or cut off at the output limit. Go on in smaller steps: make the next call, or conclude. (refusal 2 of 5)
-- model --
-- model --
-- refusal: unfinished --
Your reply was empty or cut off at the output limit. Go on in smaller steps: make the next call, or conclude. (refusal 1 of 5)
-- model --
-- refusal: unfinished --
Your reply was empty or cut off at the output limit. Go on in smaller steps: make the next call, or conclude. (refusal 2 of 5)
-- model --
-- stop: empty_replies --
