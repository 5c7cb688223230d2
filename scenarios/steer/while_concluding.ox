The user says something while the model concludes; the turn goes on with it.

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
result: It says two.
-- user --
And a second line, please.
-- prompt: new --
tool_choice: auto
[assistant]
@attempt_completion {"result":"It says two."}
[result of attempt_completion failed]
Not accepted yet: the user has said something more.
[user]
And a second line, please.
-- model --
@edit_file
path: a.txt
old: two
new: |
  two
  lines
-- tool: edit_file --
edited a.txt:1-3
-- model --
@attempt_completion
result: It has two lines.
-- after/a.txt --
two
lines

-- stop: done_unchecked --
