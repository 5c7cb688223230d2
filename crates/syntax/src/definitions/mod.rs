//! Definitions: what they are, and which ones a name stands for.

mod definition;
mod lookup;

pub use definition::{Body, BodyForm, Definition, SymbolKind};
pub use lookup::{Lookup, definitions, find, literals};
