//! What the model has read, so that nothing is overwritten that it has not seen.
//!
//! It holds hashes, and of small files the text, in bounded memory. It is told of every read and write; it looks at no
//! disk itself.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use ox_repo::Hash;

use crate::session::read_texts::Texts;

/// Files by path relative to the root, with the hash of their bytes when the model last saw or wrote them.
#[derive(Default)]
pub struct ReadLog {
    seen: Mutex<BTreeMap<String, Hash>>,
    /// Files of which only the first so many lines have been seen.
    parts: Mutex<BTreeMap<String, (Hash, usize)>>,
    /// What the model believes the texts of files to be, of those that it has seen at least a part of.
    texts: Mutex<Texts>,
}

impl fmt::Debug for ReadLog {
    /// Paths only: texts would fill the log, and may be confidential.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.seen().keys()).finish()
    }
}

impl ReadLog {
    /// A log of its own that holds the same.
    pub(crate) fn copied(&self) -> ReadLog {
        ReadLog {
            seen: Mutex::new(self.seen().clone()),
            parts: Mutex::new(lock(&self.parts).clone()),
            texts: Mutex::new(lock(&self.texts).clone()),
        }
    }

    /// The model has seen all of `rel` with these bytes.
    pub(crate) fn mark(&self, rel: &str, hash: Hash) {
        self.seen().insert(rel.to_string(), hash);
    }

    /// The model has seen lines `from` to `to` (1-based, inclusive) of `total`. Parts that follow one another without a
    /// gap make a whole.
    pub(crate) fn mark_part(&self, rel: &str, hash: Hash, from: usize, to: usize, total: usize) {
        let mut parts = lock(&self.parts);
        let known = parts.get(rel).filter(|(seen, _)| *seen == hash).map_or(0, |(_, lines)| *lines);
        let lines = if from <= known + 1 { known.max(to) } else { known };
        if lines >= total {
            parts.remove(rel);
            self.mark(rel, hash);
        } else {
            parts.insert(rel.to_string(), (hash, lines));
        }
    }

    /// Forgets everything.
    pub fn clear(&self) {
        self.seen().clear();
        lock(&self.parts).clear();
        *lock(&self.texts) = Texts::default();
    }

    /// The bytes with which the model last saw all of `rel`.
    pub fn get(&self, rel: &str) -> Option<Hash> {
        self.seen().get(rel).copied()
    }

    /// True when the model has seen `rel`, or a part of it, with these bytes.
    pub(crate) fn saw(&self, rel: &str, hash: Hash) -> bool {
        self.get(rel) == Some(hash) || lock(&self.parts).get(rel).is_some_and(|(seen, _)| *seen == hash)
    }

    /// The model believes that `text` is the text of `rel`: it has read some of it, or made it so.
    pub(crate) fn believe(&self, rel: &str, text: &str) {
        lock(&self.texts).put(rel, text);
    }

    /// The text that the model believes `rel` to have, where it is held.
    pub(crate) fn last_seen(&self, rel: &str) -> Option<Arc<str>> {
        lock(&self.texts).get(rel)
    }

    /// The model itself has turned `rel` from `old` into `new`, whose text is `text`; `merged` is what it believes the
    /// text to be where somebody else's change is in it too. Who had seen all of the file, or a part, knows the result.
    pub(crate) fn wrote(&self, rel: &str, old: (Hash, &str), new: (Hash, &str), merged: Option<&str>) {
        let known = self.last_seen(rel).is_some_and(|it| *it == *old.1) || self.saw(rel, old.0);
        if let Some(text) = merged {
            self.believe(rel, text);
            return;
        }
        if self.get(rel) == Some(old.0) {
            self.mark(rel, new.0);
        } else if let Some((seen, lines)) = lock(&self.parts).get_mut(rel).filter(|(seen, _)| *seen == old.0) {
            // Which lines those are now is not followed.
            (*seen, *lines) = (new.0, 0);
        }
        match known {
            true => self.believe(rel, new.1),
            false => lock(&self.texts).drop_where(|path| path == rel),
        }
    }

    /// `rel`, and everything beneath it, is gone.
    pub(crate) fn forget(&self, rel: &str) {
        let beneath = format!("{rel}/");
        let gone = |path: &str| path == rel || path.starts_with(&beneath);
        self.seen().retain(|path, _| !gone(path));
        lock(&self.parts).retain(|path, _| !gone(path));
        lock(&self.texts).drop_where(gone);
    }

    /// `from` is now called `to`.
    pub(crate) fn rename(&self, from: &str, to: &str) {
        let renamed = |path: &str| {
            let rest = path.strip_prefix(from).filter(|it| it.is_empty() || it.starts_with('/'))?;
            Some(format!("{to}{rest}"))
        };
        rename_keys(&mut self.seen(), renamed);
        rename_keys(&mut lock(&self.parts), renamed);
        lock(&self.texts).rename(renamed);
    }

    /// Takes up what an earlier run of the conversation had seen.
    pub fn restore(&self, seen: impl IntoIterator<Item = (String, Hash)>) {
        self.seen().extend(seen);
    }

    fn seen(&self) -> MutexGuard<'_, BTreeMap<String, Hash>> {
        lock(&self.seen)
    }
}

/// A panic elsewhere leaves what is locked whole, as each change to it is one step.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn rename_keys<V>(map: &mut BTreeMap<String, V>, renamed: impl Fn(&str) -> Option<String>) {
    let moved: Vec<(String, String)> = map.keys().filter_map(|it| Some((it.clone(), renamed(it)?))).collect();
    for (from, to) in moved {
        let value = map.remove(&from).expect("the path was listed from this map");
        map.insert(to, value);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_follow_moves_and_removals_of_folders() {
        let reads = ReadLog::default();
        let hash = Hash::of(b"x");
        for path in ["a/b.rs", "a/c/d.rs", "ab.rs"] {
            reads.mark(path, hash);
        }
        reads.believe("a/b.rs", "b");
        reads.believe("ab.rs", "ab");
        reads.rename("a", "z");
        assert_eq!(reads.last_seen("z/b.rs").as_deref(), Some("b"));
        assert_eq!((reads.last_seen("a/b.rs"), reads.last_seen("ab.rs").as_deref()), (None, Some("ab")));
        let paths = |reads: &ReadLog| reads.seen().keys().cloned().collect::<Vec<_>>().join(" ");
        assert_eq!(paths(&reads), "ab.rs z/b.rs z/c/d.rs");
        reads.forget("z/c");
        assert_eq!(paths(&reads), "ab.rs z/b.rs");
        reads.mark_part("big", hash, 1, 100, 300);
        reads.mark_part("big", hash, 201, 300, 300);
        assert_eq!(reads.get("big"), None, "there is a gap");
        reads.mark_part("big", hash, 101, 300, 300);
        assert_eq!(reads.get("big"), Some(hash));
        let resumed = ReadLog::default();
        resumed.restore(reads.seen().clone());
        assert_eq!(resumed.get("z/b.rs"), Some(hash));
        assert_eq!(resumed.get("z/c/d.rs"), None);
    }
}
