A tool that does not exist is answered with those that do.

-- set --
speeds: core agent openai anthropic (in XML only offered names are taken for calls)
-- repo/a.txt --
one
-- user: chat --
What does a.txt say?
-- model --
@teleport
to: a.txt
-- tool: teleport failed --
There is no tool `teleport`. find_tools lists the tools there are beside those of the request.
-- model --
@read_file
path: a.txt
-- tool: read_file --
one
[a.txt: 1 line]
-- model --
It says one.
-- stop: answered --
