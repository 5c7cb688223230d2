//! Texts of files as an editor has them, with changes that it has not saved.
//!
//! Promise: nothing of it is ever written. A text is shown only while its file on disk is the one that was changed.

use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::Hash;

/// Texts that are not saved, by the absolute paths of their files. A clone is the same set.
#[derive(Clone, Default)]
pub struct Unsaved(Arc<Mutex<BTreeMap<PathBuf, Text>>>);

/// A text, and the bytes on disk that it was changed from.
struct Text {
    base: Hash,
    text: String,
}

impl fmt::Debug for Unsaved {
    /// Paths only: texts may be confidential.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.texts().keys()).finish()
    }
}

impl Unsaved {
    /// An editor has `text` of the file with these bytes, which is UTF-8 without a byte-order mark.
    pub fn put(&self, abs: PathBuf, base: Hash, text: String) {
        self.texts().insert(abs, Text { base, text });
    }

    /// The file on disk is all that there is of it.
    pub fn forget(&self, abs: &Path) {
        self.texts().remove(abs);
    }

    /// True where a text of the file may not be saved.
    pub(crate) fn has(&self, abs: &Path) -> bool {
        self.texts().contains_key(abs)
    }

    /// What is not saved of the file with these bytes.
    pub(crate) fn of(&self, abs: &Path, disk: Hash) -> Option<String> {
        self.texts().get(abs).filter(|it| it.base == disk).map(|it| it.text.clone())
    }

    /// The bytes on disk that a text which was read with `seen` was changed from.
    pub(crate) fn base(&self, abs: &Path, seen: Hash) -> Option<Hash> {
        self.texts().get(abs).filter(|it| Hash::of(it.text.as_bytes()) == seen).map(|it| it.base)
    }

    fn texts(&self) -> MutexGuard<'_, BTreeMap<PathBuf, Text>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
