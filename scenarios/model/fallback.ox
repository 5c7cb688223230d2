The next configured model takes over where the first cannot be asked, with the conversation so far.

-- set --
fallback: spare/model
model_attempts: 2
speeds: core agent openai anthropic responses gemini (one script is served to both models)
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
-- model: fail 503 --
-- model: fail 503 --
-- model --
@edit_file
path: a.txt
old: one
new: two
-- tool: edit_file --
edited a.txt:1
-- model --
It is two.
-- after/a.txt --
two
-- stop: done_unchecked --
