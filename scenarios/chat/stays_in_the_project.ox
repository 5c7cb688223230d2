In chat mode nothing outside the project is read, not even with consent.

-- set --
speeds: agent wire (the paths of a call are resolved on the disk)
-- repo/a.txt --
one
-- repo/../wishes.txt --
make it two
-- user: chat --
What does ../wishes.txt say?
-- model --
@read_file
path: ../wishes.txt
-- tool: read_file denied --
`read_file` on `/wishes.txt` reaches outside the project, which chat mode does not. Answer from the project, or ask the user to switch to build mode.
-- model --
@list_files
-- tool: list_files --
a.txt
-- model --
I cannot look there in chat mode.
-- stop: answered --
