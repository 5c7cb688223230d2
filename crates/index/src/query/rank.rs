//! A question, and the files that answer it in their order.

use super::signals::{self, Found};
use super::text;
use super::weights::{COUNT, NAMES, shares};
use crate::search::embed::Similar;
use crate::snapshot::Snapshot;

/// How a question is to be answered.
#[derive(Clone, Debug)]
pub struct Options<'a> {
    /// So many files and so many snippets, at most.
    pub limit: usize,
    /// The file that is being worked on; what is near it in the graph is near the question.
    pub file: Option<&'a str>,
    /// The pieces whose vectors are most like the question's, from [`crate::search::embed::similar`]; none without vectors.
    pub similar: &'a [Similar],
}

impl Default for Options<'_> {
    fn default() -> Self {
        Options { limit: 10, file: None, similar: &[] }
    }
}

/// What a question is about.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Answer {
    /// Whole files, best first.
    pub files: Vec<FileHit>,
    /// Pieces of the best files, best first.
    pub snippets: Vec<Snippet>,
}

/// A piece of a file that bears on a question.
#[derive(Clone, Debug, PartialEq)]
pub struct Snippet {
    /// Relative to the project root, with `/` separators.
    pub path: String,
    /// Its first line, from 1.
    pub start: u32,
    /// Its last line, included.
    pub end: u32,
    /// The qualified name of the definition that it is, or is a part of.
    pub symbol: Option<String>,
    /// How well it bears on the question. Comparable within one answer only.
    pub score: f32,
    /// Why it was chosen: the piece's own share and those of its file, greatest first.
    pub sources: Vec<(String, f32)>,
    /// The lines as they are now; empty where the file cannot be read.
    pub text: String,
}

/// A file and what speaks for it.
#[derive(Clone, Debug, PartialEq)]
pub struct FileHit {
    /// Relative to the project root, with `/` separators.
    pub path: String,
    /// The sum of its sources. Comparable within one answer only.
    pub score: f32,
    /// Each signal's share in the score, greatest first, those against it last. Signals that say nothing are left out.
    pub sources: Vec<(&'static str, f32)>,
}

/// Files in their order, with all that led to it.
pub(super) struct Ranked {
    pub(super) found: Found,
    history: bool,
    /// Paths and scores, best first.
    pub(super) files: Vec<(String, f32)>,
}

impl Ranked {
    /// Gathers the signals and ranks by them: once without the graph, then with what the best files pass on to their
    /// neighbours.
    pub(super) fn of(snapshot: &Snapshot, text: &str, options: &Options<'_>) -> Ranked {
        let task = text::read(text);
        let mut found = signals::gather(snapshot, &task, options.similar);
        if let Some(file) = options.file {
            signals::given(snapshot, file, &mut found.rows);
        }
        let history = found.rows.has_history();
        let first = sorted(&found, history);
        signals::spread(snapshot, &task, &first, &mut found.rows);
        let files = sorted(&found, history);
        Ranked { found, history, files }
    }

    pub(super) fn hit(&self, path: &str, score: f32) -> FileHit {
        let row = self.found.rows.rows.get(path).copied().unwrap_or([0.0; COUNT]);
        let shares = NAMES.iter().copied().zip(shares(self.history, &row));
        let mut sources: Vec<(&'static str, f32)> = shares.filter(|it| it.1.abs() > 1e-3).collect();
        sources.sort_by(|a, b| b.1.total_cmp(&a.1));
        FileHit { path: path.to_owned(), score, sources }
    }
}

fn sorted(found: &Found, history: bool) -> Vec<(String, f32)> {
    let mut all: Vec<(String, f32)> =
        found.rows.rows.iter().map(|(path, row)| (path.clone(), shares(history, row).sum())).collect();
    all.sort_by(|a, b| b.1.total_cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    all
}
