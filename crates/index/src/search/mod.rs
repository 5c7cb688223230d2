//! Search over the contents of files: by words (BM25 with fields), by names of symbols, by many words in one
//! place, and by vectors (`embed`).

mod bm25;
mod cover;
pub mod embed;
mod symbols;
mod tokens;

pub use bm25::{Fields, Scope, Scored};
pub(crate) use bm25::{best, idf, saturated};
pub use symbols::{How, Place, RefPlace};
pub use tokens::tokens;
pub(crate) use tokens::{Splitter, subwords};
