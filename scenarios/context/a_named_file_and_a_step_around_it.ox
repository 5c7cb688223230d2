Somebody grants the index more than a list: the first prompt has the named file, what is one step from it, and its test. A
later question about the same sends only what is news.

-- set --
index: true
context_tokens: 3000
mode: chat
checks: none
speeds: agent (the index lives on disk, beside the project)
-- repo/Cargo.toml --
[package]
name = "shop"
-- repo/AGENTS.md --
Prices are whole cents.
-- repo/src/.ac.mod.md --
# Prices
Everything that makes a price.
-- repo/src/tax.rs --
/// The price with the duty.
pub fn with_duty(price: u64) -> u64 {
    price + price / 5
}
-- repo/src/basket.rs --
use crate::tax::with_duty;

/// What a basket costs.
pub fn total(prices: &[u64]) -> u64 {
    prices.iter().map(|it| with_duty(*it)).sum()
}
-- repo/src/main.rs --
mod basket;
mod tax;

fn main() {
    println!("{}", basket::total(&[10]));
}
-- repo/tests/tax.rs --
use shop::tax::with_duty;

#[test]
fn a_fifth_is_added() {
    assert_eq!(with_duty(10), 12);
}
-- user --
Why does with_duty in src/tax.rs add a fifth?
-- prompt --
tool_choice: auto
[user]
<environment>
Project `project`, linux, 2033-05-18. Paths are relative to the project's root, where commands run.
</environment>
<project>
Rust (4 files), Cargo.toml
Entry points: src/main.rs
</project>
<rules of="AGENTS.md">
Prices are whole cents.
</rules>
<files>
6 files in 2 folders
AGENTS.md Cargo.toml
src/: basket.rs main.rs tax.rs
tests/: tax.rs
</files>
<map>
Likely places, best first, by Ox's index (a guess: verify). `line name`; tests by name.
src/tax.rs [test tests/tax.rs]
src/basket.rs: 3 total
tests/tax.rs: 3 a_fifth_is_added
src/main.rs: 4 main
</map>
<beside>
Notes on the module: src/.ac.mod.md (Everything that makes a price.)
</beside>
<code of="src/tax.rs:1-4">
/// The price with the duty.
pub fn with_duty(price: u64) -> u64 {
    price + price / 5
}
</code>
<code of="src/basket.rs:1-6">
use crate::tax::with_duty;

/// What a basket costs.
pub fn total(prices: &[u64]) -> u64 {
    prices.iter().map(|it| with_duty(*it)).sum()
}
</code>
<code of="src/main.rs:1-6">
mod basket;
mod tax;

fn main() {
    println!("{}", basket::total(&[10]));
}
</code>
<test of="tests/tax.rs:1-6">
use shop::tax::with_duty;

#[test]
fn a_fifth_is_added() {
    assert_eq!(with_duty(10), 12);
}
</test>
<doc of="src/.ac.mod.md:1-2">
# Prices
Everything that makes a price.
</doc>
<mode>
Mode: chat. Answer from the code, naming files and lines; look before you answer. You cannot change anything: commands run on a private copy of the project that is gone when they end, so run what shows how things are. When you know the answer, give it as plain text without calls.
</mode>
Why does with_duty in src/tax.rs add a fifth?
-- model --
@read_file
path: src/main.rs
-- tool: read_file --
mod basket;
mod tax;

fn main() {
    println!("{}", basket::total(&[10]));
}
[src/main.rs: 6 lines]
-- model --
Nobody says why.
-- user --
And who uses with_duty in src/tax.rs?
-- prompt: new --
tool_choice: auto
[assistant]
Nobody says why.
[user]
And who uses with_duty in src/tax.rs?
-- model --
@search_code
pattern: with_duty
-- tool: search_code --
src/basket.rs
1:use crate::tax::with_duty;
5:    prices.iter().map(|it| with_duty(*it)).sum()

src/tax.rs
2:pub fn with_duty(price: u64) -> u64 {

tests/tax.rs
1:use shop::tax::with_duty;
5:    assert_eq!(with_duty(10), 12);
-- model --
The basket.
-- stop: answered --
