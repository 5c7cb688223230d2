//! What is left out of a checkpoint, and why. Whatever is left out is said; restoring never touches it.

use serde::{Deserialize, Serialize};
use std::fmt;

/// Why something is not kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Skip {
    /// A file that is larger than one file may be.
    TooLarge,
    /// A file left out, the largest first, because all files together are larger than a checkpoint may be.
    TreeTooLarge,
    /// A folder that a package manager fills, or a cache; it can be made again.
    Derived,
    /// An ignored folder of build output that is large; it can be made again.
    Built,
    /// Git's own data of a repository inside the project.
    Git,
    /// A pipe, socket or device.
    Special,
    /// Nobody here may read it.
    Unreadable,
}

const ALL: [Skip; 7] =
    [Skip::TooLarge, Skip::TreeTooLarge, Skip::Derived, Skip::Built, Skip::Git, Skip::Special, Skip::Unreadable];

impl Skip {
    /// A short name, for programs.
    pub fn name(self) -> &'static str {
        match self {
            Skip::TooLarge => "too_large",
            Skip::TreeTooLarge => "tree_too_large",
            Skip::Derived => "derived",
            Skip::Built => "built",
            Skip::Git => "git",
            Skip::Special => "special",
            Skip::Unreadable => "unreadable",
        }
    }

    pub(super) fn code(skip: Option<Skip>) -> u8 {
        skip.and_then(|it| ALL.iter().position(|other| *other == it)).map_or(0, |it| it as u8 + 1)
    }

    /// None for what is no code.
    pub(super) fn decode(code: u8) -> Option<Option<Skip>> {
        match code {
            0 => Some(None),
            some => ALL.get(usize::from(some) - 1).map(|it| Some(*it)),
        }
    }
}

impl fmt::Display for Skip {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Skip::TooLarge => "larger than one file may be",
            Skip::TreeTooLarge => "among the largest of a tree that is larger than a checkpoint may be",
            Skip::Derived => "dependencies or a cache, which can be made again",
            Skip::Built => "a large ignored folder of build output, which can be made again",
            Skip::Git => "git's own data of a repository inside the project",
            Skip::Special => "a pipe, socket or device",
            Skip::Unreadable => "it cannot be read",
        })
    }
}

/// Something that is not kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Skipped {
    /// Relative to the root.
    pub path: String,
    /// Its size; 0 for a folder, whose contents are not counted.
    pub bytes: u64,
    /// Why.
    pub why: Skip,
}
