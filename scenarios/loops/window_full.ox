Long results fill a small window: old ones are left out of what the model reads, and one of them is looked at again.

-- set --
window: 2800
max_output: 300
keep_iterations: 1
rewrites: a pruning leaves old results out
speeds: agent (how much is left out depends on the length of the prompt, which differs between formats)
-- repo/a.txt --
a line 0 of a text that is read once and long enough to count of a text that is read once and long enough to count of a text that is read once and long enough to count
a line 1 of a text that is read once and long enough to count of a text that is read once and long enough to count of a text that is read once and long enough to count
a line 2 of a text that is read once and long enough to count of a text that is read once and long enough to count of a text that is read once and long enough to count
a line 3 of a text that is read once and long enough to count of a text that is read once and long enough to count of a text that is read once and long enough to count
a line 4 of a text that is read once and long enough to count of a text that is read once and long enough to count of a text that is read once and long enough to count
a line 5 of a text that is read once and long enough to count of a text that is read once and long enough to count of a text that is read once and long enough to count
a line 6 of a text that is read once and long enough to count of a text that is read once and long enough to count of a text that is read once and long enough to count
a line 7 of a text that is read once and long enough to count of a text that is read once and long enough to count of a text that is read once and long enough to count
a line 8 of a text that is read once and long enough to count of a text that is read once and long enough to count of a text that is read once and long enough to count
a line 9 of a text that is read once and long enough to count of a text that is read once and long enough to count of a text that is read once and long enough to count
-- repo/b.txt --
b line 0 of a text that is read once and long enough to count of a text that is read once and long enough to count of a text that is read once and long enough to count
b line 1 of a text that is read once and long enough to count of a text that is read once and long enough to count of a text that is read once and long enough to count
b line 2 of a text that is read once and long enough to count of a text that is read once and long enough to count of a text that is read once and long enough to count
b line 3 of a text that is read once and long enough to count of a text that is read once and long enough to count of a text that is read once and long enough to count
b line 4 of a text that is read once and long enough to count of a text that is read once and long enough to count of a text that is read once and long enough to count
b line 5 of a text that is read once and long enough to count of a text that is read once and long enough to count of a text that is read once and long enough to count
b line 6 of a text that is read once and long enough to count of a text that is read once and long enough to count of a text that is read once and long enough to count
b line 7 of a text that is read once and long enough to count of a text that is read once and long enough to count of a text that is read once and long enough to count
b line 8 of a text that is read once and long enough to count of a text that is read once and long enough to count of a text that is read once and long enough to count
b line 9 of a text that is read once and long enough to count of a text that is read once and long enough to count of a text that is read once and long enough to count
-- repo/c.txt --
c line 0 of a text that is read once and long enough to count of a text that is read once and long enough to count of a text that is read once and long enough to count
c line 1 of a text that is read once and long enough to count of a text that is read once and long enough to count of a text that is read once and long enough to count
c line 2 of a text that is read once and long enough to count of a text that is read once and long enough to count of a text that is read once and long enough to count
c line 3 of a text that is read once and long enough to count of a text that is read once and long enough to count of a text that is read once and long enough to count
c line 4 of a text that is read once and long enough to count of a text that is read once and long enough to count of a text that is read once and long enough to count
c line 5 of a text that is read once and long enough to count of a text that is read once and long enough to count of a text that is read once and long enough to count
c line 6 of a text that is read once and long enough to count of a text that is read once and long enough to count of a text that is read once and long enough to count
c line 7 of a text that is read once and long enough to count of a text that is read once and long enough to count of a text that is read once and long enough to count
c line 8 of a text that is read once and long enough to count of a text that is read once and long enough to count of a text that is read once and long enough to count
c line 9 of a text that is read once and long enough to count of a text that is read once and long enough to count of a text that is read once and long enough to count
-- repo/d.txt --
d line 0 of a text that is read once and long enough to count of a text that is read once and long enough to count of a text that is read once and long enough to count
d line 1 of a text that is read once and long enough to count of a text that is read once and long enough to count of a text that is read once and long enough to count
d line 2 of a text that is read once and long enough to count of a text that is read once and long enough to count of a text that is read once and long enough to count
d line 3 of a text that is read once and long enough to count of a text that is read once and long enough to count of a text that is read once and long enough to count
d line 4 of a text that is read once and long enough to count of a text that is read once and long enough to count of a text that is read once and long enough to count
d line 5 of a text that is read once and long enough to count of a text that is read once and long enough to count of a text that is read once and long enough to count
d line 6 of a text that is read once and long enough to count of a text that is read once and long enough to count of a text that is read once and long enough to count
d line 7 of a text that is read once and long enough to count of a text that is read once and long enough to count of a text that is read once and long enough to count
d line 8 of a text that is read once and long enough to count of a text that is read once and long enough to count of a text that is read once and long enough to count
d line 9 of a text that is read once and long enough to count of a text that is read once and long enough to count of a text that is read once and long enough to count
-- user: chat --
Compare the four files.
-- model --
@read_file
path: a.txt
-- tool: read_file --
a line 0 of a text that is read once and long enough to count of a text that is read once and long enough to count of a text that is read once and long enough to count
a line 1 of a text that is read once and long enough to count of a text that is read once and long enough to count of a text that is read once and long enough to count
a line 2 of a text that is read once and long enough to count of a text that is read once and long enough to count of a text that is read once and long enough to count
a line 3 of a text that is read once and long enough to count of a text that is read once and long enough to count of a text that is read once and long enough to count
a line 4 of a text that is read once and long enough to count of a text that is read once and long enough to count of a text that is read once and long enough to count
a line 5 of a text that is read once and long enough to count of a text that is read once and long enough to count of a text that is read once and long enough to count
a line 6 of a text that is read once and long enough to count of a text that is read once and long enough to count of a text that is read once and long enough to count
a line 7 of a text that is read once and long enough to count of a text that is read once and long enough to count of a text that is read once and long enough to count
a line 8 of a text that is read once and long enough to count of a text that is read once and long enough to count of a text that is read once and long enough to count
a line 9 of a text that is read once and long enough to count of a text that is read once and long enough to count of a text that is read once and long enough to count
[a.txt: 10 lines]
-- model --
@read_file
path: b.txt
-- tool: read_file --
b line 0 of a text that is read once and long enough to count of a text that is read once and long enough to count of a text that is read once and long enough to count
b line 1 of a text that is read once and long enough to count of a text that is read once and long enough to count of a text that is read once and long enough to count
b line 2 of a text that is read once and long enough to count of a text that is read once and long enough to count of a text that is read once and long enough to count
b line 3 of a text that is read once and long enough to count of a text that is read once and long enough to count of a text that is read once and long enough to count
b line 4 of a text that is read once and long enough to count of a text that is read once and long enough to count of a text that is read once and long enough to count
b line 5 of a text that is read once and long enough to count of a text that is read once and long enough to count of a text that is read once and long enough to count
b line 6 of a text that is read once and long enough to count of a text that is read once and long enough to count of a text that is read once and long enough to count
b line 7 of a text that is read once and long enough to count of a text that is read once and long enough to count of a text that is read once and long enough to count
b line 8 of a text that is read once and long enough to count of a text that is read once and long enough to count of a text that is read once and long enough to count
b line 9 of a text that is read once and long enough to count of a text that is read once and long enough to count of a text that is read once and long enough to count
[b.txt: 10 lines]
-- model --
@read_file
path: c.txt
-- tool: read_file --
c line 0 of a text that is read once and long enough to count of a text that is read once and long enough to count of a text that is read once and long enough to count
c line 1 of a text that is read once and long enough to count of a text that is read once and long enough to count of a text that is read once and long enough to count
c line 2 of a text that is read once and long enough to count of a text that is read once and long enough to count of a text that is read once and long enough to count
c line 3 of a text that is read once and long enough to count of a text that is read once and long enough to count of a text that is read once and long enough to count
c line 4 of a text that is read once and long enough to count of a text that is read once and long enough to count of a text that is read once and long enough to count
c line 5 of a text that is read once and long enough to count of a text that is read once and long enough to count of a text that is read once and long enough to count
c line 6 of a text that is read once and long enough to count of a text that is read once and long enough to count of a text that is read once and long enough to count
c line 7 of a text that is read once and long enough to count of a text that is read once and long enough to count of a text that is read once and long enough to count
c line 8 of a text that is read once and long enough to count of a text that is read once and long enough to count of a text that is read once and long enough to count
c line 9 of a text that is read once and long enough to count of a text that is read once and long enough to count of a text that is read once and long enough to count
[c.txt: 10 lines]
-- model --
@@usage 2200 50
@read_file
path: d.txt
-- tool: read_file --
d line 0 of a text that is read once and long enough to count of a text that is read once and long enough to count of a text that is read once and long enough to count
d line 1 of a text that is read once and long enough to count of a text that is read once and long enough to count of a text that is read once and long enough to count
d line 2 of a text that is read once and long enough to count of a text that is read once and long enough to count of a text that is read once and long enough to count
d line 3 of a text that is read once and long enough to count of a text that is read once and long enough to count of a text that is read once and long enough to count
d line 4 of a text that is read once and long enough to count of a text that is read once and long enough to count of a text that is read once and long enough to count
d line 5 of a text that is read once and long enough to count of a text that is read once and long enough to count of a text that is read once and long enough to count
d line 6 of a text that is read once and long enough to count of a text that is read once and long enough to count of a text that is read once and long enough to count
d line 7 of a text that is read once and long enough to count of a text that is read once and long enough to count of a text that is read once and long enough to count
d line 8 of a text that is read once and long enough to count of a text that is read once and long enough to count of a text that is read once and long enough to count
d line 9 of a text that is read once and long enough to count of a text that is read once and long enough to count of a text that is read once and long enough to count
[d.txt: 10 lines]
-- prompt --
tool_choice: auto
[user]
To make room, this tells in short what happened earlier in this conversation. What the user said, rules, plan, todos and open errors stand here word for word. `recall` (through `use_tool`, argument `call`) shows the whole result of a call; files are as they are on disk, read them again where you need their text.

