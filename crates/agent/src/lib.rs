//! What surrounds the core: it keeps in flight what a turn wants, and leads a task through its seven phases.
//!
//! The agent never decides: what may run, what is retried and when a turn is done comes from `ox-core`. It never
//! prints, and nothing that may change files or processes is begun before its `ToolStart` is on disk.

mod advice;
mod checkpoint_guard;
pub mod code;
mod committed;
mod driver;
mod editor;
pub mod embedding;
mod env;
mod error;
mod excluded;
mod freshness;
pub mod hooks;
mod journal;
mod lacks;
pub mod memory;
mod mentions;
pub mod model_traffic;
mod notes;
pub mod programs;
pub mod project_index;
pub mod prompt_context;
mod redact;
mod repair;
mod router;
mod serve;
pub mod server_checks;
mod session;
mod skill;
pub mod subagents;
mod summary;
mod task;
mod turn;
mod uncommitted;
mod undo;
mod user_command;

pub use editor::{Editor, OpenFiles};
pub use env::{
    Clock, FindChecks, FindFixers, OpenModel, PreviewCall, RunChecks, RunFixers, RunTool, SessionEnv, real_tools,
};
pub use error::AgentError;
pub use journal::Journal;
pub use redact::text as without_secrets;
pub use session::{Session, Setup, turn_rules};
pub use undo::asked;
