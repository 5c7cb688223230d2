//! What the tree looks like at one moment, by its directory entries alone; contents are never read.
//!
//! Two snapshots tell which files a command changed. Ignored files (build output, dependencies) do not count.

use std::collections::BTreeMap;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::Ordering;

use ignore::{DirEntry, WalkState};
use ox_protocol::ChangeKind;
use sha2::{Digest, Sha256};

use crate::{Hash, Tree};

/// From this many files on, walking with threads pays.
const LARGE: usize = 3_000;

/// The state of one file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Stat {
    /// In bytes.
    pub size: u64,
    /// Nanoseconds since 1970.
    pub modified_ns: i128,
    /// Type and permission bits.
    pub mode: u32,
    /// Changes when a file is replaced by another.
    pub inode: u64,
}

/// The state of all files that are not ignored.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Snapshot {
    files: Vec<(String, Stat)>,
}

impl Tree {
    /// Looks at every file that is not ignored, in the root and the added folders.
    pub fn snapshot(&self) -> Snapshot {
        let parallel = self.inner.large.load(Ordering::Relaxed);
        let mut files = Vec::new();
        for base in std::iter::once(&self.inner.root).chain(&self.inner.added) {
            match parallel {
                true => self.look_parallel(base, &mut files),
                false => self.look(base, &mut files),
            }
        }
        self.inner.large.store(files.len() > LARGE, Ordering::Relaxed);
        files.sort_unstable();
        files.dedup();
        Snapshot { files }
    }

    fn look(&self, base: &Path, files: &mut Vec<(String, Stat)>) {
        files.extend(self.walker(base, true).build().flatten().filter_map(|it| self.state(&it)));
    }

    fn look_parallel(&self, base: &Path, files: &mut Vec<(String, Stat)>) {
        let found = Mutex::new(Vec::new());
        let threads = std::thread::available_parallelism().map_or(2, usize::from).min(8);
        self.walker(base, true).threads(threads).build_parallel().run(|| {
            let mut batch = Batch { files: Vec::new(), found: &found };
            Box::new(move |entry| {
                batch.files.extend(entry.ok().and_then(|it| self.state(&it)));
                WalkState::Continue
            })
        });
        files.extend(found.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner));
    }

    fn state(&self, entry: &DirEntry) -> Option<(String, Stat)> {
        if entry.file_type().is_none_or(|it| it.is_dir()) {
            return None;
        }
        let stat = entry.metadata().ok()?;
        let modified_ns = i128::from(stat.mtime()) * 1_000_000_000 + i128::from(stat.mtime_nsec());
        let stat = Stat { size: stat.size(), modified_ns, mode: stat.mode(), inode: stat.ino() };
        Some((self.name(entry.path()), stat))
    }
}

/// One thread's finds, handed over when the thread is done.
struct Batch<'a> {
    files: Vec<(String, Stat)>,
    found: &'a Mutex<Vec<(String, Stat)>>,
}

impl Drop for Batch<'_> {
    fn drop(&mut self) {
        self.found.lock().unwrap_or_else(std::sync::PoisonError::into_inner).append(&mut self.files);
    }
}

impl Snapshot {
    /// The files, sorted by path.
    pub fn files(&self) -> &[(String, Stat)] {
        &self.files
    }

    /// A short text that is equal for equal snapshots and differs for different ones.
    pub fn stamp(&self) -> String {
        let mut digest = Sha256::new();
        for (path, stat) in &self.files {
            digest.update((path.len() as u64).to_le_bytes());
            digest.update(path.as_bytes());
            digest.update(stat.size.to_le_bytes());
            digest.update(stat.modified_ns.to_le_bytes());
            digest.update(stat.mode.to_le_bytes());
            digest.update(stat.inode.to_le_bytes());
        }
        let mut stamp = Hash::finish(digest).to_string();
        stamp.truncate(32);
        stamp
    }

    /// What is different in `later`, sorted by path. A renamed file is one deleted and one created.
    pub fn diff(&self, later: &Snapshot) -> Vec<(String, ChangeKind)> {
        let before: BTreeMap<&str, &Stat> = self.files.iter().map(|(path, stat)| (path.as_str(), stat)).collect();
        let mut gone = before.clone();
        let mut changes = Vec::new();
        for (path, stat) in &later.files {
            gone.remove(path.as_str());
            match before.get(path.as_str()) {
                None => changes.push((path.clone(), ChangeKind::Created)),
                Some(old) if *old != stat => changes.push((path.clone(), ChangeKind::Modified)),
                Some(_) => {}
            }
        }
        changes.extend(gone.into_keys().map(|path| (path.to_owned(), ChangeKind::Deleted)));
        changes.sort_by(|a, b| a.0.cmp(&b.0));
        changes
    }
}
