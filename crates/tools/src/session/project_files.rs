//! The tree as language servers are shown it.

use std::collections::BTreeMap;

use ox_lsp::{FileError, Files};
use ox_repo::Tree;

/// The files of a tree.
pub(crate) struct ProjectFiles(pub Tree);

impl Files for ProjectFiles {
    fn read(&self, path: &str) -> Result<String, FileError> {
        Ok(self.0.read(path).map(|it| it.text)?)
    }

    fn stamps(&self) -> BTreeMap<String, String> {
        self.0.snapshot().files().iter().map(|(path, stat)| (path.clone(), format!("{stat:?}"))).collect()
    }
}