<environment>
Project `project`, linux, 2033-05-18. Paths are relative to the project's root, where commands run.
</environment>
<mode>
Mode: chat. Answer from the code, naming files and lines; look before you answer. You cannot change anything: commands run on a private copy of the project that is gone when they end, so run what shows how things are. When you know the answer, give it as plain text without calls.
</mode>

# What happened, oldest first
The user: Compare the four files.
- read_file a.txt → ok (call call_12_0)
- read_file b.txt → ok (call call_17_0)
- read_file c.txt → ok (call call_22_0)
[assistant]
@read_file {"path":"d.txt"}
[result of read_file]
d line 0 of a text that is read once and long enough to count of a text that is read once and long enough to count of a text that is read once and long enough to count
d line 1 of a text that is read once and long enough to count of a text that is read once and long enough to count of a text that is read once and long enough to count
d line 2 of a text that is read once and long enough to count of a text that is read once and long enough to count of a text that is read once and long enough to count
d line 3 of a text that is read once and long enough to count of a text that is read once and long enough to count of a text that is read once and long enough to count
d line 4 of a text that is read once and long enough to count of a text that is read once and long enough to count of a text that is read once and long enough to count
d line 5 of a text that is read once and long enough to count of a text that is read once and long enough to count of a text that is read once and long enough to count
d line 6 of a text that is read once and long enough to count of a text that is read once and long enough to count of a text that is read once and long enough to count
d line 7 of a text that is read once and long enough to count of a text that is read once and long enough to count of a text that is read once and long enough to count
d line 8 of a text that is read once and long enough to count of a text that is read once and long enough to count of a text that is read once and long enough to count
d line 9 of a text that is read once and long enough to count of a text that is read once and long enough to count of a text that is read once and long enough to count
[d.txt: 10 lines]
-- model --
@use_tool
name: recall
args: {"call": "call_12_0"}
-- tool: recall --
a line 0 of a text that is read once and long enough to count of a text that is read once and long enough to count of a text that is read once and long enough to count
a line 1 of a text that is read once and long enough to count of a text that is read once and long enough to count of a text that is read once and long enough to count
a line 2 of a text that is read once and long enough to count of a text that is read once and long enough to count of a text that is read once and long enough to count
a line 3 of a text that is read once and long enough to count of a text that is read once and long enough to count of a text that is read once and long enough to count
a line 4 of a text that is read once and long enough to count of a text that is read once and long enough to count of a text that is read once and long enough to count
a line 5 of a text that is read once and long enough to count of a text that is read once and long enough to count of a text that is read once and long enough to count
a line 6 of a text that is read once and long enough to count of a text that is read once and long enough to count of a text that is read once and long enough to count
a line 7 of a text that is read once and long enough to count of a text that is read once and long enough to count of a text that is read once and long enough to count
a line 8 of a text that is read once and long enough to count of a text that is read once and long enough to count of a text that is read once and long enough to count
a line 9 of a text that is read once and long enough to count of a text that is read once and long enough to count of a text that is read once and long enough to count
[a.txt: 10 lines]
-- model --
They differ in their first letter.
-- stop: answered --
