//! A text that several questions are asked about, parsed once.

use std::cell::OnceCell;

use crate::facts::{self, Facts};
use crate::parse::{self, FlatTree, Parsed, SyntaxError};

/// A text and its path. It is parsed with the first question that needs it, and never again.
pub struct Source<'a> {
    path: &'a str,
    text: &'a str,
    parsed: OnceCell<Option<Parsed>>,
}

impl<'a> Source<'a> {
    /// Nothing is parsed yet.
    pub fn new(path: &'a str, text: &'a str) -> Source<'a> {
        Source { path, text, parsed: OnceCell::new() }
    }

    /// What [`crate::facts`] says of it.
    pub fn facts(&self) -> Facts {
        facts::extract(self.path, self.text, self.parsed()).0
    }

    /// What [`crate::tree`] says of it.
    pub fn tree(&self) -> Option<FlatTree> {
        Some(parse::flatten(self.parsed()?, self.text))
    }

    /// What [`crate::check`] says of it.
    pub fn check(&self) -> Option<SyntaxError> {
        parse::fault(self.path, self.text, || self.parsed())
    }

    fn parsed(&self) -> Option<&Parsed> {
        self.parsed.get_or_init(|| parse::parse(self.path, self.text)).as_ref()
    }
}
