A short answer to the agent's question has the intent of that turn: the router is asked once.

-- set --
mode: auto
speeds: agent (only there a second model is asked)
checks: none
router: {"class": "code_change", "scope": "style"}
-- repo/a.css --
a { color: red }
-- user --
Change the colour.
-- model --
@attempt_completion
result: Which one, 1 blue or 2 green?
no_change: the user has to choose
-- stop: answered --
-- user --
2
-- model --
@run_command
command: sed -i s/red/green/ a.css
-- tool: run_command denied --
this was taken for a change of looks or words alone: it edits files and runs no command that could change anything; the project's checks run at the end. Where more is needed, say so at the end, and the user can repeat it in build mode.
-- model --
@edit_file
path: a.css
old: red
new: green
-- tool: edit_file --
edited a.css:1
-- model --
It is green.
-- after/a.css --
a { color: green }
-- stop: done_unchecked --
