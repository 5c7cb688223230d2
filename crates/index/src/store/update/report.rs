//! What an update did, and what there is after it.

use std::collections::BTreeMap;
use std::time::Duration;

use crate::store::files::Rule;

/// How far an update is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// Files that are done.
    pub done: usize,
    /// Files that have to be looked into.
    pub total: usize,
}

/// What an update did, and what there is after it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Report {
    /// All files, those of which only the path is known as well.
    pub files: u64,
    /// Their definitions.
    pub symbols: u64,
    /// Uses of names.
    pub references: u64,
    /// Pieces of text.
    pub chunks: u64,
    /// Import statements; each is resolved to files when it is asked for, see [`crate::Snapshot::edges`].
    pub imports: u64,
    /// Bytes of text that are indexed.
    pub bytes: u64,
    /// Files of which only path and name are known, by rule.
    pub skipped: BTreeMap<Rule, u64>,
    /// Files in a known language that are cut into pieces like any text: they would keep the parser busy for too long.
    pub unparsed: u64,
    /// Files that were not looked into: they stand as they did.
    pub unchanged: u64,
    /// Files that were read and whose contents were known already: renamed, copied, checked out again.
    pub reused: u64,
    /// Contents that were parsed.
    pub parsed: u64,
    /// Files that are gone.
    pub removed: u64,
    /// Time by layer.
    pub spent: Spent,
    /// Why parts of the cache were set aside and built again.
    pub broken: Vec<String>,
    /// Why the index is in memory alone: the cache cannot be written, or another process is writing it.
    pub unsaved: Option<Unsaved>,
    /// Bytes on disk.
    pub disk: u64,
}

/// Why an index stays in memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unsaved {
    /// Another process is writing.
    Busy,
    /// The disk is full.
    Full(String),
    /// The cache folder cannot be written; the system's words.
    Refused(String),
}

/// Busy time of all threads, by layer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Spent {
    /// Files: reading, hashing, judging by rule.
    pub files: Duration,
    /// Symbols: parsing, definitions, references, imports, chunks.
    pub symbols: Duration,
    /// Meaning: splitting into words, fields, postings.
    pub meaning: Duration,
    /// Writing and merging segments.
    pub writing: Duration,
}

impl Spent {
    /// All of it.
    pub fn total(&self) -> Duration {
        self.files + self.symbols + self.meaning + self.writing
    }
}

impl std::ops::AddAssign for Spent {
    fn add_assign(&mut self, other: Spent) {
        self.files += other.files;
        self.symbols += other.symbols;
        self.meaning += other.meaning;
        self.writing += other.writing;
    }
}
