A question is answered from two files that are read side by side.

-- repo/src/lib.rs --
pub mod sum;
pub use sum::add;
-- repo/src/sum.rs --
pub fn add(a: i32, b: i32) -> i32 { a + b }
-- user: chat --
Where is add defined?
-- model --
I will look.
@read_file
path: src/lib.rs
@read_file
path: src/sum.rs
-- tool: read_file --
pub mod sum;
pub use sum::add;
[src/lib.rs: 2 lines]
-- tool: read_file --
pub fn add(a: i32, b: i32) -> i32 { a + b }
[src/sum.rs: 1 line]
-- model --
In src/sum.rs, and src/lib.rs gives it out again.
-- stop: answered --
