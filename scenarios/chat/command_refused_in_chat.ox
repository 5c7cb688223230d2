In chat mode commands are refused even where a rule allows them.

-- set --
speeds: core agent openai anthropic (in XML only offered names are taken for calls)
allow: run_command
-- repo/a.txt --
a
-- user: chat --
How long is a.txt?
-- model --
@run_command
command: wc -l a.txt
-- tool: run_command denied --
`run_command` is not available in chat mode, which only reads. Answer from what you can read, or say what you would change.
-- model --
@read_file
path: a.txt
-- tool: read_file --
a
[a.txt: 1 line]
-- model --
One line.
-- stop: answered --
