Without anybody to ask, a command that is not allowed is refused, and one that is allowed runs.

-- set --
headless: true
allow: run_command(ls*)
-- repo/a.txt --
one
-- user --
Empty the folder.
-- model --
@run_command
command: rm -f a.txt
-- tool: run_command denied --
permission refused: `rm -f a.txt` needs the user's consent (deletes a.txt), and nobody can be asked in this run. Change files with the edit tools. Say at the end what was left undone.
-- model --
@run_command
command: ls
-- tool: run_command --
a.txt
-- model --
I was not allowed to remove a.txt.
-- stop: permission_refused --
