//! The decisions of Ox, pure: a turn is a fold of events, and what should be in flight is computed from it.
//!
//! Nothing here performs I/O, awaits, reads a clock or draws a random number; time and chance arrive in events. The
//! same log therefore always folds to the same turn, and a crashed worker resumes by folding.

mod commands;
mod conversation;
pub mod intent;
mod permit;
pub mod price;
pub mod secrets;
pub mod test_runs;
pub mod verify;
mod want;
mod words;

pub use commands::{Rejected, decide};
pub use conversation::{Attempt, Conversation, REVIEW, resume};
pub use permit::{Verdict, always, can_grant, exactly, names_tool, permit};
pub use want::{AgentRun, ChecksRun, Want};
