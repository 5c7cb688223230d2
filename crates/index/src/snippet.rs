//! What the index answers with.

/// A piece of a file that bears on a question.
#[derive(Clone, Debug, PartialEq)]
pub struct Snippet {
    /// Relative to the project root, with `/` separators.
    pub path: String,
    /// Its first line, from 1.
    pub from: u32,
    /// Its last line, included.
    pub to: u32,
    /// The lines as they are.
    pub text: String,
    /// How well it bears on the question, from 0 to 1.
    pub score: f32,
    /// Why it was chosen, for the trace: a name that matched, a step in the graph.
    pub why: String,
}
