//! The working tree: the only code that writes to the user's files, and the one set of rules about which files those are.
//!
//! Every path is resolved, links included, and held against the project root at the moment of use; nothing outside the
//! root and the explicitly added folders is ever read or written, and `.git` internals and secrets are never written.
//! Every write replaces a file atomically, and several changes are made together or not at all. This crate starts no process: it only words git's command line ([`git`]).

mod attributes;
mod beneath;
mod change;
mod checkpoint;
mod codec;
mod consent;
mod encoding;
mod error;
pub mod git;
mod globs;
mod hash;
pub mod history;
mod lines;
mod locate;
mod located;
mod lock;
mod protect;
mod reach;
mod read;
mod remove;
mod similar;
mod snapshot;
mod spelling;
mod stamp;
mod states;
mod sys;
#[cfg(test)]
mod tests;
mod transaction;
mod tree;
mod unsaved;
mod walk;
mod watch;
mod write;

pub use change::recovery::{Kept, Recovery};
pub use checkpoint::{
    Checkpoint, Checkpoints, Limits, Note, Point, Pruned, Restored, Skip, Skipped, Taken, UndoOutcome, UndoPreview,
};
pub use encoding::Encoding;
pub use error::RepoError;
pub use globs::covers;
pub use hash::Hash;
pub use lines::Lines;
pub use locate::Access;
pub use located::Located;
pub use reach::{PathOp, Reach};
pub use read::{FileText, WHOLE};
pub use snapshot::{Snapshot, Stat};
pub use states::{State, States};
pub use transaction::{Applied, Change, Transaction};
pub use tree::Tree;
pub use unsaved::Unsaved;
pub use walk::{Entry, WalkOptions};
pub use watch::{Waker, Watch};
