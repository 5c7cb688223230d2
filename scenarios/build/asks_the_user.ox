The model asks what only the user can decide and goes on with the answer.

-- repo/a.txt --
one
-- user --
Make it better.
-- model --
@read_file
path: a.txt
@ask_user
question: Which number?
options: = ["two", "three"]
-- tool: read_file --
one
[a.txt: 1 line]
-- ask: ask_user --
Which number?
* two
* three
-- user: answer --
two
-- tool: ask_user --
two
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
