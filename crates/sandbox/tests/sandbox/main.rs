//! Commands in the sandbox: that they work, what they cannot do, and that nothing of them is left.

#![allow(clippy::unwrap_used)] // The tests' own steps may panic too.

mod later;
mod limits;
mod names;
mod place;
mod reach;
mod running;
mod tools;
mod user;
mod works;
