Arguments of a read that are almost JSON are mended.

-- set --
speeds: core agent openai anthropic (arguments in XML have no JSON that could be broken)
-- repo/a.txt --
one
-- user: chat --
What does a.txt say?
-- model --
@read_file {'path': 'a.txt',}
-- tool: read_file --
one
[a.txt: 1 line]
-- prompt: new --
tool_choice: auto
[assistant]
@read_file {"path":"a.txt"}
[result of read_file]
one
[a.txt: 1 line]
-- model --
It says one.
-- stop: answered --
