In chat mode too a file outside the project is read only with consent, and a refusal reaches the model.

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
-- ask: read_file --
{"path":"../wishes.txt"}
approval.why.system · always: read_file
-- user: deny --
-- tool: read_file denied --
the user refused `read_file` on `/wishes.txt`. Do not try it again in another form; choose another way or ask.
-- model --
@list_files
-- tool: list_files --
a.txt
-- model --
I was not allowed to look there.
-- stop: answered --
