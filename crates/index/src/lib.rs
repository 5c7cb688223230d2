//! What the code is: files, symbols, meaning and the graph between them. Everything here is derived from the working
//! tree and may be deleted and built again at any time.
//!
//! The crate never reads the tree by itself: it is handed what changed, so that there is one set of ignore rules. It
//! holds no truth, makes no decision and never stands in the way of a start. So far it knows languages by their file
//! names; the layers of the index are still to come, and nothing here pretends to be one.

mod change;
mod language;
mod snippet;

pub use change::Change;
pub use language::language;
pub use snippet::Snippet;
