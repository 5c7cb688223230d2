Where no language server and no MCP server is there, that is said with what to do instead.

-- set --
checks: none
speeds: agent (which servers there are depends on the machine's tools alone there)
-- repo/notes.txt --
lamp
-- user: build --
Rename lamp to light.
-- model --
@use_tool
name: language_server
args: = {"query": "references", "path": "notes.txt", "symbol": "lamp", "line": 1}
@use_mcp_tool
server_name: wiki
tool_name: search
arguments: = {"text": "lamp"}
@use_tool
name: mcp_resource
args: = {"server": "wiki"}
-- tool: language_server failed --
`notes.txt`: there are language servers for rs, py, pyi, ts, tsx, js, jsx, mts, cts, mjs, cjs, go, cpp, cc, cxx, c, hpp, hh, hxx, h only. Use search_code.
-- tool: mcp__wiki__search failed --
There is no tool `mcp__wiki__search`, or it is not known yet. find_tools with the query `wiki` brings the tools of that MCP server.
-- tool: mcp_resource failed --
No MCP server is called `wiki`; there are: .
-- model --
@use_tool
name: rename_symbol
args: = {"path": "notes.txt", "symbol": "lamp", "new_name": "light", "line": 1}
-- tool: rename_symbol failed --
`notes.txt`: there are language servers for rs, py, pyi, ts, tsx, js, jsx, mts, cts, mjs, cjs, go, cpp, cc, cxx, c, hpp, hh, hxx, h only. Use search_code.
-- model --
@edit_file
path: notes.txt
old: lamp
new: light
-- tool: edit_file --
edited notes.txt:1
-- model --
Renamed by hand.
-- after/notes.txt --
light
-- stop: done_unchecked --
