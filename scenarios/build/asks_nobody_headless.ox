Where nobody can answer, a question tells the model to decide itself.

-- set --
headless: true
speeds: core agent openai anthropic (in XML only offered names are taken for calls)
-- repo/a.txt --
one
-- user --
Make it better.
-- model --
@ask_user
question: Which number?
-- tool: ask_user failed --
nobody can answer in this run. Decide yourself, take the safest choice, and state the assumption in your summary.
-- model --
@edit_file
path: a.txt
old: one
new: two
-- tool: edit_file --
edited a.txt:1
-- model --
It says two; I assumed that two was meant.
-- after/a.txt --
two
-- stop: done_unchecked --
