//! What the code is: files, symbols, meaning and the graph between them. Everything here is derived from the working
//! tree and may be deleted and built again at any time.
//!
//! The crate never reads the tree by itself: it is handed what changed, so that there is one set of ignore rules. It
//! holds no truth, makes no decision and never stands in the way of a start: asking never waits for updating.

pub mod docs;
pub mod embed;
mod error;
mod files;
mod graph;
mod query;
mod search;
mod snapshot;
mod store;
mod update;

pub use error::IndexError;
pub use files::{FileState, HUGE, RULES, Rule};
pub use graph::{
    Companion, Impact, Reached, Resolver, Step, Target, Tests, Why, companions, dependency_order, reached, targets,
    tests_for,
};
pub use query::{Answer, Candidate, FileHit, Options, candidates, query, signal_names};
pub use search::{Fields, How, Place, RefPlace, Scope, Scored, Snippet, tokens};
pub use snapshot::{Commit, FileInfo, Snapshot};
pub use update::{Change, Index, Progress, Read, Report, Spent, Unsaved};
