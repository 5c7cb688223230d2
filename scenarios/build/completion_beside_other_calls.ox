Finishing in the same breath as editing is refused; the edit stands.

-- repo/a.txt --
one
-- user --
Make it two.
-- model --
@edit_file
path: a.txt
old: one
new: two
@attempt_completion
result: It says two.
-- tool: edit_file --
edited a.txt:1
@@ -1,1 +1,1 @@
-one
+two
-- refusal: not_alone --
Not run: a concluding call must be the only call of its reply. Look at the results of the others, then conclude.
-- prompt: new --
tool_choice: auto
[assistant]
@edit_file {"path":"a.txt","old":"one","new":"two"}
@attempt_completion {"result":"It says two."}
[result of edit_file]
edited a.txt:1
@@ -1,1 +1,1 @@
-one
+two
[result of attempt_completion failed]
Not run: a concluding call must be the only call of its reply. Look at the results of the others, then conclude.
-- model --
@attempt_completion
result: It says two.
-- after/a.txt --
two
-- stop: done_unchecked --
