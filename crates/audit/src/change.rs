//! One file of a change: what it was and what it is.

use ox_protocol::ChangeSize;

use crate::diff::Diff;

/// A changed file. Both texts are there for one that was modified, one of them for one that was made or deleted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Changed {
    /// Its name now; of a deleted one its last.
    pub path: String,
    /// Its name before; none where it is new.
    pub from: Option<String>,
    /// Its text before.
    pub before: Option<String>,
    /// Its text now.
    pub after: Option<String>,
}

impl Changed {
    /// A file by its texts, under one name.
    pub fn new(path: &str, before: Option<&str>, after: Option<&str>) -> Changed {
        Changed {
            path: path.to_owned(),
            from: before.is_some().then(|| path.to_owned()),
            before: before.map(str::to_owned),
            after: after.map(str::to_owned),
        }
    }

    /// How large the change of this file is.
    pub fn size(&self) -> ChangeSize {
        let diff = Diff::of(self.before_text(), self.after_text());
        ChangeSize { files: 1, lines: u32::try_from(diff.added.len() + diff.removed.len()).unwrap_or(u32::MAX) }
    }

    pub(crate) fn before_text(&self) -> &str {
        self.before.as_deref().unwrap_or_default()
    }

    pub(crate) fn after_text(&self) -> &str {
        self.after.as_deref().unwrap_or_default()
    }

    pub(crate) fn before_path(&self) -> &str {
        self.from.as_deref().unwrap_or(&self.path)
    }
}
