//! The working tree: the only code that writes to the user's files, and the one set of rules about which files those are.
//!
//! Every path is resolved, links included, and held against the project root at the moment of use; nothing outside the
//! root and the explicitly added folders is ever read or written, and `.git` internals and secrets are never written.
//! Every write replaces a file atomically, and several changes are made together or not at all. This crate starts no process: it only words git's command line ([`git`]).

mod attributes;
mod beneath;
mod checkpoint;
mod codec;
mod consent;
mod encoding;
mod error;
#[cfg(test)]
mod fault;
pub mod git;
mod hash;
pub mod history;
mod lines;
mod locate;
mod lock;
mod protect;
mod reach;
mod read;
mod remove;
mod similar;
mod snapshot;
mod spelling;
mod states;
mod sys;
mod transaction;
mod tree;
mod walk;
mod watch;
mod write;

pub use checkpoint::{
    Back, Checkpoint, Checkpoints, Limits, Note, Point, Pruned, Restored, Skip, Skipped, Taken, Went,
};
pub use encoding::Encoding;
pub use error::RepoError;
pub use hash::Hash;
pub use lines::Lines;
pub use locate::{Access, Located};
pub use reach::{PathOp, Reach};
pub use read::{FileText, WHOLE};
pub use snapshot::{Snapshot, Stat};
pub use states::{State, States};
pub use transaction::{Applied, Change, Kept, Recovery, Transaction};
pub use tree::Tree;
pub use walk::{Entry, WalkOptions};
pub use watch::Watch;
