In chat mode an edit is refused, and the model says what it would change.

-- set --
speeds: core agent openai anthropic (in XML only offered names are taken for calls)
-- repo/src/lib.rs --
pub fn add(a: i32, b: i32) -> i32 { a - b }
-- user: chat --
Why is add(2, 2) zero? Fix it.
-- model --
@read_file
path: src/lib.rs
-- tool: read_file --
pub fn add(a: i32, b: i32) -> i32 { a - b }
[src/lib.rs: 1 line]
-- model --
@edit_file
path: src/lib.rs
old: a - b
new: a + b
-- tool: edit_file denied --
`edit_file` is not available in chat mode, which only reads. Answer from what you can read, or say what you would change.
-- model --
It subtracts. In build mode I would replace `a - b` by `a + b` in src/lib.rs.
-- stop: answered --
