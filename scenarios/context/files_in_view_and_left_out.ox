Files that the user adds are in front of the model in each turn, whole or the lines that were named, and are sent again only
after they have changed outside; one that was left out is neither listed nor read, and is there again once it is let in.

-- set --
checks: none
speeds: agent (files are looked up on the disk)
-- repo/a.txt --
one
-- repo/b.txt --
first
second
third
-- repo/private/c.txt --
not for the model
-- user: add --
a.txt
b.txt:2-3
-- user: exclude --
private
-- user: chat --
What do they say?
-- prompt --
tool_choice: auto
[user]
<environment>
Project `project`, linux, 2033-05-18. Paths are relative to the project's root, where commands run.
</environment>
<files>
2 files in 0 folders
a.txt b.txt
</files>
<excluded>
The user left these files out; tools neither read nor list them: private
</excluded>
<added of="a.txt">
one
</added>
<added of="b.txt:2-3">
second
third
</added>
<mode>
Mode: chat. Answer from the code, naming files and lines; look before you answer. You cannot change anything: commands run on a private copy of the project that is gone when they end, so run what shows how things are. When you know the answer, give it as plain text without calls.
</mode>
What do they say?
-- model --
@read_file
path: private/c.txt
@list_files
-- tool: read_file failed --
`private/c.txt` was left out of this conversation by the user; it is neither read nor changed
-- tool: list_files --
a.txt
b.txt
-- model --
One, second and third.
-- user: chat --
And now?
-- prompt: new --
tool_choice: auto
[assistant]
One, second and third.
[user]
And now?
-- model --
The same.
-- stop: answered --
-- repo-change/a.txt --
two
-- user: drop --
b.txt
-- user: include --
private
-- user: chat --
And now?
-- prompt: new --
tool_choice: auto
[assistant]
The same.
[user]
<files>
3 files in 1 folders
a.txt b.txt
private/: c.txt
</files>
<added of="a.txt">
two
</added>
And now?
-- model --
@read_file
path: private/c.txt
-- tool: read_file --
not for the model
[private/c.txt: 1 line]
-- model --
Two.
-- stop: answered --
