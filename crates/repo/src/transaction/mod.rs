//! Changes to several files as one: all of them are made, or none, also when the process ends in the middle.
//!
//! Before the first change a journal outside the tree holds what every file was. Each file is written under a temporary
//! name in its own folder, brought to the disk, and renamed into place; replaced and deleted files keep existing under a
//! temporary name until all is done, so that taking back needs no room on the disk. A transaction that fails is taken
//! back at once; one that was cut short is taken back when the tree is next opened or changed. What somebody else
//! wrote meanwhile is never overwritten.
//!
//! One change to one file needs none of this: a rename is atomic by itself. Then the journal is only a note, which is
//! not waited for, of the temporary name and of the folders that were made, so that a crash leaves neither behind.

mod carry_out;
mod check;
mod lock;
mod recover;
mod request;
#[cfg(test)]
mod tests;

use crate::{FileText, Hash, RepoError, Tree};
use check::Draft;

pub(crate) use lock::TreeLock;
pub use request::{Applied, Change};

/// Changes that are collected before any of them is made. Dropping it makes none.
#[derive(Debug)]
#[must_use = "nothing is changed before `commit`"]
pub struct Transaction {
    tree: Tree,
    changes: Vec<Change>,
}

impl Transaction {
    /// Adds a new file.
    pub fn create(&mut self, path: &str, text: &str) -> &mut Transaction {
        self.add(Change::Create { path: path.to_owned(), text: text.to_owned() })
    }

    /// Adds new text for the file that was read as `old`.
    pub fn write(&mut self, path: &str, old: FileText, text: &str) -> &mut Transaction {
        self.add(Change::Write { path: path.to_owned(), old, text: text.to_owned() })
    }

    /// Adds another path for something that has the content `expected`.
    pub fn rename(&mut self, from: &str, to: &str, expected: Option<Hash>) -> &mut Transaction {
        self.add(Change::Rename { from: from.to_owned(), to: to.to_owned(), expected })
    }

    /// Adds the end of something that has the content `expected`.
    pub fn delete(&mut self, path: &str, expected: Option<Hash>) -> &mut Transaction {
        self.add(Change::Delete { path: path.to_owned(), expected })
    }

    /// Makes all changes or none; see [`Tree::commit`].
    pub fn commit(self) -> Result<Vec<Applied>, RepoError> {
        self.tree.commit(self.changes)
    }

    fn add(&mut self, change: Change) -> &mut Transaction {
        self.changes.push(change);
        self
    }
}

impl Tree {
    /// Keeps transactions out, after ending what a crash has cut short.
    pub(crate) fn lock(&self) -> Result<TreeLock, RepoError> {
        let mut lock = TreeLock::take(self)?;
        self.recover_interrupted(&mut lock)?;
        Ok(lock)
    }

    /// Begins to collect changes.
    pub fn begin(&self) -> Transaction {
        Transaction { tree: self.clone(), changes: Vec::new() }
    }

    /// Makes all of `changes` or none, and answers in their order. They are made creates first, then new texts, then
    /// renames, then deletions; each place may occur once, except that a file may get new text and another path (both
    /// changes then name its present path). After an error the tree is as it was, unless the error is
    /// [`RepoError::Unsettled`]: then it will be after the next recovery.
    pub fn commit(&self, changes: Vec<Change>) -> Result<Vec<Applied>, RepoError> {
        if self.inner.dry {
            return Draft::of(self, changes).map(|it| it.applied);
        }
        let mut lock = TreeLock::take(self)?;
        self.recover_interrupted(&mut lock)?;
        let outcome = Draft::of(self, changes).and_then(|draft| {
            let tidy = match draft.plan.single {
                true => carry_out::single(&draft, &mut lock)?,
                false => carry_out::all(&draft, &mut lock, &mut |it| self.note(it))?,
            };
            Ok((draft.applied, tidy))
        });
        // What cannot be settled now stays in the journal for the next recovery.
        if !matches!(outcome, Err(RepoError::Unsettled { .. }) | Ok((_, false))) {
            lock.release();
        }
        outcome.map(|(applied, _)| applied)
    }
}
