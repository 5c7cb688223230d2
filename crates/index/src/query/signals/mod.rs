//! Everything that speaks for a file or against it, as numbers side by side. Nothing is weighed here.

mod copied;
mod lexical;
mod meaning;
mod named;
mod near;
mod prior;
mod reported;
mod rows;

use std::collections::{BTreeSet, HashMap};

use super::text::Task;
use super::weights::Signal;
use crate::Snapshot;
use crate::graph::companions;
use crate::search::embed::Similar;

use prior::prior;
pub(crate) use rows::Rows;

/// Where it says much to be the first by a signal, whatever the distance to the next.
const FIRST: [(Signal, Signal); 4] = [
    (Signal::Pieces, Signal::FirstPieces),
    (Signal::TitleCovered, Signal::FirstTitle),
    (Signal::Whole, Signal::FirstWhole),
    (Signal::TitlePath, Signal::FirstPath),
];

/// What a task text comes to in one project.
#[derive(Default)]
pub(crate) struct Found {
    pub rows: Rows,
    /// The pieces that match the words, by path and number; 1 for the best.
    pub pieces: HashMap<(String, u32), f32>,
    /// The pieces that mean what the text means, likewise; none without vectors.
    pub alike: HashMap<(String, u32), f32>,
    /// The names that the text calls, and how much it makes of them.
    pub names: HashMap<String, f32>,
    /// Lines of files that the text names.
    pub lines: Vec<(String, u32)>,
}

/// Gathers what speaks for each file by itself.
pub(crate) fn gather(snapshot: &Snapshot, task: &Task, similar: &[Similar]) -> Found {
    let mut rows = Rows::default();
    let pieces = lexical::gather(snapshot, task, &mut rows);
    let lines = named::gather(snapshot, task, &mut rows);
    let alike = meaning::gather(similar, &mut rows);
    reported::gather(snapshot, task, &mut rows);
    FIRST.into_iter().for_each(|(by, first)| rows.place(by, first));
    size(snapshot, &mut rows);
    priors(task, &mut rows);
    let most = pieces.first().map_or(1.0, |it| it.2.max(f32::MIN_POSITIVE));
    let mut names: HashMap<String, f32> = HashMap::new();
    for name in &task.names {
        let weight = names.entry(name.last.clone()).or_default();
        *weight = weight.max(name.weight);
    }
    let pieces = pieces.into_iter().map(|(path, chunk, score)| ((path, chunk), score / most)).collect();
    Found { rows, pieces, alike, names, lines }
}

/// Adds what the files that are best so far pass on to their neighbours.
pub(crate) fn spread(snapshot: &Snapshot, task: &Task, ranked: &[(String, f32)], rows: &mut Rows) {
    near::gather(snapshot, ranked, rows);
    copied::gather(snapshot, ranked, rows);
    priors(task, rows);
}

/// Lets a file that is given speak for itself and for its neighbours in two steps.
pub(crate) fn given(snapshot: &Snapshot, file: &str, rows: &mut Rows) {
    rows.raise(file, Signal::Given, 1.0);
    let first = beside(snapshot, file);
    for near in &first {
        rows.raise(near, Signal::Given, 0.6);
    }
    for near in first.iter().flat_map(|it| beside(snapshot, it)) {
        rows.raise(&near, Signal::Given, 0.3);
    }
}

/// The files that `path` imports and that import it, and its header, source, test or subject.
fn beside(snapshot: &Snapshot, path: &str) -> BTreeSet<String> {
    let mut found: BTreeSet<String> = snapshot.imports(path).into_iter().map(|it| it.0).collect();
    found.extend(companions(snapshot, path).into_iter().map(|it| it.0));
    found.remove(path);
    found
}

/// What the size of a large file comes to; where there is none, size says little.
const LARGE: f32 = 4.6;
/// Bytes of a short function.
const FUNCTION: f32 = 400.0;

/// What is large holds more that can be wrong.
fn size(snapshot: &Snapshot, rows: &mut Rows) {
    for (path, row) in &mut rows.rows {
        row[Signal::Size as usize] = (1.0 + snapshot.state(path).map_or(0, |it| it.size) as f32 / FUNCTION).ln();
    }
    rows.scale(Signal::Size, LARGE);
}

fn priors(task: &Task, rows: &mut Rows) {
    for (path, row) in &mut rows.rows {
        let prior = prior(path, task.asks);
        row[Signal::Test as usize] = prior.test;
        row[Signal::Side as usize] = prior.side;
        row[Signal::Text as usize] = prior.text;
    }
}
