//! Any bytes as a text and an edit of it: `cargo +nightly fuzz run edit`.
//!
//! What must hold, and how bytes become an edit, is told once in `crates/edit/tests/hostile/any.rs`; the test beside it
//! runs the same check on random bytes and on changed copies of this folder's corpus.

#![no_main]

#[path = "../../crates/edit/tests/hostile/any.rs"]
mod any;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| any::check(bytes));
