//! Paths in the user's words: which exist, and where those lie that were named in passing.
//!
//! Only names are looked at, no file is read. What merely resembles a path (`Node.js`, `and/or`) is passed over unless
//! something of that name is there.

use ox_repo::{Access, Tree};

use super::survey::Survey;
use crate::paths::paths_in;

/// The most paths that are looked for.
const PATHS: usize = 10;
/// A name that is in more places tells where nothing is.
const PLACES: usize = 3;

/// A path that the user named.
pub(super) struct Named {
    words: String,
    /// Where it is, relative to the root; empty when it is nowhere.
    pub places: Vec<String>,
    /// Whether the words are the path itself.
    exact: bool,
    folder: bool,
}

pub(super) fn find(tree: &Tree, survey: &Survey, prompt: &str) -> Vec<Named> {
    let mut found: Vec<Named> = Vec::new();
    for words in paths_in(prompt) {
        if found.len() < PATHS && found.iter().all(|it| it.words != words) {
            found.extend(look(tree, survey, words));
        }
    }
    found
}

fn look(tree: &Tree, survey: &Survey, words: &str) -> Option<Named> {
    let named = |places, exact, folder| Some(Named { words: words.to_owned(), places, exact, folder });
    if let Ok(place) = tree.locate(words, Access::Read)
        && let Ok(stat) = place.abs.metadata()
    {
        return named(vec![place.rel], true, stat.is_dir());
    }
    let end = format!("/{words}");
    let places: Vec<String> = survey.files.iter().filter(|it| it.ends_with(&end)).take(PLACES + 1).cloned().collect();
    if places.len() > PLACES {
        return None;
    }
    // Two words joined by a slash are no path; a file's ending after one is.
    let is_meant = words.rsplit('/').next().is_some_and(|it| it.contains('.')) && words.contains('/');
    if places.is_empty() && !is_meant { None } else { named(places, false, false) }
}

pub(super) fn describe(named: &[Named]) -> String {
    let lines: Vec<String> = named.iter().map(Named::line).collect();
    lines.join("\n")
}

impl Named {
    fn line(&self) -> String {
        match (self.places.as_slice(), self.exact) {
            ([], _) => format!("{}: does not exist", self.words),
            (_, true) if self.folder => format!("{}: a folder", self.words),
            (_, true) => format!("{}: exists", self.words),
            (places, false) => format!("{}: {}", self.words, places.join(", ")),
        }
    }
}
