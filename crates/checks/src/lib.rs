//! The project's own checks: found, run, and read into diagnostics.
//!
//! A check is a command line of the project. This crate never judges whether a failure is new or held against anybody
//! (`ox_core::verify` does), and it never installs anything: what is missing is reported as unavailable.

mod command;
mod discover;
pub mod fix;
mod narrow;
mod parse;
mod paths;
mod run;

pub use discover::{discover, fixers, is_project};
pub use narrow::{narrow, reached};
pub use parse::parse;
pub use run::earlier::RunEarlier;
pub use run::kept::Kept;
pub use run::red_green;
pub use run::rounds;
pub use run::scratch::Scratch;
pub use run::test_runs::{evidence, passed_tests};
pub use run::unavailable::seen_from_inside;
pub use run::{LiveCheck, run, run_without};

#[cfg(test)]
mod tests;
