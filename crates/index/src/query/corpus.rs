//! What ranking asks of an index. A snapshot of the index answers in the product, a few texts in memory in tests.

use std::sync::Arc;

use crate::facts::{Facts, Symbol};
use crate::meaning::{Fields, Scope, Scored};

/// A definition and its file.
#[derive(Clone, Debug)]
pub(crate) struct Defined {
    pub path: String,
    pub symbol: Symbol,
}

/// What ranking asks of an index. All paths are relative to the project root, with `/` separators.
pub(crate) trait Corpus {
    /// The best files or pieces for these words; a path comes once per piece.
    fn search(&self, terms: &[(String, f32)], fields: &Fields, scope: Scope, limit: usize) -> Vec<Scored>;
    /// The pieces that hold the most of these words together, each given in the forms of which any will do, in all of their
    /// text or in its quoted strings alone; and the score of a piece that holds all that stand anywhere.
    fn covering(&self, words: &[(Vec<String>, f32)], strings: bool, limit: usize) -> (Vec<Scored>, f32);
    /// True if a word stands in any file.
    fn holds(&self, word: &str) -> bool;
    /// Where a name is defined, up to `limit` places.
    fn defined(&self, name: &str, limit: usize) -> Vec<Defined>;
    /// The files that define a qualified name.
    fn declared(&self, qualified: &str) -> Vec<String>;
    /// The files whose path ends in these parts.
    fn ending(&self, path: &str) -> Vec<String>;
    /// What a file says.
    fn facts(&self, path: &str) -> Option<Arc<Facts>>;
    /// The files that it imports and that import it, and its header, source, test or subject.
    fn near(&self, path: &str) -> Vec<String>;
    /// The commits, newest first: how their names begin, what was said about them, and the files that they changed.
    fn told(&self) -> Vec<(&str, &str, Vec<&str>)>;
    /// Its bytes.
    fn size(&self, path: &str) -> u64;
    /// The files that were changed together with it, and how often beside its own changes, from 0 to 1.
    fn together(&self, path: &str) -> Vec<(String, f32)>;
}
