What a module is for is written beside its code and read from any file in it.

-- set --
checks: none
-- repo/lamp/src/lib.rs --
pub fn switch_on() {}
-- user --
Describe the lamp.
-- model --
@use_tool
name: module_doc_read
args: = {"path": "lamp/src/lib.rs"}
-- tool: module_doc_read failed --
There is no .ac.mod.md for `lamp/src/lib.rs`, nor in a folder above. module_doc_write makes one.
-- model --
@use_tool
name: module_doc_write
args: = {"path": "lamp", "content": "# lamp\nWhat shines: `switch_on`.\n"}
@use_tool
name: ac_mod_read
args: = {"path": "lamp/src/lib.rs"}
-- tool: module_doc_write --
created lamp/.ac.mod.md (2 lines)
-- tool: module_doc_read --
# lamp
What shines: `switch_on`.
[lamp/.ac.mod.md: 2 lines]
-- model --
Described in lamp/.ac.mod.md.
-- after/lamp/.ac.mod.md --
# lamp
What shines: `switch_on`.
-- stop: done_unchecked --
