An edit and the conclusion in one reply: it is judged after the edit. Beside a read, whose result nobody saw, it is refused; after
a command that failed it is not taken.

-- set --
allow: run_command(grep two a.txt)
-- repo/a.txt --
one
-- user --
Make it two.
-- model --
@read_file
path: a.txt
@attempt_completion
result: It says two.
-- tool: read_file --
one
[a.txt: 1 line]
-- refusal: not_alone --
Not run: beside a concluding call there may be edits and commands before it, nothing else. Look at the results of the others, then conclude.
-- prompt: new --
tool_choice: auto
[assistant]
@read_file {"path":"a.txt"}
@attempt_completion {"result":"It says two."}
[result of read_file]
one
[a.txt: 1 line]
[result of attempt_completion failed]
Not run: beside a concluding call there may be edits and commands before it, nothing else. Look at the results of the others, then conclude.
-- model --
@edit_file
path: a.txt
old: one
new: three
@run_command
command: grep two a.txt
@attempt_completion
result: It says two.
-- tool: edit_file --
edited a.txt:1
-- tool: run_command --
[no output; exit code 1]
-- tool: attempt_completion skipped --
not taken: `run_command` before it in this reply did not succeed. Look at its result, go on, then conclude.
-- prompt: new --
tool_choice: auto
[assistant]
@edit_file {"path":"a.txt","old":"one","new":"three"}
@run_command {"command":"grep two a.txt"}
@attempt_completion {"result":"It says two."}
[result of edit_file]
edited a.txt:1
[result of run_command]
[no output; exit code 1]
[result of attempt_completion failed]
not taken: `run_command` before it in this reply did not succeed. Look at its result, go on, then conclude.
-- model --
@edit_file
path: a.txt
old: one
new: two
@attempt_completion
result: It says two.
-- tool: edit_file failed --
`a.txt` was not edited. The search text is not in the file, and nothing in it is alike.
Take the lines from the file as it is now (read it again if in doubt) and send the edit again.
-- tool: attempt_completion skipped --
not taken: `edit_file` before it in this reply did not succeed. Look at its result, go on, then conclude.
-- model --
@edit_file
path: a.txt
old: three
new: two
@run_command
command: grep two a.txt
@attempt_completion
result: It says two.
-- tool: edit_file --
edited a.txt:1
-- tool: run_command --
two
-- after/a.txt --
two
-- stop: done_unchecked --
