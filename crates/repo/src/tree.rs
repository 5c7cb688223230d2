//! One working tree: a root, the folders added to it, and nothing else.
//!
//! A `Tree` holds no cache of contents: what it reports is what is on disk when it is asked.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use crate::RepoError;
use crate::error;

/// A working tree. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Tree {
    pub(crate) inner: Arc<Inner>,
}

#[derive(Debug)]
pub(crate) struct Inner {
    /// Canonical.
    pub(crate) root: PathBuf,
    /// Canonical.
    pub(crate) added: Vec<PathBuf>,
    /// The root lies inside a larger git work tree, whose ignore rules hold too.
    pub(crate) nested: bool,
    /// The last snapshot was large: worth the start of threads.
    pub(crate) large: AtomicBool,
}

impl Tree {
    /// Opens the tree at `root` with further folders `added`; all must exist and be folders.
    pub fn open(root: &Path, added: &[PathBuf]) -> Result<Tree, RepoError> {
        let root = folder(root)?;
        let added = added.iter().map(|it| folder(it)).collect::<Result<Vec<_>, _>>()?;
        let nested = !root.join(".git").exists() && crate::git::is_repo(&root);
        Ok(Tree { inner: Arc::new(Inner { root, added, nested, large: AtomicBool::new(false) }) })
    }

    /// The canonical root.
    pub fn root(&self) -> &Path {
        &self.inner.root
    }

    /// The canonical folders added to the root.
    pub fn added(&self) -> &[PathBuf] {
        &self.inner.added
    }
}

fn folder(path: &Path) -> Result<PathBuf, RepoError> {
    let shown = path.display().to_string();
    let real = path.canonicalize().map_err(|it| error::reading(&shown, it))?;
    match real.is_dir() {
        true => Ok(real),
        false => Err(RepoError::NotDirectory { path: shown }),
    }
}
