//! Whoever gives a task text gets the files and lines that it is about, best first, each with what speaks for it.
//!
//! No model is asked and nothing is learnt while it runs: the text is read ([`text`]), what it says is looked up in a
//! snapshot of the index ([`signals`]), and a few weights that were calibrated on real issues mix it ([`weights`]). The
//! same question to the same snapshot has the same answer. An answer may be empty; it is never an error.

mod pick;
mod rank;
mod signals;
mod text;
mod weights;

use crate::snapshot::Snapshot;
use crate::store::update::Read;

pub use rank::{Answer, FileHit, Options, Snippet};

use rank::Ranked;

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
    let ranked = Ranked::of(snapshot, text, options);
    let files = ranked.files.iter().take(options.limit).map(|(path, score)| ranked.hit(path, *score)).collect();
    let snippets = pick::snippets(snapshot, read, &ranked, options.limit);
    Answer { files, snippets }
}

/// The names of the signals, in the order of [`Candidate::signals`].
pub fn signal_names() -> &'static [&'static str] {
    weights::NAMES
}

/// All files that anything speaks for, with their signals, in the order of their paths.
pub fn candidates(snapshot: &Snapshot, text: &str, options: &Options<'_>) -> Vec<Candidate> {
    let found = Ranked::of(snapshot, text, options).found;
    let rows = found.rows.rows.into_iter().map(|(path, row)| Candidate { path, signals: row.to_vec() });
    let mut all: Vec<Candidate> = rows.collect();
    all.sort_by(|a, b| a.path.cmp(&b.path));
    all
}
