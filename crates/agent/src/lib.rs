//! The shell around the core: it keeps in flight what a turn wants, and leads a task through its seven phases.
//!
//! The agent never decides: what may run, what is retried and when a turn is done comes from `ox-core`. It never
//! prints, and nothing that may change the world is begun before its `ToolStart` is on disk.

mod advice;
mod back;
pub mod code;
mod driver;
pub mod embedding;
mod error;
mod fresh;
pub mod gather;
pub mod hooks;
mod journal;
mod keeping;
pub mod knowledge;
mod lacks;
mod losses;
pub mod memory;
mod moments;
mod programs;
mod redact;
mod serve;
pub mod server_checks;
mod session;
mod summary;
pub mod tape;
mod task;
mod turn;
mod world;

pub use back::asked;
pub use error::AgentError;
pub use journal::Journal;
pub use session::{Session, Setup};
pub use world::{Clock, FindChecks, OpenModel, RunChecks, RunTool, World, real_tools};
