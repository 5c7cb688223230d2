Arguments that are no JSON are never guessed for an edit.

-- set --
speeds: core agent openai anthropic (arguments in XML have no JSON that could be broken)
-- repo/a.txt --
one
-- user --
Make it two.
-- model --
@edit_file {"path": "a.txt", "old": "one", "new": "two"
-- tool: edit_file failed --
`edit_file` was not run: its arguments cannot be read as JSON (EOF while parsing an object at line 1, column 44):
th": "a.txt", "old": "one", "new": "two"⟨here⟩
They end in the middle: the reply probably hit its output limit. Send less in one call, for example several smaller edits.
Schema: {"type":"object","properties":{"path":{"type":"string"},"old":{"type":"string"},"new":{"type":"string"},"line":{"type":"integer","description":"where `old` starts, if it is not unique"},"all":{"type":"boolean","description":"every occurrence"},"edits":{"type":"array","items":{"type":"object","properties":{"path":{"type":"string"},"old":{"type":"string"},"new":{"type":"string"},"line":{"type":"integer"},"all":{"type":"boolean"}},"required":["old","new"]}},"why":{"type":"string","description":"in a few words"}}}
-- prompt: new --
tool_choice: auto
[assistant]
@edit_file {"unparsed":"{\"path\": \"a.txt\", \"old\": \"one\", \"new\": \"two\""}
[result of edit_file failed]
`edit_file` was not run: its arguments cannot be read as JSON (EOF while parsing an object at line 1, column 44):
th": "a.txt", "old": "one", "new": "two"⟨here⟩
They end in the middle: the reply probably hit its output limit. Send less in one call, for example several smaller edits.
Schema: {"type":"object","properties":{"path":{"type":"string"},"old":{"type":"string"},"new":{"type":"string"},"line":{"type":"integer","description":"where `old` starts, if it is not unique"},"all":{"type":"boolean","description":"every occurrence"},"edits":{"type":"array","items":{"type":"object","properties":{"path":{"type":"string"},"old":{"type":"string"},"new":{"type":"string"},"line":{"type":"integer"},"all":{"type":"boolean"}},"required":["old","new"]}},"why":{"type":"string","description":"in a few words"}}}
-- model --
@edit_file
path: a.txt
old: one
new: two
-- tool: edit_file --
edited a.txt:1
-- model --
It says two.
-- after/a.txt --
two
-- stop: done_unchecked --
