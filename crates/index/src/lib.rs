//! What the code is: files, symbols, meaning and the graph between them. Everything here is derived from the working
//! tree and may be deleted and built again at any time.
//!
//! The crate never reads the tree by itself: it is handed what changed, so that there is one set of ignore rules. It
//! holds no truth, makes no decision and never stands in the way of a start: asking never waits for updating.

mod build;
mod change;
mod definition;
pub mod docs;
mod edges;
pub mod embed;
mod embedded;
mod error;
mod facts;
mod files;
mod graph;
mod history;
mod index;
mod keeping;
mod language;
mod languages;
mod lines;
mod live;
mod meaning;
mod names;
mod order;
mod parse;
mod paths;
mod query;
mod reach;
mod recall;
mod report;
mod snapshot;
mod snippet;
mod store;
mod symbols;
mod syntax;
mod tokens;
mod walk;

pub use build::Read;
pub use change::Change;
pub use definition::{Body, Definition};
pub use edges::Edges;
pub use error::IndexError;
pub use facts::{Chunk, Facts, Import, ImportKind, MOST_IMPORTS, MOST_REFERENCES, RefKind, Reference, Symbol, facts};
pub use files::{FileState, HUGE, RULES, Rule};
pub use graph::{
    Companion, Graph, Impact, Project, Reached, Resolver, Step, Target, Tie, UsedAt, Why, companions, impact, impacts,
    implied, is_test, resolve, runners, ties,
};
pub use history::Commit;
pub use index::Index;
pub use language::language;
pub use languages::{Form, Kind};
pub use meaning::{Fields, Scope, Scored};
pub use names::{How, Place, RefPlace};
pub use order::dependency_order;
pub use query::{Answer, Candidate, FileHit, Options, Weights, candidates, query, signal_names};
pub use reach::{Tests, reached, targets, tests_for};
pub use report::{Progress, Report, Spent, Unsaved};
pub use snapshot::{FileInfo, Snapshot};
pub use snippet::Snippet;
pub use symbols::{Found, definitions, find, literals};
pub use syntax::{Fault, check, parses};
pub use tokens::tokens;
