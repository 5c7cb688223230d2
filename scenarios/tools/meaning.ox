The index answers what code is about, what a file defines, and what a change reaches.

-- set --
index: true
checks: none
speeds: agent (the index lives on disk, beside the project)
-- repo/src/tax.rs --
/// Charges the duty on a price.
pub fn with_duty(price: u64) -> u64 {
    price + price / 5
}
-- repo/src/main.rs --
mod tax;

fn main() {
    println!("{}", tax::with_duty(10));
}
-- user: chat --
Who charges the duty, and who would notice a change?
-- model --
@use_tool
name: search_semantic
args: = {"query": "charge the duty", "limit": 1}
@use_tool
name: list_definitions
args: = {"path": "src"}
@use_tool
name: impact
args: = {"path": "src/tax.rs"}
-- tool: search_semantic --
src/tax.rs:1-4: with_duty (score 11.97)
/// Charges the duty on a price.
pub fn with_duty(price: u64) -> u64 {
    price + price / 5
}

[1 snippet; raise limit for more]
-- tool: list_definitions --
src/main.rs:1: mod tax
src/main.rs:3-5: fn main()
src/tax.rs:2-4: pub fn with_duty(price: u64) -> u64
-- tool: impact --
A change of src/tax.rs reaches:
src/main.rs:3: main — calls it
[1 place in 1 file]
-- model --
`with_duty` in src/tax.rs; main calls it.
-- stop: answered --
