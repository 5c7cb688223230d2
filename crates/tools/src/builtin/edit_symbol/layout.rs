//! A text with its definitions, and what takes the place of a part of it.

use std::ops::Range;

use ox_edit::layout::{Unit, fit, line_start};
use ox_syntax::{Definition, literals};

/// A text with its definitions.
pub(super) struct File<'a> {
    pub path: &'a str,
    pub text: &'a str,
    pub all: &'a [Definition],
}

/// What takes the place of some bytes of a text.
#[derive(Debug)]
pub(super) struct Splice {
    pub range: Range<usize>,
    pub new: String,
}

impl Splice {
    /// The text after it.
    pub(crate) fn apply(&self, text: &str) -> String {
        [&text[..self.range.start], &self.new, &text[self.range.end..]].concat()
    }
}

/// `new` at an indentation; the first line without it, as it stands behind what is there.
pub(super) fn fit_behind(file: &File<'_>, of: &Definition, new: &str, target: &str) -> String {
    let old = &file.text[line_start(file.text, of.span.start)..of.span.end];
    let fitted = fit(new, target, Unit::only(file.text), &literals(file.path, new), old);
    fitted.strip_prefix(target).map_or_else(|| fitted.clone(), str::to_string)
}
