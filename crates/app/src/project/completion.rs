//! Completing what a user types.

use ox_repo::{Tree, WalkOptions};

use super::Project;

impl Project {
    /// Every file and folder of the project that is not ignored, as relative paths; folders end with `/`.
    pub fn paths(&self) -> Vec<String> {
        let Ok(tree) = Tree::open(&self.root, self.added()) else { return Vec::new() };
        let entries = tree.walk(&WalkOptions::default()).unwrap_or_default();
        entries.into_iter().map(|it| if it.is_dir { format!("{}/", it.rel) } else { it.rel }).collect()
    }

    /// The branch that is checked out; none outside of git or where no branch is.
    pub fn branch(&self) -> Option<String> {
        ox_repo::git::branch(&self.root).filter(|it| !it.is_empty())
    }
}
