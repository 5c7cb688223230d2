//! The lock of a tree: its journal, one file for each tree in a folder outside it, with the plan of the transaction under way.
//!
//! It is the lock too: who holds it is the only one who changes the tree by a transaction. It says something only while a
//! transaction is under way or after one was cut short, and holds old contents then, so nobody else can read it. Between
//! transactions it is empty, since making and removing it costs as much as an edit; it goes with the last [`Tree`].

use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use crate::change::journal::Journal;
use crate::tree::Inner;
use crate::{Hash, RepoError, Tree, lock};

/// How long a transaction waits for that of another process.
const PATIENCE: Duration = Duration::from_secs(10);
/// How long the end of a tree waits. A process that is just being started holds a copy of every lock until it runs its
/// own program; a journal that stays because of that is empty, and goes when the tree is next opened.
const LEAVING: Duration = Duration::from_secs(1);

/// The journal of one tree, held by this process until it is dropped.
#[derive(Debug)]
pub(crate) struct TreeLock {
    journal: Journal,
    path: PathBuf,
}

impl TreeLock {
    /// Takes the tree's journal. Waits while another process has it, but not for ever.
    pub(super) fn take(tree: &Tree) -> Result<TreeLock, RepoError> {
        tree.inner.used.store(true, Ordering::Relaxed);
        TreeLock::take_within(&tree.inner, PATIENCE)
    }

    pub(super) fn take_within(tree: &Inner, patience: Duration) -> Result<TreeLock, RepoError> {
        let name = name_of(tree);
        let path = tree.journals.join(&name);
        let held = lock::take(&tree.journals, &name, patience);
        let held = held.map_err(|source| RepoError::Journal { path: path.display().to_string(), source })?;
        let (dir, file) = held.ok_or_else(|| RepoError::Busy { path: tree.root.display().to_string() })?;
        Ok(TreeLock { journal: Journal::new(dir, &name, file), path })
    }

    /// True when there is a journal: a transaction is under way, or was cut short.
    pub(super) fn exists(tree: &Tree) -> bool {
        tree.inner.journals.join(name_of(&tree.inner)).symlink_metadata().is_ok()
    }

    /// Does something with the journal.
    pub(super) fn with<T>(&mut self, act: impl FnOnce(&mut Journal) -> io::Result<T>) -> Result<T, RepoError> {
        act(&mut self.journal).map_err(|source| RepoError::Journal { path: self.path.display().to_string(), source })
    }

    /// See [`Journal::release`].
    pub(super) fn release(self) {
        self.journal.release();
    }

    /// See [`Journal::remove`].
    pub(super) fn remove(self) {
        self.journal.remove();
    }
}

/// The last one who used the tree removes its journal, unless it says something or another process holds it.
impl Drop for Inner {
    fn drop(&mut self) {
        // Nothing is made here that is gone already.
        if self.used.load(Ordering::Relaxed)
            && Arc::strong_count(&self.used) == 1
            && self.journals.join(name_of(self)).symlink_metadata().is_ok()
            && let Ok(mut lock) = TreeLock::take_within(self, LEAVING)
            && lock.with(|it| it.is_empty()).unwrap_or(false)
        {
            lock.remove();
        }
    }
}

fn name_of(tree: &Inner) -> String {
    let hash = Hash::of(tree.root.as_os_str().as_bytes()).to_string();
    format!("{}.journal", &hash[..32])
}
