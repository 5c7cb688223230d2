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

mod apply;
mod check;
mod codec;
mod journal;
mod plan;
mod recover;
mod restore;
#[cfg(test)]
mod tests;
mod undo;

use crate::{FileText, Hash, RepoError, Tree};
use check::Draft;
use journal::Journal;

pub use recover::{Kept, Recovery};

/// One change to the tree. Paths are relative to the root, or absolute.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    /// A new UTF-8 file, and the folders that it needs. Refused where something is already there.
    Create {
        /// Where.
        path: String,
        /// Its text.
        text: String,
    },
    /// A new file of any bytes, and the folders that it needs. Refused where something is already there.
    CreateBytes {
        /// Where.
        path: String,
        /// Its bytes.
        bytes: Vec<u8>,
    },
    /// New text for a file, in its encoding, with its mode, owner and attributes; behind a link, for the link's target.
    Write {
        /// Where.
        path: String,
        /// The file as it was read; the change is refused when it is no longer that.
        old: FileText,
        /// Its new text.
        text: String,
    },
    /// Another path for a file, link or folder. Refused where something is at the new path.
    Rename {
        /// The present path.
        from: String,
        /// The new path; missing folders are made.
        to: String,
        /// The content that the file is expected to have; none: whatever it has.
        expected: Option<Hash>,
    },
    /// The end of a file, a link, or a folder with everything in it.
    Delete {
        /// Where.
        path: String,
        /// The content that the file is expected to have; none: whatever it has.
        expected: Option<Hash>,
    },
}

/// A change that was made. Paths are relative to the root, absolute in an added folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Applied {
    /// A file is new.
    Created {
        /// Where.
        rel: String,
        /// Of its bytes.
        hash: Hash,
    },
    /// A file has new text.
    Written {
        /// Where; behind a link, the target.
        rel: String,
        /// Of its new bytes.
        hash: Hash,
    },
    /// Something has another path.
    Renamed {
        /// The old path.
        from: String,
        /// The new path.
        to: String,
    },
    /// Files are gone.
    Deleted {
        /// All of them, sorted.
        files: Vec<String>,
    },
}

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

/// While it is held no transaction changes the tree.
#[derive(Debug)]
pub(crate) struct Held {
    _journal: Journal,
}

impl Tree {
    /// Keeps transactions out, after ending what a crash has cut short.
    pub(crate) fn hold(&self) -> Result<Held, RepoError> {
        let mut journal = Journal::take(self)?;
        self.settle(&mut journal)?;
        Ok(Held { _journal: journal })
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
        let mut journal = Journal::take(self)?;
        self.settle(&mut journal)?;
        let outcome = Draft::of(self, changes).and_then(|draft| {
            let tidy = match draft.plan.single {
                true => apply::single(&draft, &mut journal)?,
                false => apply::all(&draft, &mut journal, &mut |it| self.note(it))?,
            };
            Ok((draft.applied, tidy))
        });
        // What cannot be settled now stays in the journal for the next recovery.
        if !matches!(outcome, Err(RepoError::Unsettled { .. }) | Ok((_, false))) {
            journal.release();
        }
        outcome.map(|(applied, _)| applied)
    }
}
