A call that lacks an argument is answered with its schema.

-- repo/a.txt --
one
-- user --
Write something.
-- model --
@list_files
@write_file
content: two
-- tool: list_files --
a.txt
-- tool: write_file failed --
`write_file` was not run; its arguments do not fit:
- `path` is missing
Given: content.
Schema: {"type":"object","properties":{"path":{"type":"string"},"content":{"type":"string"},"why":{"type":"string","description":"in a few words"}},"required":["path","content"]}
-- model --
@write_file
path: b.txt
content: two
-- tool: write_file --
created b.txt (1 line)
-- model --
b.txt is there.
-- after/b.txt (no newline) --
two
-- stop: done_unchecked --
