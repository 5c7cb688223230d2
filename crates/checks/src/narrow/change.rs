//! A change and one check, as the families of narrower forms look at them.

use ox_index::Snapshot;
use ox_protocol::Check;
use ox_repo::Tree;

use crate::paths::{joined, within};

/// Files that one narrower form names at most; the nearest to the change come first.
const MOST_FILES: usize = 40;
/// A narrower form that would run this share of a project's test files is no saving.
const SHARE: f64 = 0.6;

/// What narrower forms are made from.
pub(super) struct Change<'a> {
    pub tree: &'a Tree,
    pub snapshot: &'a Snapshot,
    /// The changed files that are still there.
    pub files: Vec<&'a str>,
    /// Files of tests that the change can reach, the nearest first.
    pub tests: Vec<String>,
}

/// One check as a family looks at it: its command without the leading `cd DIR &&`.
pub(super) struct Whole<'a> {
    pub check: &'a Check,
    pub dir: &'a str,
    pub command: &'a str,
}

impl Change<'_> {
    /// The reached tests in the folder of a check with one of these endings, as seen from there, at most [`MOST_FILES`]; none
    /// where they are most of all there are.
    pub(crate) fn tests_of(&self, of: &Whole<'_>, endings: &[&str], is_test: &dyn Fn(&str) -> bool) -> Vec<String> {
        let fits = |it: &str| endings.iter().any(|ending| it.ends_with(ending)) && is_test(it);
        let inside = |it: &str| within(of.dir, it).filter(|it| fits(it)).map(str::to_owned);
        let chosen: Vec<String> = self.tests.iter().filter_map(|it| inside(it)).take(MOST_FILES).collect();
        let all = self.snapshot.paths().filter(|it| inside(it).is_some()).count();
        if chosen.len() as f64 > all as f64 * SHARE { Vec::new() } else { chosen }
    }

    /// The changed files in the folder of a check with one of these endings, as seen from there.
    pub(crate) fn files_of(&self, of: &Whole<'_>, endings: &[&str]) -> Vec<String> {
        let inside = self.files.iter().filter_map(|it| within(of.dir, it));
        let fits = inside.filter(|it| endings.iter().any(|ending| it.ends_with(ending)));
        fits.take(MOST_FILES).map(str::to_owned).collect()
    }

    /// The text of a file that the index knows.
    pub(crate) fn text(&self, path: &str) -> Option<String> {
        if self.snapshot.has(path) { self.tree.read(path).ok().map(|it| it.text) } else { None }
    }

    /// The nearest folder above a file that has `manifest`, both as the project sees them.
    pub(crate) fn above<'p>(&self, path: &'p str, manifest: &str) -> Option<&'p str> {
        let mut here = path;
        loop {
            here = here.rsplit_once('/').map_or("", |it| it.0);
            if self.snapshot.has(&joined(here, manifest)) {
                return Some(here);
            }
            if here.is_empty() {
                return None;
            }
        }
    }
}
