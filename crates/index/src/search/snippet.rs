//! What the index answers with.

use serde::{Deserialize, Serialize};

/// A piece of a file that bears on a question.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Snippet {
    /// Relative to the project root, with `/` separators.
    pub path: String,
    /// Its first line, from 1.
    pub start: u32,
    /// Its last line, included.
    pub end: u32,
    /// The qualified name of the definition that it is, or is a part of.
    pub symbol: Option<String>,
    /// How well it bears on the question. Comparable within one answer only.
    pub score: f32,
    /// Why it was chosen: the piece's own share and those of its file, greatest first.
    pub sources: Vec<(String, f32)>,
    /// The lines as they are now; empty where the file cannot be read.
    pub text: String,
}
