//! The rows of numbers that the signals make of files.

use std::collections::HashMap;

use crate::query::weights::{COUNT, Row, Signal};

impl Signal {
    /// Those that searches give; each is divided by its best.
    pub const SEARCHED: [Signal; 8] = [
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
    pub fn place(&mut self, by: Signal, first: Signal) {
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
