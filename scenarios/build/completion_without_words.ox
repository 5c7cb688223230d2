Concluding without saying what was done is answered with the schema.

-- repo/a.txt --
one
-- user --
Make it two.
-- model --
@edit_file
path: a.txt
old: one
new: two
-- tool: edit_file --
edited a.txt:1
-- model --
@attempt_completion
verify: cat a.txt
-- tool: attempt_completion failed --
`attempt_completion` was not run; its arguments do not fit:
- `result` is missing
Given: verify.
Schema: {"type":"object","properties":{"result":{"type":"string","description":"what you did and why"},"verify":{"type":"string","description":"how to see that it works"},"undone":{"type":"array","items":{"type":"string"},"description":"what is left"},"claims":{"type":"array","items":{"type":"string"},"description":"what works: `command that showed it`"},"no_change":{"type":"string","description":"why nothing had to be edited, if so"}},"required":["result"]}
-- model --
@attempt_completion
result: It says two.
verify: cat a.txt
-- after/a.txt --
two
-- stop: done_unchecked --
