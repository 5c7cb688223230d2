A prompt that the provider finds too long is made shorter: what can be looked up again goes, what the user said stays.

-- set --
speeds: agent wire (the fold alone has no sections that could be left out)
rewrites: the pruning leaves sections out
-- repo/a.txt --
one
-- user: chat --
What does a.txt say?
-- model: fail 400 prompt is too long: 250000 tokens > 200000 maximum --
-- prompt --
tool_choice: auto
[user]
<environment>
Project `project`, linux, 2033-05-18. Paths are relative to the project's root, where commands run.
</environment>
<mode>
Mode: chat. Answer from the code, naming files and lines; look before you answer. You cannot change anything: commands run on a private copy of the project that is gone when they end, so run what shows how things are. When you know the answer, give it as plain text without calls.
</mode>
What does a.txt say?
-- model --
@read_file
path: a.txt
-- tool: read_file --
one
[a.txt: 1 line]
-- model --
It says: one.
-- stop: answered --
