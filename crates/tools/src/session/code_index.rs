//! The index of the project's code, as tools are handed it: a snapshot, a reader of the files as they are now, and a refresh.
//! It builds nothing by itself and starts no process.

use std::io;
use std::sync::Arc;

use ox_index::Snapshot;
use ox_index::embed::Similar;

/// Gives the snapshot of this moment.
pub type Now = Arc<dyn Fn() -> Snapshot + Send + Sync>;
/// Reads a file of the project as it is on disk, by its path from the root.
pub type ReadBytes = Arc<dyn Fn(&str) -> io::Result<Vec<u8>> + Send + Sync>;
/// The pieces whose vectors are most like a text's, at most so many; none where there are no vectors.
pub type Alike = Arc<dyn Fn(&str, usize) -> Vec<Similar> + Send + Sync>;
/// Brings the index up to date; it may take as long as it takes.
pub type Refresh = Arc<dyn Fn() + Send + Sync>;

/// The index of the project, for those who ask. Cheap to clone.
#[derive(Clone)]
pub struct CodeIndex {
    /// What is known now.
    pub snapshot: Now,
    /// The files as they are.
    pub read: ReadBytes,
    /// What means the same as a text.
    pub similar: Alike,
    /// Has the index look at the tree.
    pub refresh: Refresh,
}

impl CodeIndex {
    /// The bytes of a file as it is now.
    pub(crate) fn read(&self, path: &str) -> io::Result<Vec<u8>> {
        (self.read)(path)
    }
}

/// A file as the tree lists it, for the index.
pub(crate) fn file_state(it: ox_repo::State) -> ox_index::FileState {
    let ox_repo::State { path, size, mtime, ctime, inode, mode } = it;
    ox_index::FileState { path, size, mtime, ctime, inode, mode }
}
