The user adds a wish while the model works; it is taken up after the results.

-- repo/a.txt --
one
-- user --
Make it two.
-- model --
@edit_file
path: a.txt
old: one
new: two
-- user --
Three, please.
-- tool: edit_file --
edited a.txt:1
-- prompt: new --
tool_choice: auto
[assistant]
@edit_file {"path":"a.txt","old":"one","new":"two"}
[result of edit_file]
edited a.txt:1
[user]
Three, please.
-- model --
@edit_file
path: a.txt
old: two
new: three
-- tool: edit_file --
edited a.txt:1
-- model --
It says three.
-- after/a.txt --
three
-- stop: done_unchecked --
