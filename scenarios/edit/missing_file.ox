A missing file is answered with the paths that are most like it.

-- repo/src/handler.rs --
fn handle() {}
-- repo/src/handlers/mod.rs --
mod web;
-- user --
Rename handle to serve.
-- model --
@read_file
path: src/handlr.rs
-- tool: read_file failed --
`src/handlr.rs` does not exist; did you mean `src/handler.rs`, `src/handlers`?
The project root is /repo.
-- model --
@edit_file
path: handler.rs
old: handle
new: serve
-- tool: edit_file failed --
`handler.rs` does not exist; did you mean `src/handler.rs`, `src/handlers`?
The project root is /repo.
-- model --
@edit_file
path: src/handler.rs
old: handle
new: serve
-- tool: edit_file --
edited src/handler.rs:1
-- model --
Renamed.
-- after/src/handler.rs --
fn serve() {}
-- stop: done_unchecked --
