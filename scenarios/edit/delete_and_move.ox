Files are moved and deleted through tools that are found first.

-- repo/old.txt --
keep me
-- repo/junk.txt --
junk
-- user --
Move old.txt into archive/ and remove junk.txt.
-- model --
@find_tools
query: move delete
-- tool: find_tools --
delete_file: Delete a file, or a folder with everything in it.
  args: {"type":"object","properties":{"path":{"type":"string"},"why":{"type":"string","description":"in a few words"}},"required":["path"]}
move_file: Move or rename a file or folder; folders on the way are made. References to it are not changed.
  args: {"type":"object","properties":{"from":{"type":"string"},"to":{"type":"string","description":"the new path, or an existing folder to move into"},"why":{"type":"string","description":"in a few words"}},"required":["from","to"]}
[call one with use_tool]
-- model --
@use_tool
name: move_file
args: = {"from": "old.txt", "to": "archive/old.txt"}
@use_tool
name: delete_file
args: = {"path": "junk.txt"}
-- tool: move_file --
moved old.txt to archive/old.txt
-- tool: delete_file --
deleted junk.txt
-- prompt: new --
tool_choice: auto
[assistant]
@use_tool {"name":"move_file","args":{"from":"old.txt","to":"archive/old.txt"}}
@use_tool {"name":"delete_file","args":{"path":"junk.txt"}}
[result of use_tool]
moved old.txt to archive/old.txt
[result of use_tool]
deleted junk.txt
-- model --
Moved and removed.
-- after/archive/old.txt --
keep me
-- after/junk.txt (deleted) --
-- after/old.txt (deleted) --
-- stop: done_unchecked --
