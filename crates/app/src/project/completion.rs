//! Completing what a user types.

use ox_repo::{Tree, WalkOptions};

use super::Project;

/// How many paths are listed.
const LISTED: usize = 40;

impl Project {
    /// Paths of the project that begin with `prefix`, a few dozen at most; folders end with `/`.
    pub fn paths_beginning(&self, prefix: &str) -> Vec<String> {
        let Ok(tree) = Tree::open(&self.root, self.added()) else { return Vec::new() };
        let folder = prefix.rsplit_once('/').map_or("", |(folder, _)| folder);
        let options = WalkOptions { from: folder.to_string(), depth: Some(1), ..WalkOptions::default() };
        let entries = tree.walk(&options).unwrap_or_default();
        let shown = entries.into_iter().map(|it| if it.is_dir { format!("{}/", it.rel) } else { it.rel });
        shown.filter(|it| it.starts_with(prefix)).take(LISTED).collect()
    }
}
