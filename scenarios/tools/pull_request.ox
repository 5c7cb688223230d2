A branch is pushed and its pull request opened once the user has said yes.

-- set --
git_host: true
allow: run_command
checks: none
speeds: agent (the history is git's, and a server answers)
-- repo/sum.txt --
a - b
-- user --
Mend the sign and open a pull request.
-- model --
@run_command
command: git init -q -b main && git config user.name a && git config user.email a@b.example && git add . && git commit -q -m Begin && git init -q --bare ../remote.git && git remote add origin https://github.com/octo/hello.git && git remote set-url --push origin ../remote.git && git checkout -q -b fix
-- ask: run_command --
git init -q -b main && git config user.name a && git config user.email a@b.example && git add . && git commit -q -m Begin && git init -q --bare ../remote.git && git remote add origin https://github.com/octo/hello.git && git remote set-url --push origin ../remote.git && git checkout -q -b fix
approval.why.system · always: run_command(git init -q -b main && git config user.name a && git config user.email a@b.example && git add . && git commit -q -m Begin && git init -q --bare ../remote.git && git remote add origin https://github.com/octo/hello.git && git remote set-url --push origin ../remote.git && git checkout -q -b fix)
-- user: allow --
-- tool: run_command --
[no output]
-- model --
@edit_file
path: sum.txt
old: a - b
new: a + b
-- tool: edit_file --
edited sum.txt:1
-- model --
@use_tool
name: git_commit
args: = {"message": "Mend the sign", "paths": ["sum.txt"]}
-- tool: git_commit unchanged --
committed COMMIT Mend the sign (1 file changed, 1 insertion(+), 1 deletion(-))
sum.txt
-- model --
@use_tool
name: open_pull_request
args: = {"title": "Mend the sign", "body": "It subtracted."}
-- ask: open_pull_request --
{"title":"Mend the sign","body":"It subtracted."}
approval.why.system · always: open_pull_request
-- user: allow --
-- tool: open_pull_request unchanged --
pushed `fix`; its pull request is https://github.com/octo/hello/pull/7 (fix into main: Mend the sign)
-- model --
@run_command
command: git -C ../remote.git log --format=%s fix
-- ask: run_command --
git -C ../remote.git log --format=%s fix
approval.why.system · always: run_command(git -C ../remote.git log --format=%s fix)
-- user: allow --
-- tool: run_command --
Mend the sign
Begin
-- model --
Opened.
-- after/sum.txt --
a + b
-- stop: done_unchecked --
