A change of looks alone edits files; a command that could change something is not run.

-- set --
mode: auto
speeds: agent (only there a second model is asked)
checks: none
allow: run_command
router: {"class": "code_change", "scope": "style"}
-- repo/a.css --
a { color: red }
-- user --
Make it blue.
-- model --
@run_command
command: sed -i s/red/blue/ a.css
@read_file
path: a.css
-- tool: run_command denied --
this was taken for a change of looks or words alone: it edits files and runs no command that could change anything; the project's checks run at the end. Where more is needed, say so at the end, and the user can repeat it in build mode.
-- tool: read_file --
a { color: red }
[a.css: 1 line]
-- model --
@edit_file
path: a.css
old: red
new: blue
-- tool: edit_file --
edited a.css:1
-- model --
It is blue.
-- after/a.css --
a { color: blue }
-- stop: done_unchecked --
