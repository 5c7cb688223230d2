//! The project's own checks (T9): found, run, and read into diagnostics.
//!
//! A check is a command line of the project. This module never judges whether a failure is new or held against anybody
//! (`ox_core::verify` does), and it never installs anything: what is missing is reported as unavailable.

mod discover;
mod language_server;
mod narrow;
mod parse;
mod paths;
pub(crate) mod rounds;
mod run;
pub(crate) mod runner;
mod scratch;
mod unavailable;

pub use discover::{discover, is_project};
pub use language_server::with_servers;
pub use narrow::narrow;
pub use parse::parse;
pub use run::{LiveCheck, run};
pub use scratch::Scratch;
pub use unavailable::seen_from_inside;

#[cfg(test)]
mod tests;
