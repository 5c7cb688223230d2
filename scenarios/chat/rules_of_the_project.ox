What AGENTS.md says stands before the user's words, the nearest file first.

-- set --
git: main
-- repo/AGENTS.md --
Indent with tabs.
-- repo/web/AGENTS.md --
In web, indent with two spaces.
-- repo/web/app.js --
start()
-- user: chat --
How is web/app.js indented?
-- prompt --
tool_choice: auto
[user]
<environment>
Project `project`, linux, 2033-05-18. Paths are relative to the project's root, where commands run.
</environment>
<project>
JavaScript (1 file)
</project>
<rules of="web/AGENTS.md">
In web, indent with two spaces.
</rules>
<rules of="AGENTS.md">
Indent with tabs.
</rules>
<files>
3 files in 1 folders
AGENTS.md
web/: AGENTS.md app.js
</files>
<git>
Branch main.
</git>
<named>
web/app.js: exists
</named>
<mode>
Mode: chat. Answer from the code, naming files and lines; look before you answer. You cannot change anything: commands run on a private copy of the project that is gone when they end, so run what shows how things are. When you know the answer, give it as plain text without calls.
</mode>
How is web/app.js indented?
-- model --
@read_file
path: web/app.js
-- tool: read_file --
start()
[web/app.js: 1 line]
-- model --
With two spaces.
-- stop: answered --
