//! What a file says: its symbols, what it refers to, what it imports, and the pieces it is cut into.

mod chunks;
mod extract;
mod model;
mod names;
mod symbols;
mod text;
mod walk;

pub(crate) use extract::extract;
pub use extract::{facts, facts_or_given_up};
pub use model::{Chunk, Facts, Import, ImportKind, MOST_IMPORTS, MOST_REFERENCES, RefKind, Reference, Symbol};
pub(crate) use walk::definitions;
