An attempt that goes in circles fails; the next one begins afresh, told of the failure, and repairs it.

-- set --
repair_attempts: 1
speeds: agent (a further attempt has another prompt at each speed)
-- repo/a.txt --
one
-- user --
Make it two.
-- model --
@edit_file
path: a.txt
old: one
new: three
why: I guess
-- tool: edit_file --
edited a.txt:1
-- model --
@read_file
path: a.txt
-- tool: read_file --
three
[a.txt: 1 line]
-- model --
@read_file
path: a.txt
-- tool: read_file --
three
[a.txt: 1 line]
-- model --
@read_file
path: a.txt
-- tool: read_file --
three
[a.txt: 1 line]
-- prompt --
tool_choice: required
[user]
<environment>
Project `project`, linux, 2033-05-18. Paths are relative to the project's root, where commands run.
</environment>
<project>
Checks: `./check`
</project>
<files>
1 files in 0 folders
a.txt
</files>
<mode>
Mode: build. Change files with `edit_file` (many places in one call) and `write_file`, run commands with `run_command`, the project's checks with `run_checks`. Keep the steps of a larger task in `todo_write`.
When done, call `attempt_completion`: the files changed and why, how to verify it by hand, what is left undone. Ox then runs the checks; what newly fails comes back to you. Claim nothing that you have not seen.
</mode>
<repair>
An earlier attempt at this task failed (oscillation). You begin anew and have not seen it.
Its edits of a.txt are still in place; read them before you build on them.
Find the cause before you edit, and take another way than the attempt did where its way was wrong.
</repair>
Make it two.
-- model --
@edit_file
path: a.txt
old: three
new: two
-- tool: edit_file --
edited a.txt:1
-- model --
@attempt_completion
result: It says two.
-- check: pass --
-- after/a.txt --
two
-- stop: done --
