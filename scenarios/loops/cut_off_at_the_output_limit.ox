A reply that ran into the output limit is asked to go on in smaller steps.

-- repo/a.txt --
one
-- user --
Make it two.
-- model --
@read_file
path: a.txt
-- tool: read_file --
one
[a.txt: 1 line]
-- model --
@@finish length
I shall now explain at length how
-- refusal: unfinished --
Your reply was empty or cut off at the output limit. Go on in smaller steps: make the next call, or conclude. (refusal 1 of 5)
-- model --
@edit_file
path: a.txt
old: one
new: two
-- tool: edit_file --
edited a.txt:1
-- model --
It says two.
-- after/a.txt --
two
-- stop: done_unchecked --
