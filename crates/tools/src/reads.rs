//! What the model has read, so that nothing is overwritten that it has not seen (E5).
//!
//! It holds hashes and never contents, and it is told of every read and write; it looks at no disk itself.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use ox_repo::Hash;

/// Files by path relative to the root, with the hash of their bytes when the model last saw or wrote them.
#[derive(Debug, Default)]
pub struct Reads {
    seen: Mutex<BTreeMap<String, Hash>>,
    /// Files of which only the first so many lines have been seen.
    parts: Mutex<BTreeMap<String, (Hash, usize)>>,
}

impl Reads {
    /// The model has seen all of `rel` with these bytes.
    pub fn mark(&self, rel: &str, hash: Hash) {
        self.seen().insert(rel.to_string(), hash);
    }

    /// The model has seen lines `from` to `to` (1-based, inclusive) of `total`. Parts that follow one another without a
    /// gap make a whole.
    pub fn mark_part(&self, rel: &str, hash: Hash, from: usize, to: usize, total: usize) {
        let mut parts = self.parts.lock().unwrap_or_else(PoisonError::into_inner);
        let known = parts.get(rel).filter(|(seen, _)| *seen == hash).map_or(0, |(_, lines)| *lines);
        let lines = if from <= known + 1 { known.max(to) } else { known };
        if lines >= total {
            parts.remove(rel);
            self.mark(rel, hash);
        } else {
            parts.insert(rel.to_string(), (hash, lines));
        }
    }

    /// The bytes with which the model last saw all of `rel`.
    pub fn get(&self, rel: &str) -> Option<Hash> {
        self.seen().get(rel).copied()
    }

    /// `rel`, and everything beneath it, is gone.
    pub fn forget(&self, rel: &str) {
        let beneath = format!("{rel}/");
        self.seen().retain(|path, _| path != rel && !path.starts_with(&beneath));
    }

    /// `from` is now called `to`.
    pub fn rename(&self, from: &str, to: &str) {
        let mut seen = self.seen();
        let beneath = format!("{from}/");
        let moved: Vec<String> = seen.keys().filter(|it| *it == from || it.starts_with(&beneath)).cloned().collect();
        for path in moved {
            let hash = seen.remove(&path).expect("the path was listed from this map");
            seen.insert(format!("{to}{}", &path[from.len()..]), hash);
        }
    }

    /// Takes up what an earlier run of the conversation had seen.
    pub fn restore(&self, seen: impl IntoIterator<Item = (String, Hash)>) {
        self.seen().extend(seen);
    }

    /// Everything seen, to hand to [`Reads::restore`] later.
    pub fn all(&self) -> Vec<(String, Hash)> {
        self.seen().iter().map(|(path, hash)| (path.clone(), *hash)).collect()
    }

    /// A panic elsewhere leaves the map whole, as each change to it is one step.
    fn seen(&self) -> MutexGuard<'_, BTreeMap<String, Hash>> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_follow_moves_and_removals_of_folders() {
        let reads = Reads::default();
        let hash = Hash::of(b"x");
        for path in ["a/b.rs", "a/c/d.rs", "ab.rs"] {
            reads.mark(path, hash);
        }
        reads.rename("a", "z");
        let paths = |reads: &Reads| reads.all().into_iter().map(|(path, _)| path).collect::<Vec<_>>().join(" ");
        assert_eq!(paths(&reads), "ab.rs z/b.rs z/c/d.rs");
        reads.forget("z/c");
        assert_eq!(paths(&reads), "ab.rs z/b.rs");
        reads.mark_part("big", hash, 1, 100, 300);
        reads.mark_part("big", hash, 201, 300, 300);
        assert_eq!(reads.get("big"), None, "there is a gap");
        reads.mark_part("big", hash, 101, 300, 300);
        assert_eq!(reads.get("big"), Some(hash));
        let resumed = Reads::default();
        resumed.restore(reads.all());
        assert_eq!(resumed.get("z/b.rs"), Some(hash));
        assert_eq!(resumed.get("z/c/d.rs"), None);
    }
}
