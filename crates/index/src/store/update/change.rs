//! What the index is told about the working tree.

use ox_protocol::ChangeKind;

/// A file that is not as the index last saw it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// Relative to the project root, with `/` separators.
    pub path: String,
    /// What happened to it.
    pub kind: ChangeKind,
    /// The path it had before, for a rename.
    pub from: Option<String>,
}
