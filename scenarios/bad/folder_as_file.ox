A folder is not read as a file, and a file is not listed as a folder.

-- repo/src/a.rs --
fn a() {}
-- user: chat --
What is in src?
-- model --
@read_file
path: src
@list_files
path: src/a.rs
@list_files
path: src
-- tool: read_file --
src/a.rs
[src is a folder]
-- tool: list_files --
[src/a.rs is a file of 10 bytes]
-- tool: list_files --
src/a.rs
-- model --
One file.
-- stop: answered --
