//! What an edit is made of, and what an applied edit reports. Plain data: nothing here looks at a text.

use std::fmt;
use std::ops::RangeInclusive;

/// One request: replace this text by that one, at one place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Block {
    /// The text sought. It names one place; several lines with their line breaks, or a fragment of one line.
    pub search: String,
    /// The text which takes its place, literally: `$&` and `\1` mean nothing here.
    pub replace: String,
    /// The line (from 1) at which the caller believes the place starts. It only ever picks among places found.
    pub hint: Option<usize>,
}

impl Block {
    /// A block without a hint.
    pub fn new(search: impl Into<String>, replace: impl Into<String>) -> Self {
        Self { search: search.into(), replace: replace.into(), hint: None }
    }

    /// The same block with the line (from 1) at which it is believed to start.
    #[must_use]
    pub fn at(mut self, line: usize) -> Self {
        self.hint = Some(line);
        self
    }
}

/// How a place was recognised, from the strictest to the loosest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Strategy {
    /// The very text, once line endings are equal.
    Exact,
    /// Equal but for blanks at the ends of lines.
    TrailingBlanks,
    /// Equal but for the indentation; new lines are indented as the file is.
    Indentation,
    /// Equal once typographic quotes, dashes and spaces are written plainly.
    Typography,
    /// Equal once every run of blanks counts for nothing.
    Blanks,
    /// Equal but for blank lines which one of the two sides lacks.
    BlankLines,
    /// Equal once the request is unescaped (HTML entities, or quotes escaped once too often).
    Escapes,
    /// The middle of the block was left out with dots and is unique in the file.
    Elision,
    /// Alike: misspelt words or left-out lines, merged line by line.
    Fuzzy,
}

impl Strategy {
    /// Whether the place is certain to the letter, so that no syntax check is called for.
    pub fn is_exact(self) -> bool {
        self == Self::Exact
    }
}

impl fmt::Display for Strategy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Exact => "exact",
            Self::TrailingBlanks => "trailing blanks",
            Self::Indentation => "indentation",
            Self::Typography => "typography",
            Self::Blanks => "blanks",
            Self::BlankLines => "blank lines",
            Self::Escapes => "escapes",
            Self::Elision => "elision",
            Self::Fuzzy => "fuzzy",
        })
    }
}

/// Where one block landed.
#[derive(Debug, Clone, PartialEq)]
pub struct Place {
    /// How the place was recognised.
    pub strategy: Strategy,
    /// How alike the sought and the found text are, 0 to 1; exactly 1 only for an exact match.
    pub similarity: f32,
    /// The lines found, from 1, in the text before the edit.
    pub before: RangeInclusive<usize>,
    /// The same place in the text after the edit; empty (end before start) where everything was removed.
    pub after: RangeInclusive<usize>,
}

/// An edit that went through.
#[derive(Debug, Clone, PartialEq)]
pub struct Applied {
    /// The whole new text, with the byte-order mark and line endings of the old one.
    pub text: String,
    /// One place for each block, in the order of the blocks.
    pub places: Vec<Place>,
}
