The model looks at a repository's history: who wrote a line, what was committed, what is not committed yet.

-- set --
allow: run_command
checks: none
speeds: agent (the history is git's)
-- repo/a.txt --
one
-- repo/b.txt --
b
-- user --
Begin a repository and change both files.
-- model --
@run_command
command: git init -q -b main && git config user.name a && git config user.email a@b.example && git add . && GIT_AUTHOR_DATE='2033-05-18T03:33:20Z' GIT_COMMITTER_DATE='2033-05-18T03:33:20Z' git commit -q -m Begin
-- ask: run_command --
git init -q -b main && git config user.name a && git config user.email a@b.example && git add . && GIT_AUTHOR_DATE='2033-05-18T03:33:20Z' GIT_COMMITTER_DATE='2033-05-18T03:33:20Z' git commit -q -m Begin
approval.why.system · always: run_command(git init -q -b main && git config user.name a && git config user.email a@b.example && git add . && GIT_AUTHOR_DATE='2033-05-18T03:33:20Z' GIT_COMMITTER_DATE='2033-05-18T03:33:20Z' git commit -q -m Begin)
-- user: allow --
-- tool: run_command --
[no output]
-- model --
@use_tool
name: git_blame
args: = {"path": "b.txt"}
@use_tool
name: git_log
args: = {"limit": 1}
-- tool: git_blame --
^fc3d2940 (a 2033-05-18 1) b
-- tool: git_log --
fc3d294 2033-05-18 a: Begin
-- model --
@edit_file
path: a.txt
old: one
new: two
@edit_file
path: b.txt
old: b
new: c
@use_tool
name: git_diff
args: = {"path": "a.txt"}
-- tool: edit_file --
edited a.txt:1
-- tool: edit_file --
edited b.txt:1
-- tool: git_diff --
diff --git a/a.txt b/a.txt
index 5626abf..f719efd 100644
--- a/a.txt
+++ b/a.txt
@@ -1 +1 @@
-one
+two
-- model --
Both files are changed.
-- after/a.txt --
two
-- after/b.txt --
c
-- stop: done_unchecked --
