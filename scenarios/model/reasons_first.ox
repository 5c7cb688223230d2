A model that reasons before it answers is never forced to call a tool.

-- set --
reasons: true
-- repo/a.txt --
one
-- user: chat --
What does a.txt say?
-- prompt --
tool_choice: auto
[user]
<environment>
Project `project`, linux, 2033-05-18. Paths are relative to the project's root, where commands run.
</environment>
<files>
1 files in 0 folders
a.txt
</files>
<named>
a.txt: exists
</named>
<mode>
Mode: chat. Answer from the code, naming files and lines; look before you answer. You cannot change anything: commands run on a private copy of the project that is gone when they end, so run what shows how things are. When you know the answer, give it as plain text without calls.
</mode>
What does a.txt say?
-- model --
@@think I should look at the file first.
@read_file
path: a.txt
-- tool: read_file --
one
[a.txt: 1 line]
-- prompt: new --
tool_choice: auto
[assistant]
<thought I should look at the file first.>
@read_file {"path":"a.txt"}
[result of read_file]
one
[a.txt: 1 line]
-- model --
It says one.
-- stop: answered --
