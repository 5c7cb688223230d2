//! What is going to be done, and all that is needed to take it back. Plain data; nothing here touches a disk.

use std::ffi::OsString;

use serde::{Deserialize, Serialize};

use crate::Hash;
use crate::attributes::Attributes;
use crate::located::Located;
use crate::stamp::Stamp;

/// The identity of a file's bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
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
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct FileCopy {
    pub bytes: Vec<u8>,
    pub mark: Mark,
    pub attributes: Attributes,
}

/// What is there before.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Old {
    /// A file that can be made again from here.
    File(Box<FileCopy>),
    /// A link, with its target.
    Link(OsString),
    /// A folder, or a file too large to copy: it exists once, under its own name or the one that it has aside.
    Once,
    /// What a checkpoint holds.
    Recorded {
        /// True for a folder.
        folder: bool,
        /// Tells whether a file or link is still the one that was recorded.
        stamp: Stamp,
    },
}

/// What is there afterwards.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum New {
    /// A file with these bytes.
    File(Mark),
    /// What was at another place; its inode tells it from anything else.
    Moved { from: Located, inode: u64 },
    /// What a checkpoint holds: type and permission bits, and the object.
    Recorded { mode: u32, id: Hash },
}

/// One thing that is made, replaced, moved or removed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Operation {
    pub at: Located,
    pub old: Option<Old>,
    pub new: Option<New>,
    /// The name, in the same folder, of the new before it is in its place.
    pub temp: OsString,
    /// The name, in the same folder, of the old until all is done.
    pub aside: OsString,
}

impl Operation {
    /// True when the new takes the place of the old in one step: neither is a folder.
    pub(crate) fn replaces(&self) -> bool {
        let old = matches!(self.old, Some(Old::File(_) | Old::Recorded { folder: false, .. }));
        old && match self.new {
            Some(New::File(_)) => true,
            Some(New::Recorded { mode, .. }) => mode & 0o170_000 != 0o040_000,
            _ => false,
        }
    }

    /// Every place that the operation changes.
    pub(crate) fn places(&self) -> impl Iterator<Item = &Located> {
        let from = match &self.new {
            Some(New::Moved { from, .. }) => Some(from),
            _ => None,
        };
        from.into_iter().chain([&self.at])
    }
}

/// All that is carried out as one.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Plan {
    /// True for one operation that the file system itself makes atomic. Such a plan is never taken back once it is made; it
    /// is there so that temporary files and empty folders are found after a crash.
    pub single: bool,
    /// Folders to make, the outermost first.
    pub folders: Vec<Located>,
    /// In the order in which they are made.
    pub operations: Vec<Operation>,
}

impl Plan {
    /// True when every place lies beneath its base.
    pub(crate) fn is_sound(&self) -> bool {
        let mut all = self.operations.iter().flat_map(Operation::places).chain(&self.folders);
        all.all(|it| it.abs.starts_with(&it.base) && it.abs != it.base)
    }

    /// Every folder in which a name changes, once each, by a place in it.
    pub(crate) fn touched(&self) -> Vec<&Located> {
        let mut all: Vec<&Located> = self.operations.iter().flat_map(Operation::places).chain(&self.folders).collect();
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

#[cfg(test)]
mod tests {
    use std::os::unix::ffi::OsStringExt;

    use super::*;

    fn at(rel: &str) -> Located {
        Located { abs: format!("/root/{rel}").into(), rel: rel.into(), base: "/root".into() }
    }

    fn operation(rel: &str, old: Option<Old>, new: Option<New>) -> Operation {
        let aside = OsString::from_vec(vec![b'a', 0xFF, b'\n']);
        Operation { at: at(rel), old, new, temp: "t".into(), aside }
    }

    fn plan() -> Plan {
        let attributes = Attributes { mode: 0o2751, uid: 1, gid: 2, extended: vec![(b"user.a".into(), vec![0, 255])] };
        let old = FileCopy { bytes: b"old\r\n".into(), mark: Mark::of(b"old\r\n"), attributes };
        let strange = OsString::from_vec(vec![0xFE, b'x']);
        let recorded = |folder| Some(Old::Recorded { folder, stamp: Stamp { modified: -1, ..Stamp::default() } });
        Plan {
            single: false,
            folders: vec![at("new"), at("new/deep")],
            operations: vec![
                operation("new/deep/a", None, Some(New::File(Mark::of(b"")))),
                operation("b", Some(Old::File(Box::new(old.clone()))), Some(New::File(Mark::of(b"new")))),
                operation("d", None, Some(New::Moved { from: at("c"), inode: u64::MAX })),
                operation("e", Some(Old::File(Box::new(old))), None),
                operation("f", Some(Old::Link(strange)), None),
                operation("g", Some(Old::Once), None),
                operation("h", recorded(false), Some(New::Recorded { mode: 0o120_000, id: Hash::of(b"h") })),
                operation("i", recorded(true), Some(New::Recorded { mode: 0o100_644, id: Hash::of(b"i") })),
            ],
        }
    }

    #[test]
    fn a_plan_comes_back_as_it_was_and_no_part_of_it_is_a_plan() {
        let bytes = postcard::to_stdvec(&plan()).unwrap();
        assert_eq!(postcard::from_bytes::<Plan>(&bytes), Ok(plan()));
        assert!((0..bytes.len()).all(|end| postcard::from_bytes::<Plan>(&bytes[..end]).is_err()));
        let replaces: Vec<bool> = plan().operations.iter().map(Operation::replaces).collect();
        assert_eq!(replaces, [false, true, false, false, false, false, true, false]);
    }

    #[test]
    fn a_place_outside_its_base_is_none() {
        assert!(plan().is_sound());
        for (base, abs) in [("/root", "/rootless/a"), ("/root", "/etc/passwd"), ("/root", "/root")] {
            let place = Located { abs: abs.into(), rel: "a".into(), base: base.into() };
            assert!(!Plan { folders: vec![place], ..Plan::default() }.is_sound(), "{abs}");
        }
    }
}
