//! What the code is: files, symbols, meaning and the graph between them. Everything here is derived from the working
//! tree and may be deleted and built again at any time.
//!
//! The crate never reads the tree by itself: it is handed what changed, so that there is one set of ignore rules. It
//! holds no truth, makes no decision and never stands in the way of a start: asking never waits for updating.

pub mod docs;
mod error;
mod graph;
mod query;
mod search;
mod snapshot;
mod store;

pub use error::IndexError;
pub use graph::{
    Companion, Impact, Reached, Resolver, Step, Target, Tests, Why, companions, dependency_order, reached, targets,
    tests_for,
};
pub use query::{Answer, Candidate, FileHit, Options, Snippet, candidates, query, signal_names};
pub use search::embed;
pub use search::{Fields, How, Place, RefPlace, Scope, Scored, tokens};
pub use snapshot::{Commit, FileInfo, Snapshot};
pub use store::files::{FileState, HUGE, RULES, Rule, is_generated_name};
pub use store::update::{Change, Index, Progress, Read, Report, Spent, Unsaved};
