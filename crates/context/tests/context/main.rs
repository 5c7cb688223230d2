//! What the model reads, told as stories; and for any sequence of events that can happen, that providers accept it.

#![allow(clippy::unwrap_used)] // The tests' own steps may panic too.

mod build;
mod checks;
mod load;
mod log;
mod memory;
mod prune;
mod random;
mod transcript;
