//! How files hang together: what an import stands for, what belongs together by name, and what a change reaches.
//!
//! Everything here is computed from names and from what a snapshot answers. No file is opened, nothing is started, and every
//! answer is bounded.

mod companions;
mod edges;
mod impact;
mod imports;
mod order;
pub(crate) mod paths;
mod reach;
mod reached;
mod users;
mod visible;

pub use companions::{Companion, companions};
pub use imports::Resolver;
pub use order::dependency_order;
pub use reach::{Tests, reached, targets, tests_for};
pub use reached::{Impact, Reached, Step, Target, Why};
