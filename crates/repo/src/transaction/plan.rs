//! What a transaction is going to do, and all that is needed to take it back. Plain data; nothing here touches a disk.

use std::ffi::OsString;

use crate::attributes::Attributes;
use crate::{Hash, Located};

/// The identity of a file's bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Mark {
    pub size: u64,
    pub hash: Hash,
}

impl Mark {
    pub(crate) fn of(bytes: &[u8]) -> Mark {
        Mark { size: bytes.len() as u64, hash: Hash::of(bytes) }
    }
}

/// A file as it was.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Old {
    pub bytes: Vec<u8>,
    pub mark: Mark,
    pub attributes: Attributes,
}

/// Something that is to be deleted, as far as it can be made again from here.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Gone {
    File(Old),
    /// Where the link points to.
    Link(OsString),
    /// A folder, or a file too large to copy: it exists once, under its temporary name.
    Aside,
}

/// One change. Every temporary name lies in the same folder as the thing itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    /// `temp` is filled, then put in place where nothing is.
    Create { at: Located, temp: OsString, new: Mark },
    /// `temp` is filled, the old file gets the second name `aside`, then `temp` replaces it.
    Modify { at: Located, temp: OsString, aside: OsString, old: Box<Old>, new: Mark },
    /// `inode` tells whether what is found at `to` is what was at `from`.
    Rename { from: Located, to: Located, inode: u64 },
    /// It is renamed to `aside`, and removed when the transaction is complete.
    Delete { at: Located, aside: OsString, old: Gone },
}

impl Step {
    /// Creates come first and deletions last (T12), so that nothing is gone before what replaces it is there.
    pub(crate) fn order(&self) -> u8 {
        match self {
            Step::Create { .. } => 0,
            Step::Modify { .. } => 1,
            Step::Rename { .. } => 2,
            Step::Delete { .. } => 3,
        }
    }

    /// Every place that the step changes.
    pub(crate) fn places(&self) -> Vec<&Located> {
        match self {
            Step::Create { at, .. } | Step::Modify { at, .. } | Step::Delete { at, .. } => vec![at],
            Step::Rename { from, to, .. } => vec![from, to],
        }
    }
}

/// All of one transaction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Plan {
    /// True for one step that the file system itself makes atomic. Such a plan is never taken back once the step is
    /// made; it is there so that temporary files and empty folders are found after a crash.
    pub single: bool,
    /// Folders to make, the outermost first.
    pub folders: Vec<Located>,
    /// In the order in which they are made.
    pub steps: Vec<Step>,
}

impl Plan {
    /// Every folder in which a name changes, once each, by a place in it.
    pub(crate) fn touched(&self) -> Vec<&Located> {
        let mut all: Vec<&Located> = self.steps.iter().flat_map(Step::places).chain(&self.folders).collect();
        all.sort_by_key(|it| it.abs.parent());
        all.dedup_by_key(|it| it.abs.parent());
        all
    }
}

/// The name under which a file is rebuilt before it gets the name `aside`, so that `aside` is always complete.
pub(crate) fn part(aside: &OsString) -> OsString {
    let mut name = aside.clone();
    name.push(".part");
    name
}
