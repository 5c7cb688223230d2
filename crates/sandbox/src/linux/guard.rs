//! Names that a command may not make, and links that it may not replace: looked up by the folder itself, not by its path.

use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

/// A name in a folder.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Name {
    device: u64,
    inode: u64,
    name: OsString,
}

impl Name {
    /// `name` in the folder at `folder`, which exists.
    pub(super) fn within(folder: &Path, name: &OsStr) -> io::Result<Name> {
        let folder = fs::metadata(folder)?;
        Ok(Name::of(folder.dev(), folder.ino(), name))
    }

    /// `name` in the folder with these numbers. Some file systems do not tell large from small letters; nor does this.
    pub(super) fn of(device: u64, inode: u64, name: &OsStr) -> Name {
        Name { device, inode, name: name.to_ascii_lowercase() }
    }
}

/// All such names of one command.
#[derive(Clone, Debug, Default)]
pub(super) struct Guard {
    missing: BTreeSet<Name>,
    links: BTreeSet<Name>,
}

impl Guard {
    /// `name` does not exist and may not be made.
    pub(super) fn refuse(&mut self, name: Name) {
        self.missing.insert(name);
    }

    /// `name` is a link and must stay that link.
    pub(super) fn pin(&mut self, name: Name) {
        self.links.insert(name);
    }

    /// True when nothing is guarded.
    pub(super) fn is_empty(&self) -> bool {
        self.missing.is_empty() && self.links.is_empty()
    }

    /// True when links are guarded, so that removing a name matters too.
    pub(super) fn has_links(&self) -> bool {
        !self.links.is_empty()
    }

    /// True when `name` does not exist and may not be made.
    pub(super) fn is_missing(&self, name: &Name) -> bool {
        self.missing.contains(name)
    }

    /// True when `name` may not be made, replaced or removed.
    pub(super) fn holds(&self, name: &Name) -> bool {
        self.missing.contains(name) || self.links.contains(name)
    }
}
