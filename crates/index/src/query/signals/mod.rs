//! Everything that speaks for a file or against it, as numbers side by side. Nothing is weighed here.

mod copied;
mod lexical;
mod meaning;
mod named;
mod near;
mod prior;
mod told;

use std::collections::{BTreeSet, HashMap};

use super::text::Task;
use crate::Snapshot;
use crate::embed::Similar;
use crate::graph::companions;

use prior::prior;

macro_rules! signals {
    ($($signal:ident $name:literal,)*) => {
        /// What can speak for a file; its number is its place in a row.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(crate) enum Signal { $($signal,)* }

        /// The names of the signals, in the order of a row.
        pub(crate) const NAMES: &[&str] = &[$($name,)*];
    };
}

signals! {
    Piece "best piece",
    Pieces "best pieces",
    TitleCovered "title in one place",
    File "words",
    StressedFile "stressed words",
    Whole "identifiers",
    TitlePath "title in the path",
    Name "names",
    Defines "defines",
    Mention "mentioned",
    Frame "frame",
    Together "changed together",
    Folder "folder",
    Said "said of it",
    Size "size",
    Test "test",
    Side "side",
    Text "text",
    Given "given",
    Meaning "meaning",
    Message "message",
    Module "module",
    Commit "commit",
    Copied "copied",
    FirstPieces "first by pieces",
    FirstTitle "first by title",
    FirstWhole "first by identifiers",
    FirstPath "first by path",
}

impl Signal {
    /// Those that searches give; each is divided by its best.
    const SEARCHED: [Signal; 8] = [
        Signal::Piece,
        Signal::Pieces,
        Signal::TitleCovered,
        Signal::File,
        Signal::StressedFile,
        Signal::Whole,
        Signal::TitlePath,
        Signal::Name,
    ];
}

/// Where it says much to be the first by a signal, whatever the distance to the next.
const FIRST: [(Signal, Signal); 4] = [
    (Signal::Pieces, Signal::FirstPieces),
    (Signal::TitleCovered, Signal::FirstTitle),
    (Signal::Whole, Signal::FirstWhole),
    (Signal::TitlePath, Signal::FirstPath),
];

/// How many signals there are.
pub(crate) const COUNT: usize = NAMES.len();

/// The signals of one file.
pub(crate) type Row = [f32; COUNT];

/// The rows of all files that something speaks for.
#[derive(Default)]
pub(crate) struct Rows {
    pub rows: HashMap<String, Row>,
}

impl Rows {
    pub fn add(&mut self, path: &str, signal: Signal, value: f32) {
        self.row(path)[signal as usize] += value;
    }

    pub fn raise(&mut self, path: &str, signal: Signal, value: f32) {
        let place = &mut self.row(path)[signal as usize];
        *place = place.max(value);
    }

    fn row(&mut self, path: &str) -> &mut Row {
        if !self.rows.contains_key(path) {
            self.rows.insert(path.to_owned(), [0.0; COUNT]);
        }
        self.rows.get_mut(path).expect("it was put there")
    }

    /// True if the history says anything of any file.
    pub fn has_history(&self) -> bool {
        self.rows.values().any(|it| it[Signal::Said as usize] > 0.0)
    }

    /// Gives each file that a signal speaks for its place among them as a share: 1 for the first, a half for the second.
    fn place(&mut self, by: Signal, first: Signal) {
        let value = |row: &Row| row[by as usize];
        let mut all: Vec<(&String, &mut Row)> = self.rows.iter_mut().filter(|it| value(it.1) > 0.0).collect();
        all.sort_by(|a, b| value(b.1).total_cmp(&value(a.1)).then_with(|| a.0.cmp(b.0)));
        for (at, (_, row)) in all.into_iter().enumerate() {
            row[first as usize] = 1.0 / (1.0 + at as f32);
        }
    }

    /// Divides a signal by its greatest value, or by `least` if that is more.
    pub fn scale(&mut self, signal: Signal, least: f32) {
        let at = signal as usize;
        let most = self.rows.values().map(|it| it[at]).fold(least, f32::max);
        if most > 0.0 {
            self.rows.values_mut().for_each(|it| it[at] /= most);
        }
    }
}

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
    told::gather(snapshot, task, &mut rows);
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
