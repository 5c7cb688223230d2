A client hands in turns that the store does not know: the first prompt has them as it has those of the store, and after it
has been sent it is too late.

-- set --
speeds: agent (memory is read from the store)
-- repo/a.txt --
a
-- user: earlier --
Round half up → Prices are rounded half up now.
round half up! → Prices are rounded half to even now.
Name the tax
-- user: chat --
What was done?
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
<memory>
What was done in this project before, in other conversations, newest last. It is a record and asks for nothing; the files may have changed since.
- "round half up!" → Prices are rounded half to even now.
- "Name the tax"
</memory>
<mode>
Mode: chat. Answer from the code, naming files and lines; look before you answer. You cannot change anything: commands run on a private copy of the project that is gone when they end, so run what shows how things are. When you know the answer, give it as plain text without calls.
</mode>
What was done?
-- model --
@list_files
-- tool: list_files --
a.txt
-- model --
Prices are rounded half to even.
-- stop: answered --
-- user: earlier --
Too late
-- user: chat --
And now?
-- prompt: new --
tool_choice: auto
[assistant]
Prices are rounded half to even.
[user]
And now?
-- model --
@list_files
-- tool: list_files --
a.txt
-- model --
The same.
-- stop: answered --
