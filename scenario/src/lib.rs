//! Whole sessions as text files, run at three speeds.
//!
//! A scenario says what the outside env does; what Ox does about it stands beside it and is compared. Ox itself uses
//! [`from_log`] alone. Nothing speaks to the network beyond this machine, and only the agent speed rewrites a file.

mod compare;
mod error;
mod files;
mod from_log;
mod knobs;
mod moves;
#[cfg(test)]
mod prefix_tests;
mod run;
mod scribe;
mod show;
pub mod speed;
mod story;
pub mod text;
pub mod wire;

pub use error::ScenarioError;
pub use files::write_project;
pub use from_log::from_log;
pub use knobs::{KEYS, Knobs, Speed};
pub use run::{retell_file, run_file};
