A turn that hit its limit is taken up again and finished.

-- set --
max_iterations: 1
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
-- stop: iteration_limit --
-- user: continue --
-- prompt: new --
tool_choice: auto
[assistant]
@edit_file {"path":"a.txt","old":"one","new":"two"}
[result of edit_file]
edited a.txt:1
[user]
Continue where you stopped.
-- model --
It says two.
-- after/a.txt --
two
-- stop: done_unchecked --
