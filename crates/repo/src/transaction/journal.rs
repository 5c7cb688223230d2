//! The journal: one file for each tree, in a folder outside it, that holds the plan of the transaction under way.
//!
//! It is the lock too: who holds it is the only one who changes the tree by a transaction. It says something only while a
//! transaction is under way or after one was cut short, and holds old contents then, so nobody else can read it. Between
//! transactions it is empty, since making and removing it costs as much as an edit; it goes with the last [`Tree`].

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use super::codec;
use super::plan::Plan;
use crate::tree::Inner;
use crate::{Hash, RepoError, Tree, lock, sys};

/// How long a transaction waits for that of another process.
const PATIENCE: Duration = Duration::from_secs(10);
/// The first bytes; the last of them is the version.
const MAGIC: &[u8; 8] = b"OXJRNL\n1";
/// How long the end of a tree waits. A process that is just being started holds a copy of every lock until it runs its
/// own program; a journal that stays because of that is empty, and goes when the tree is next opened.
const LEAVING: Duration = Duration::from_secs(1);
/// Appended when all changes are made and on the disk.
const COMPLETE: &[u8] = b"complete";
const HASH: usize = 32;

/// The journal of one tree, held by this process until it is dropped.
#[derive(Debug)]
pub(super) struct Journal {
    dir: OwnedFd,
    name: String,
    file: File,
    path: PathBuf,
    /// Length of the plan's record.
    length: u64,
}

/// What a transaction left that did not come to its end.
#[derive(Debug)]
pub(super) struct Left {
    pub plan: Plan,
    /// Only tidying up was left to do.
    pub complete: bool,
}

impl Journal {
    /// Takes the tree's journal. Waits while another process has it, but not for ever.
    pub(super) fn take(tree: &Tree) -> Result<Journal, RepoError> {
        tree.inner.used.store(true, Ordering::Relaxed);
        Journal::take_within(&tree.inner, PATIENCE)
    }

    pub(super) fn take_within(tree: &Inner, patience: Duration) -> Result<Journal, RepoError> {
        let name = name_of(tree);
        let path = tree.journals.join(&name);
        let held = lock::take(&tree.journals, &name, patience);
        let held = held.map_err(|source| RepoError::Journal { path: path.display().to_string(), source })?;
        let (dir, file) = held.ok_or_else(|| RepoError::Busy { path: tree.root.display().to_string() })?;
        Ok(Journal { dir, name, file, path, length: 0 })
    }

    /// True when there is a journal: a transaction is under way, or was cut short.
    pub(super) fn exists(tree: &Tree) -> bool {
        tree.inner.journals.join(name_of(&tree.inner)).symlink_metadata().is_ok()
    }

    /// What an earlier transaction left. A record that is not whole is none: no change is made before it is.
    pub(super) fn left(&mut self) -> Result<Option<Left>, RepoError> {
        let mut bytes = Vec::new();
        let read = self.file.seek(SeekFrom::Start(0)).and_then(|_| self.file.read_to_end(&mut bytes));
        read.map_err(|it| self.fail(it))?;
        if bytes.starts_with(&MAGIC[..7]) && bytes.get(7).is_some_and(|it| *it != MAGIC[7]) {
            return Err(self.fail(io::Error::other("it was written by another version of Ox; run that version once")));
        }
        Ok(parse(&bytes))
    }

    /// True when nothing has been written to it.
    pub(super) fn is_empty(&self) -> Result<bool, RepoError> {
        self.file.metadata().map(|it| it.len() == 0).map_err(|it| self.fail(it))
    }

    /// Writes the plan; `durable`: and waits until it is on the disk.
    pub(super) fn write(&mut self, plan: &Plan, durable: bool) -> Result<(), RepoError> {
        let body = codec::encode(plan);
        let mut bytes = Vec::with_capacity(body.len() + 48);
        bytes.extend_from_slice(MAGIC);
        bytes.extend_from_slice(&(body.len() as u64).to_le_bytes());
        bytes.extend_from_slice(&body);
        bytes.extend_from_slice(Hash::of(&body).bytes());
        self.length = bytes.len() as u64;
        let written = sys::write(&self.file, &bytes).and_then(|()| match durable {
            true => sys::sync(&self.file).and_then(|()| sys::sync_folder(&self.dir)),
            false => Ok(()),
        });
        written.map_err(|it| self.fail(it.into()))
    }

    /// From here on the transaction stands, whatever happens.
    pub(super) fn complete(&self) -> Result<(), RepoError> {
        sys::write(&self.file, COMPLETE).and_then(|()| sys::sync(&self.file)).map_err(|it| self.fail(it.into()))
    }

    /// Takes `complete` back, after it failed and so may or may not be on the disk.
    pub(super) fn incomplete(&self) -> Result<(), RepoError> {
        let cut = sys::truncate(&self.file, self.length).and_then(|()| sys::sync(&self.file));
        cut.map_err(|it| self.fail(it.into()))
    }

    /// Forgets the plan, so that it is never taken back again.
    pub(super) fn forget(&mut self) -> Result<(), RepoError> {
        let cut = sys::truncate(&self.file, 0).and_then(|()| sys::sync(&self.file));
        cut.map_err(|it| self.fail(it.into()))?;
        self.length = 0;
        self.file.seek(SeekFrom::Start(0)).map(|_| ()).map_err(|it| self.fail(it))
    }

    /// Empties the journal, which has nothing left to say. Where that fails it says what is true: the transaction is
    /// complete, or one step that the file system made atomic.
    pub(super) fn release(self) {
        if self.length > 0 {
            let _ = sys::truncate(&self.file, 0);
        }
    }

    /// Removes the journal, which is empty.
    pub(super) fn remove(self) {
        let _ = sys::unlink(&self.dir, self.name.as_ref());
    }

    fn fail(&self, source: io::Error) -> RepoError {
        RepoError::Journal { path: self.path.display().to_string(), source }
    }
}

/// The last one who used the tree removes its journal, unless it says something or another process holds it.
impl Drop for Inner {
    fn drop(&mut self) {
        // Nothing is made here that is gone already.
        if self.used.load(Ordering::Relaxed)
            && Arc::strong_count(&self.used) == 1
            && self.journals.join(name_of(self)).symlink_metadata().is_ok()
            && let Ok(journal) = Journal::take_within(self, LEAVING)
            && journal.is_empty().unwrap_or(false)
        {
            journal.remove();
        }
    }
}

fn parse(bytes: &[u8]) -> Option<Left> {
    let rest = bytes.strip_prefix(MAGIC)?;
    let (length, rest) = rest.split_at_checked(8)?;
    let length = u64::from_le_bytes(length.try_into().ok()?).try_into().ok()?;
    let (body, rest) = rest.split_at_checked(length)?;
    let (hash, rest) = rest.split_at_checked(HASH)?;
    if Hash::of(body).bytes() != hash {
        return None;
    }
    Some(Left { plan: codec::decode(body)?, complete: rest == COMPLETE })
}

fn name_of(tree: &Inner) -> String {
    let hash = Hash::of(tree.root.as_os_str().as_bytes()).to_string();
    format!("{}.journal", &hash[..32])
}
