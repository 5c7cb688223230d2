//! Whoever gives a task text gets the files and lines that it is about, best first, each with what speaks for it.
//!
//! No model is asked and nothing is learnt while it runs: the text is read ([`text`]), what it says is looked up in a
//! snapshot of the index ([`signals`]), and a few weights that were calibrated on real issues mix it ([`weights`]). The
//! same question to the same snapshot has the same answer. An answer may be empty; it is never an error.

mod corpus;
mod pick;
mod signals;
mod snapshot;
mod text;
mod weights;

use corpus::Corpus;
use signals::{Found, Row};

use crate::build::Read;
use crate::snapshot::Snapshot;
use crate::snippet::Snippet;

pub use weights::Weights;

/// How a question is to be answered.
#[derive(Clone, Debug)]
pub struct Options<'a> {
    /// So many files and so many snippets, at most.
    pub limit: usize,
    /// The file that is being worked on; what is near it in the graph is near the question.
    pub file: Option<&'a str>,
    /// What each signal counts.
    pub weights: Weights,
}

impl Default for Options<'_> {
    fn default() -> Self {
        Options { limit: 10, file: None, weights: Weights::default() }
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

/// The signals of one file before they are weighed, for calibration.
#[derive(Clone, Debug, PartialEq)]
pub struct Candidate {
    /// Relative to the project root, with `/` separators.
    pub path: String,
    /// One number for each name in [`signal_names`].
    pub signals: Vec<f32>,
}

/// Answers a question. Files are read through `read`, and only for the text of the snippets; what cannot be read comes
/// without a text.
pub fn query(snapshot: &Snapshot, read: &Read<'_>, text: &str, options: &Options<'_>) -> Answer {
    let (found, ranked) = ranked(snapshot, text, options);
    let files = ranked.iter().take(options.limit).map(|(path, score)| hit(path, *score, &found, &options.weights));
    let files = files.collect();
    let snippets = pick::snippets(snapshot, read, &found, &ranked, options);
    Answer { files, snippets }
}

/// The names of the signals, in the order of [`Candidate::signals`].
pub fn signal_names() -> &'static [&'static str] {
    signals::NAMES
}

/// All files that anything speaks for, with their signals, in the order of their paths.
pub fn candidates(snapshot: &Snapshot, text: &str, options: &Options<'_>) -> Vec<Candidate> {
    let (found, _) = ranked(snapshot, text, options);
    let rows = found.rows.rows.into_iter().map(|(path, row)| Candidate { path, signals: row.to_vec() });
    let mut all: Vec<Candidate> = rows.collect();
    all.sort_by(|a, b| a.path.cmp(&b.path));
    all
}

/// Gathers the signals and ranks by them: once without the graph, then with what the best files pass on to their
/// neighbours.
fn ranked(corpus: &dyn Corpus, text: &str, options: &Options<'_>) -> (Found, Vec<(String, f32)>) {
    let task = text::read(text);
    let mut found = signals::gather(corpus, &task);
    if let Some(file) = options.file {
        signals::given(corpus, file, &mut found.rows);
    }
    let first = sorted(&found, &options.weights);
    signals::spread(corpus, &task, &first, &mut found.rows);
    let second = sorted(&found, &options.weights);
    (found, second)
}

fn sorted(found: &Found, weights: &Weights) -> Vec<(String, f32)> {
    let mut all: Vec<(String, f32)> =
        found.rows.rows.iter().map(|(path, row)| (path.clone(), weights.score(row))).collect();
    all.sort_by(|a, b| b.1.total_cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    all
}

fn hit(path: &str, score: f32, found: &Found, weights: &Weights) -> FileHit {
    let row: Row = found.rows.rows.get(path).copied().unwrap_or([0.0; signals::COUNT]);
    let shares = signals::NAMES.iter().zip(weights.shares(&row)).map(|(name, share)| (*name, share));
    let mut sources: Vec<(&'static str, f32)> = shares.filter(|it| it.1.abs() > 1e-3).collect();
    sources.sort_by(|a, b| b.1.total_cmp(&a.1));
    FileHit { path: path.to_owned(), score, sources }
}

pub(crate) fn param(_: &str, default: f32) -> f32 {
    default
}
