//! Whoever gives a task text gets the files and lines that it is about, best first, each with what speaks for it.
//!
//! No model is asked and nothing is learnt while it runs: the text is read ([`text`]), what it says is looked up in a
//! snapshot of the index ([`signals`]), and a few weights that were calibrated on real issues mix it ([`weights`]). The
//! same question to the same snapshot has the same answer. An answer may be empty; it is never an error.

mod pick;
mod signals;
mod text;
mod weights;

use signals::{Found, Row};

use crate::build::Read;
use crate::embed::Similar;
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
    /// The pieces whose vectors are most like the question's, from [`crate::embed::similar`]; none without vectors.
    pub similar: &'a [Similar],
    /// What each signal counts; the calibrated weights where there is none.
    pub weights: Option<Weights>,
}

impl Default for Options<'_> {
    fn default() -> Self {
        Options { limit: 10, file: None, similar: &[], weights: None }
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

/// Files in their order, with all that led to it.
struct Ranked {
    found: Found,
    weights: Weights,
    /// Paths and scores, best first.
    files: Vec<(String, f32)>,
}

/// Answers a question. Files are read through `read`, and only for the text of the snippets; what cannot be read comes
/// without a text.
pub fn query(snapshot: &Snapshot, read: &Read<'_>, text: &str, options: &Options<'_>) -> Answer {
    let ranked = Ranked::of(snapshot, text, options);
    let files = ranked.files.iter().take(options.limit).map(|(path, score)| ranked.hit(path, *score)).collect();
    let snippets = pick::snippets(snapshot, read, &ranked, options.limit);
    Answer { files, snippets }
}

/// The names of the signals, in the order of [`Candidate::signals`].
pub fn signal_names() -> &'static [&'static str] {
    signals::NAMES
}

/// All files that anything speaks for, with their signals, in the order of their paths.
pub fn candidates(snapshot: &Snapshot, text: &str, options: &Options<'_>) -> Vec<Candidate> {
    let found = Ranked::of(snapshot, text, options).found;
    let rows = found.rows.rows.into_iter().map(|(path, row)| Candidate { path, signals: row.to_vec() });
    let mut all: Vec<Candidate> = rows.collect();
    all.sort_by(|a, b| a.path.cmp(&b.path));
    all
}

impl Ranked {
    /// Gathers the signals and ranks by them: once without the graph, then with what the best files pass on to their
    /// neighbours.
    fn of(snapshot: &Snapshot, text: &str, options: &Options<'_>) -> Ranked {
        let task = text::read(text);
        let mut found = signals::gather(snapshot, &task, options.similar);
        if let Some(file) = options.file {
            signals::given(snapshot, file, &mut found.rows);
        }
        let weights = options.weights.clone().unwrap_or_else(|| Weights::calibrated(found.rows.has_history()));
        let first = sorted(&found, &weights);
        signals::spread(snapshot, &task, &first, &mut found.rows);
        let files = sorted(&found, &weights);
        Ranked { found, weights, files }
    }

    fn hit(&self, path: &str, score: f32) -> FileHit {
        let row: Row = self.found.rows.rows.get(path).copied().unwrap_or([0.0; signals::COUNT]);
        let shares = signals::NAMES.iter().zip(self.weights.shares(&row)).map(|(name, share)| (*name, share));
        let mut sources: Vec<(&'static str, f32)> = shares.filter(|it| it.1.abs() > 1e-3).collect();
        sources.sort_by(|a, b| b.1.total_cmp(&a.1));
        FileHit { path: path.to_owned(), score, sources }
    }
}

fn sorted(found: &Found, weights: &Weights) -> Vec<(String, f32)> {
    let mut all: Vec<(String, f32)> =
        found.rows.rows.iter().map(|(path, row)| (path.clone(), weights.score(row))).collect();
    all.sort_by(|a, b| b.1.total_cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    all
}
