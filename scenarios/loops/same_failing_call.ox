The same failing call is not tried for ever.

-- repo/a.txt --
one
-- user --
Make it two.
-- model --
@edit_file
path: a.txt
old: eins
new: zwei
-- tool: edit_file failed --
`a.txt` was not edited. The search text is not in the file, and nothing in it is alike.
Take the lines from the file as it is now (read it again if in doubt) and send the edit again.
-- model --
@list_files
-- tool: list_files --
a.txt
-- model --
@edit_file
path: a.txt
old: eins
new: zwei
-- tool: edit_file failed --
`a.txt` was not edited. The search text is not in the file, and nothing in it is alike.
Take the lines from the file as it is now (read it again if in doubt) and send the edit again.
-- model --
@edit_file
path: a.txt
old: eins
new: zwei
-- tool: edit_file failed --
`a.txt` was not edited. The search text is not in the file, and nothing in it is alike.
Take the lines from the file as it is now (read it again if in doubt) and send the edit again.
-- stop: repeated_failure --
