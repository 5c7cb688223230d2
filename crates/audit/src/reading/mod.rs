//! What one text says to an audit: its code without comments and strings, its tests, and what they assert.

mod assertions;
mod code;
mod tests;

use std::cell::OnceCell;

use ox_syntax::{Facts, Source, SyntaxError};

pub(crate) use assertions::{Assertion, Strength, is_literal, is_of_assertions};
pub(crate) use code::{Code, flat};
pub(crate) use tests::{Test, tests};

/// A file that was read.
pub(crate) struct Reading<'a> {
    pub path: &'a str,
    pub text: &'a str,
    pub code: Option<Code<'a>>,
    pub tests: Vec<Test>,
    source: Source<'a>,
    facts: OnceCell<Facts>,
}

impl<'a> Reading<'a> {
    pub fn of(path: &'a str, text: &'a str) -> Reading<'a> {
        let source = Source::new(path, text);
        let code = source.tree().map(|tree| Code::of(text, tree));
        let mut reading = Reading { path, text, code, tests: Vec::new(), source, facts: OnceCell::new() };
        reading.tests = reading.code.as_ref().map(|it| tests(path, it, &|| reading.facts())).unwrap_or_default();
        reading
    }

    /// What the text defines and imports, worked out once.
    pub fn facts(&self) -> &Facts {
        self.facts.get_or_init(|| self.source.facts())
    }

    /// The first place that does not parse.
    pub fn fault(&self) -> Option<SyntaxError> {
        self.source.check()
    }

    /// The language, empty where it is not known.
    pub fn language(&self) -> &'static str {
        self.code.as_ref().map_or("", |it| it.tree.language)
    }

    /// True where this is a file of tests, by its name or by what is in it.
    pub fn is_test(&self) -> bool {
        ox_syntax::is_test(self.path) || (!self.tests.is_empty() && self.language() != "Rust")
    }

    /// The innermost test around a byte.
    pub fn test_at(&self, at: usize) -> Option<&Test> {
        self.tests.iter().filter(|it| it.span.contains(&at)).min_by_key(|it| it.span.len())
    }

    /// The line with this number, without blanks around it.
    pub fn line(&self, number: u32) -> &'a str {
        match &self.code {
            _ if number == 0 => "",
            Some(code) => code.line(number).trim(),
            None => self.text.lines().nth(number.saturating_sub(1) as usize).unwrap_or_default().trim(),
        }
    }
}
