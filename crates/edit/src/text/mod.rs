//! What edits need of texts: lines, words, differences, indentation. Nothing here knows of edits.

pub(crate) mod diff;
pub(crate) mod document;
pub(crate) mod fold;
pub(crate) mod indent;
pub(crate) mod lines;
pub(crate) mod ops;
pub(crate) mod target;
pub(crate) mod tokens;
