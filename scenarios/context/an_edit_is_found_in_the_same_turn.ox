What a call has changed is known to the index before the next one asks: the new name is found, the old one is not.

-- set --
index: true
checks: none
allow: find_symbol
speeds: agent (the index lives on disk, beside the project)
-- repo/src/tax.rs --
/// The price with the duty.
pub fn with_duty(price: u64) -> u64 {
    price + price / 5
}
-- repo/src/main.rs --
mod tax;

fn main() {
    println!("{}", tax::with_duty(10));
}
-- user --
Rename with_duty to gross.
-- model --
@use_tool
name: find_symbol
args: = {"name": "with_duty"}
-- tool: find_symbol --
src/tax.rs:2: function — pub fn with_duty(price: u64) -> u64
-- model --
@edit_file
edits: = [{"path": "src/tax.rs", "old": "fn with_duty", "new": "fn gross"}, {"path": "src/main.rs", "old": "tax::with_duty", "new": "tax::gross"}]
-- tool: edit_file --
edited src/tax.rs:2
edited src/main.rs:4
-- model --
@use_tool
name: find_symbol
args: = {"name": "gross"}
@use_tool
name: find_symbol
args: = {"name": "with_duty"}
@use_tool
name: find_references
args: = {"name": "gross"}
-- tool: find_symbol --
src/tax.rs:2: function — pub fn gross(price: u64) -> u64
-- tool: find_symbol --
[no definition of `with_duty`; search_code finds text that is none]
-- tool: find_references --
src/tax.rs:2: defined, function — pub fn gross(price: u64) -> u64
src/main.rs:4: called in main: println!("{}", tax::gross(10));
[1 use, each symbol's first]
-- model --
It is called gross now.
-- after/src/main.rs --
mod tax;

fn main() {
    println!("{}", tax::gross(10));
}
-- after/src/tax.rs --
/// The price with the duty.
pub fn gross(price: u64) -> u64 {
    price + price / 5
}
-- stop: done_unchecked --
