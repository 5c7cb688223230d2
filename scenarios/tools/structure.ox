The folders of a project are shown to a depth, and what is asked to be left out is.

-- repo/src/lib.rs --
mod deep;
-- repo/src/deep/mod.rs --
mod er;
-- repo/src/deep/er/mod.rs --
fn f() {}
-- repo/docs/guide.md --
# Guide
-- user: chat --
How is this laid out?
-- model --
@use_tool
name: project_structure
args: = {}
@use_tool
name: get_project_structure
args: = {"path": "src", "depth": 5, "exclude": "er"}
-- tool: project_structure --
docs/
  guide.md
src/
  deep/ (1 folder, 2 files)
  lib.rs
[4 folders, 4 files]
-- tool: project_structure --
deep/
  mod.rs
lib.rs
[1 folder, 2 files]
-- model --
Code is in src, words are in docs.
-- stop: answered --
