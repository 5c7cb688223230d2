//! The tools: one file each with its schema, the words a model reads, what it does, and its tests.
//!
//! A tool never decides whether it may run (it states facts, the core decides), starts no process but through the
//! runner it is handed, and writes no file but through the tree. Whatever goes wrong is told to the model as text.

mod args;
mod builtin;
mod call;
mod edit;
mod jobs;
mod session;
mod text;

#[cfg(test)]
mod tests;

pub use call::context::{CallContext, OpenPainter, OpenPullRequest, ToolEnv};
pub use call::diagnostics::new_diagnostics;
pub use call::error::ToolError;
pub use call::tool::{Alias, Availability, Need, Operation, PathAccess, Run, RunAsync, Tool, ToolResult, object};
pub use call::toolbox::Toolbox;
pub use edit::draft::EditPlan;
pub use edit::patch::plan;
pub use jobs::{Jobs, Watcher};
pub use session::checkpoints::TurnCheckpoints;
pub use session::code_index::CodeIndex;
pub use session::entry::entry_at;
pub use session::read_log::ReadLog;
pub use session::sandbox_policy::SandboxPolicy;
pub use session::sources::DocumentSources;
pub use session::todo_board::TodoBoard;
pub use text::{output, plain};
