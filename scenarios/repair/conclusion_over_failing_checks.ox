Concluding again without an edit after failing checks is refused without running them again.

-- set --
stop_hook_retries: 2
-- repo/a.txt --
one
-- user --
Make the check pass.
-- model --
@edit_file
path: a.txt
old: one
new: two
-- tool: edit_file --
edited a.txt:1
-- model --
Fixed.
-- check: fail --
a.txt:1: expected three
-- model --
It is fixed.
-- refusal: checks_fail --
Not accepted: checks fail that did not fail before. Find the root cause and fix it, then conclude again. (refusal 1 of 2)
-- model --
Trust me.
-- refusal: checks_fail --
Not accepted: checks fail that did not fail before. Find the root cause and fix it, then conclude again. (refusal 2 of 2)
-- model --
Done.
-- after/a.txt --
two
-- stop: checks_failing --
