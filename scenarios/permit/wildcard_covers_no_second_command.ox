A rule for one command does not cover another one that is hung on to it.

-- set --
headless: true
allow: run_command(ls*)
-- repo/a.txt --
one
-- user --
Look around.
-- model --
@run_command
command: ls; rm a.txt
-- tool: run_command denied --
permission refused: `ls; rm a.txt` needs the user's consent (deletes a.txt), and nobody can be asked in this run. Change files with the edit tools. Say at the end what was left undone.
-- model --
@run_command
command: ls && rm a.txt
-- tool: run_command denied --
permission refused: `ls && rm a.txt` needs the user's consent (deletes a.txt), and nobody can be asked in this run. Change files with the edit tools. Say at the end what was left undone.
-- model --
I could not.
-- stop: permission_refused --
