//! A file that a text names.

/// A file that a text names.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Mention {
    /// As written, with `/` separators; it need not begin at the project's root.
    pub path: String,
    pub line: Option<u32>,
    /// For a frame of a stack its number, 0 where the fault happened.
    pub frame: Option<u32>,
}
