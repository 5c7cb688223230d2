//! Everything that speaks for a file or against it, as numbers side by side. Nothing is weighed here.

mod history;
mod lexical;
mod named;
mod near;
mod prior;

use std::collections::HashMap;

use super::corpus::Corpus;
use super::text::Task;

use prior::prior;

macro_rules! signals {
    ($($name:ident $told:literal,)*) => {
        /// What can speak for a file; its number is its place in a row.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(crate) enum Signal { $($name,)* }
        /// The names of the signals, in the order of a row.
        pub(crate) const NAMES: &[&str] = &[$($told,)*];
    };
}

signals! {
    Piece "piece",
    Pieces "pieces",
    File "file",
    Title "title",
    TitlePath "title path",
    Path "path",
    Name "name",
    TitleName "title name",
    Signature "signature",
    Strings "strings",
    Doc "doc",
    Whole "identifiers",
    Defines "defines",
    Qualified "qualified",
    TitleDefines "title defines",
    Stem "file name",
    Mention "mentioned",
    Frame "frame",
    Churn "churn",
    Together "together",
    Near "near",
    Told "told",
    Used "used",
    Test "test",
    Side "side",
    Text "text",
    Given "given",
    Size "size",
}

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
    /// The names that the text calls, and how much it makes of them.
    pub names: HashMap<String, f32>,
    /// Lines of files that the text names.
    pub lines: Vec<(String, u32)>,
}

/// Gathers what speaks for each file by itself.
pub(crate) fn gather(corpus: &dyn Corpus, task: &Task) -> Found {
    let mut rows = Rows::default();
    let pieces = lexical::gather(corpus, task, &mut rows);
    near::used(corpus, &pieces, &mut rows);
    let lines = named::gather(corpus, task, &mut rows);
    history::gather(corpus, &mut rows);
    let paths: Vec<String> = rows.rows.keys().cloned().collect();
    for path in paths {
        if let Some(facts) = corpus.facts(&path) {
            rows.raise(&path, Signal::Size, (1.0 + facts.chunks.len() as f32).ln());
        }
    }
    rows.scale(Signal::Size, 0.0);
    priors(task, &mut rows);
    let most = pieces.first().map_or(1.0, |it| it.2.max(f32::MIN_POSITIVE));
    let mut names: HashMap<String, f32> = HashMap::new();
    for name in &task.names {
        let weight = names.entry(name.last.clone()).or_default();
        *weight = weight.max(name.weight);
    }
    let pieces = pieces.into_iter().map(|(path, chunk, score)| ((path, chunk), score / most)).collect();
    Found { rows, pieces, names, lines }
}

/// Adds what the files that are best so far pass on to their neighbours.
pub(crate) fn spread(corpus: &dyn Corpus, task: &Task, ranked: &[(String, f32)], rows: &mut Rows) {
    near::gather(corpus, ranked, rows);
    priors(task, rows);
}

/// Lets a file that is given speak for itself and for its neighbours in two steps.
pub(crate) fn given(corpus: &dyn Corpus, file: &str, rows: &mut Rows) {
    rows.raise(file, Signal::Given, 1.0);
    let first = corpus.near(file);
    for near in &first {
        rows.raise(near, Signal::Given, 0.6);
    }
    for near in first.iter().flat_map(|it| corpus.near(it)) {
        rows.raise(&near, Signal::Given, 0.3);
    }
}

fn priors(task: &Task, rows: &mut Rows) {
    for (path, row) in &mut rows.rows {
        let prior = prior(path, task.asks);
        row[Signal::Test as usize] = prior.test;
        row[Signal::Side as usize] = prior.side;
        row[Signal::Text as usize] = prior.text;
    }
}
