//! The formats in which an edit is written.

/// How an edit is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Format {
    /// Blocks between `<<<<<<< SEARCH` and `>>>>>>> REPLACE`.
    SearchReplace,
    /// What `diff -u` and `git diff` write.
    UnifiedDiff,
    /// `*** Begin Patch` … `*** End Patch`.
    V4a,
    /// Lines named by number.
    LineRange,
    /// The new text of a whole file.
    WholeFile,
}

impl Format {
    /// What one part of an edit is called, and several.
    pub(crate) fn parts(self) -> (&'static str, &'static str) {
        match self {
            Self::SearchReplace | Self::WholeFile => ("Block", "blocks"),
            Self::UnifiedDiff | Self::V4a => ("Hunk", "hunks"),
            Self::LineRange => ("Range", "ranges"),
        }
    }

    /// What to write, for who wrote what cannot be read.
    pub(crate) fn advice(self) -> &'static str {
        match self {
            Self::SearchReplace => {
                "Use lines `<<<<<<< SEARCH`, the text sought, `=======`, the new text, `>>>>>>> REPLACE`."
            }
            Self::UnifiedDiff => {
                "Write `--- a/PATH`, `+++ b/PATH`, then for each place `@@ -LINE,COUNT +LINE,COUNT @@` and lines that start with a blank, `-` or `+`."
            }
            Self::V4a => {
                "Write `*** Begin Patch`, for each file `*** Update File: PATH` (or `Add File`, `Delete File`), then `@@` and lines that start with a blank, `-` or `+`, and `*** End Patch`."
            }
            Self::LineRange => "Give the first and the last line, counted from 1, and the new text.",
            Self::WholeFile => "Give the whole new text of the file.",
        }
    }
}
