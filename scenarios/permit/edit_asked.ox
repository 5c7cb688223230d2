With the policy `ask` every edit is shown first, and consent covers that edit alone.

-- set --
approval: ask
-- repo/a.txt --
one
-- user --
Make it three.
-- model --
@edit_file
path: a.txt
old: one
new: two
-- ask: edit_file --
{"path":"a.txt","old":"one","new":"two"}
approval.why.edit · always: edit_file
-- user: allow --
-- tool: edit_file --
edited a.txt:1
-- model --
@edit_file
path: a.txt
old: two
new: three
-- ask: edit_file --
{"path":"a.txt","old":"two","new":"three"}
approval.why.edit · always: edit_file
-- user: deny --
Two is enough.
-- tool: edit_file denied --
the user refused `edit_file` and said: Two is enough. Do not try it again in another form; choose another way or ask.
-- model --
@attempt_completion
result: It says two, as you wished.
-- after/a.txt --
two
-- stop: done_unchecked --
