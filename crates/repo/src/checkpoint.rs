//! Checkpoints: what the working tree was at earlier moments, and the way back to each of them.
//!
//! They are kept in a store of their own, in git's object format; the user's `.git`, index, stash and refs are never
//! written; what is lost of them is brought back by undo, and nothing else. Kept are the bytes of files, untracked and ignored ones included, permission
//! bits, links and empty folders. Not kept are times (what is put back is new, so that build tools see it), owners,
//! extended attributes of files that are gone, hard links as such, and what [`Skip`] names, which is always said.

mod contents;
mod differ;
mod folders;
mod gitdir;
mod history;
mod index;
mod limits;
mod merge;
mod modes;
mod object;
mod pack;
mod packs;
mod plan;
mod prune;
mod record;
mod restore;
mod rules;
mod scan;
mod show;
mod skip;
mod stage;
mod store;
mod take;
mod tracked;
mod types;
mod undo;

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::{RepoError, Tree};
use store::Store;

pub use limits::Limits;
pub use prune::Pruned;
pub use skip::{Skip, Skipped};
pub use types::{Checkpoint, Note, Point, Restored, Taken};
pub use undo::{UndoOutcome, UndoPreview};

/// The checkpoints of one working tree. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Checkpoints {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    tree: Tree,
    limits: Limits,
    /// The state folder, which may lie in the tree.
    state: PathBuf,
    store: Mutex<Store>,
    /// What happened that nobody has asked for yet.
    reported: Mutex<Vec<String>>,
    /// The tree has too many files; only what git tracks is kept.
    tracked: Mutex<bool>,
}

impl Checkpoints {
    /// Opens the checkpoints of `tree` in `state`, a folder of this user's that lasts. Nothing is made before the first
    /// checkpoint is. A restore that a crash cut short is completed.
    pub fn open(state: &Path, tree: &Tree) -> Result<Checkpoints, RepoError> {
        Checkpoints::open_with(state, tree, Limits::default())
    }

    /// The same with other limits.
    pub fn open_with(state: &Path, tree: &Tree, limits: Limits) -> Result<Checkpoints, RepoError> {
        let store = Mutex::new(Store::new(state, tree.root()));
        let inner = Inner {
            tree: tree.clone(),
            limits,
            state: state.to_owned(),
            store,
            reported: Mutex::default(),
            tracked: Mutex::default(),
        };
        let checkpoints = Checkpoints { inner: Arc::new(inner) };
        checkpoints.recover();
        Ok(checkpoints)
    }

    /// All checkpoints, oldest first.
    pub fn list(&self) -> Result<Vec<Checkpoint>, RepoError> {
        let mut store = self.store();
        store.refresh()?;
        Ok(store.history.all.iter().map(|it| it.checkpoint.clone()).collect())
    }

    /// The checkpoint whose id begins so.
    pub fn find(&self, id: &str) -> Result<Checkpoint, RepoError> {
        let mut store = self.store();
        store.refresh()?;
        Ok(store.find(id)?.checkpoint.clone())
    }

    /// What happened to the store that a user should hear of, in sentences; each is told once.
    pub fn reported(&self) -> Vec<String> {
        std::mem::take(&mut *self.inner.reported.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn tell(&self, words: String) {
        self.inner.reported.lock().unwrap_or_else(PoisonError::into_inner).push(words);
    }

    fn store(&self) -> MutexGuard<'_, Store> {
        self.inner.store.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests;
