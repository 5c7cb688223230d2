//! The files of the project as far as a prompt can use them, in bounded time however large the project is.
//!
//! Ignored and hidden files are not seen. Folders share the room, so that a huge one hides none of its neighbours.

use std::collections::HashSet;

use ox_repo::{Tree, WalkOptions};

/// The most entries that are looked at altogether.
const LOOKED_AT: usize = 5_000;
/// Of a folder that is cut, so many levels are looked at before anything deeper: its first folder hides none of its others.
const LEVELS: usize = 3;
/// What a folder at the top may take even when others have used up the rest.
const LEAST: usize = 100;

/// The project's files and folders, relative to the root, sorted, each folder before what is in it.
pub(super) struct Survey {
    pub files: Vec<String>,
    pub folders: Vec<String>,
    /// True when there are more than were looked at.
    pub more: bool,
}

impl Survey {
    pub fn of(tree: &Tree) -> Survey {
        let mut survey = Survey { files: Vec::new(), folders: Vec::new(), more: false };
        let top = survey.add(tree, ".", Some(1), LOOKED_AT);
        let mut left = LOOKED_AT.saturating_sub(survey.files.len());
        for (index, folder) in top.iter().enumerate() {
            let before = survey.files.len() + survey.folders.len();
            survey.add(tree, folder, None, (left / (top.len() - index)).max(LEAST));
            left = left.saturating_sub(survey.files.len() + survey.folders.len() - before);
        }
        survey.files.sort();
        survey.folders.sort();
        survey
    }

    /// Adds what is in `from` and returns the folders among it.
    fn add(&mut self, tree: &Tree, from: &str, depth: Option<usize>, limit: usize) -> Vec<String> {
        let walk = |depth| {
            let options = WalkOptions { from: from.to_owned(), depth, limit, ..WalkOptions::default() };
            tree.walk(&options).unwrap_or_default()
        };
        let mut entries = walk(depth);
        if entries.len() == limit {
            self.more = true;
            let near = walk(depth.or(Some(LEVELS)));
            let known: HashSet<&str> = near.iter().map(|it| it.rel.as_str()).collect();
            entries.retain(|it| !known.contains(it.rel.as_str()));
            entries.truncate(limit.saturating_sub(near.len()));
            entries.extend(near);
        }
        let (folders, files): (Vec<_>, Vec<_>) = entries.into_iter().partition(|it| it.is_dir);
        self.files.extend(files.into_iter().map(|it| it.rel));
        let folders: Vec<String> = folders.into_iter().map(|it| it.rel).collect();
        self.folders.extend(folders.iter().cloned());
        folders
    }
}
