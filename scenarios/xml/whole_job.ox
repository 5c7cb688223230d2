A model that knows no native tools does a whole job.

-- set --
tools: xml
-- repo/src/lib.rs --
pub fn max(a: i32, b: i32) -> bool { a > b && b > 0 }
-- user --
The body of max is wrong for b = 0.
-- model --
@read_file
path: src/lib.rs
@search_code
pattern: max\(
-- tool: read_file --
pub fn max(a: i32, b: i32) -> bool { a > b && b > 0 }
[src/lib.rs: 1 line]
-- tool: search_code --
src/lib.rs
1:pub fn max(a: i32, b: i32) -> bool { a > b && b > 0 }
-- model --
@edit_file
path: src/lib.rs
old: a > b && b > 0
new: a > b
why: <b> need not be positive & never did
-- tool: edit_file --
edited src/lib.rs:1
-- model --
@attempt_completion
result: max compares a and b alone.
-- check: pass --
-- after/src/lib.rs --
pub fn max(a: i32, b: i32) -> bool { a > b }
-- stop: done --
