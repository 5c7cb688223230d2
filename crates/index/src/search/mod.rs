//! Search over the contents of files: by words (BM25 with fields), by names of symbols, and by many words in one place.

mod bm25;
mod cover;
mod snippet;
mod symbols;
mod tokens;

pub use bm25::{Fields, Scope, Scored};
pub(crate) use bm25::{best, idf, saturated};
pub use snippet::Snippet;
pub use symbols::{How, Place, RefPlace};
pub use tokens::tokens;
pub(crate) use tokens::{Splitter, subwords};
