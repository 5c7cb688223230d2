//! What only whoever changes the index knows: what of it is on disk, and what is not.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::time::Duration;

use crate::store::files::Key;
use crate::store::manifest::{FileStamp, Piece};

/// What only whoever changes the index knows.
#[derive(Debug, Default)]
pub(crate) struct WriterState {
    /// The manifest that the present state came from or was written to.
    pub(crate) version: Option<FileStamp>,
    /// The folders of the segments on disk.
    pub(crate) pieces: HashMap<String, Piece>,
    /// Contents without a file, and since when.
    pub(crate) unreferenced_since: HashMap<Key, u64>,
    /// The state is not what the manifest says.
    pub(crate) dirty: bool,
    /// What was set aside and not yet reported.
    pub(crate) broken: Vec<String>,
    /// While all files are looked at: the paths that were edited meanwhile.
    pub(crate) edited: Option<HashSet<Arc<str>>>,
    /// How long the last writing took.
    pub(crate) took: Duration,
}
