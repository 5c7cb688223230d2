The model fixes a sign, fails a check once, repairs, and stops.

-- repo/src/lib.rs --
pub fn add(a: i32, b: i32) -> i32 { a - b }
-- user --
add(2, 2) gives 0. Fix it.
-- model --
The sign is wrong.
@read_file
path: src/lib.rs
-- tool: read_file --
pub fn add(a: i32, b: i32) -> i32 { a - b }
[src/lib.rs: 1 line]
-- model --
@edit_file
path: src/lib.rs
old: a - b
new: a * b
-- tool: edit_file --
edited src/lib.rs:1
-- model --
Fixed.
-- check: fail --
add(2, 3): expected 5, got 6
-- prompt: new --
tool_choice: required
[assistant]
Fixed.
[user]
Checks fail: round 1 of 5.

check (`./check`) failed with exit code 1:
add(2, 3): expected 5, got 6

Changed so far: src/lib.rs.

Find the root cause; read or search before you edit. Make the smallest fix, suppress nothing, leave assertions alone, break no other test. If your approach is wrong, change it.
-- model --
@edit_file
path: src/lib.rs
old: a * b
new: a + b
-- tool: edit_file --
edited src/lib.rs:1
-- model --
Fixed: add now adds.
-- check: pass --
-- after/src/lib.rs --
pub fn add(a: i32, b: i32) -> i32 { a + b }
-- stop: done --
