//! The first layer: which files there are, and how they stood when they were read.
//!
//! What `repo` lists is believed; nothing is looked up here. A file is read again when its size, times or number have
//! changed, or when it was so young when it was read that a later change could hide behind the same time.

use std::sync::Arc;

use super::rules::Rule;
use sha2::{Digest, Sha256};
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned};

/// Files that changed this recently before they were read, in nanoseconds, are read again at the next look. File
/// systems stamp with the clock of the last tick; some count in whole seconds, those show by their round times.
const YOUNG: i64 = 50_000_000;
const YOUNG_ROUND: i64 = 2_000_000_000;
/// The time of a file that nobody has looked at yet: an edit was told of it. Like any time to come it proves nothing.
pub(crate) const UNKNOWN: i64 = i64::MAX;
/// A file as `repo` lists it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FileState {
    /// Relative to the project root, with `/` separators.
    pub path: String,
    /// In bytes.
    pub size: u64,
    /// When its contents were last changed, in nanoseconds since 1970.
    pub mtime: i64,
    /// When its entry was last changed, likewise; zero where the system does not tell.
    pub ctime: i64,
    /// Its number in the file system; zero where the system does not tell.
    pub inode: u64,
    /// Its kind and permissions as `stat` gives them.
    pub mode: u32,
}

/// What tells whether a file is still the one that was read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C, packed)]
pub(crate) struct Stamp {
    pub(crate) size: u64,
    pub(crate) mtime: i64,
    pub(crate) ctime: i64,
    pub(crate) inode: u64,
    pub(crate) mode: u32,
}

impl From<&FileState> for Stamp {
    fn from(it: &FileState) -> Stamp {
        Stamp { size: it.size, mtime: it.mtime, ctime: it.ctime, inode: it.inode, mode: it.mode }
    }
}

/// What a content is known by: its hash together with how it was read.
pub(crate) type Key = [u8; 16];

/// Where a content is: its segment and its position there.
pub(crate) type At = (u32, u32);

/// A file that the index knows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Entry<P = Arc<str>> {
    pub(crate) path: P,
    pub(crate) stamp: Stamp,
    /// It was changed so shortly before it was read that its stamp proves nothing.
    pub(crate) young: bool,
    /// The first half of the SHA-256 of its bytes; zero where it was not read.
    pub(crate) hash: Key,
    /// What its content is known by; see [`key`].
    pub(crate) key: Key,
    pub(crate) rule: Option<Rule>,
    /// Its segment, and its content there.
    pub(crate) at: Option<At>,
}

/// A file as it is read from a listing.
pub(crate) type View<'a> = Entry<&'a str>;

impl Entry {
    pub(crate) fn view(&self) -> View<'_> {
        let Entry { path, stamp, young, hash, key, rule, at } = self;
        View { path, stamp: *stamp, young: *young, hash: *hash, key: *key, rule: *rule, at: *at }
    }
}

impl View<'_> {
    /// True when there is no need to read it, given how it is listed now.
    pub(crate) fn holds(&self, now: &Stamp) -> bool {
        let known = self.at.is_some() || self.rule.is_some_and(|it| it != Rule::Unreadable);
        known && !self.young && self.stamp == *now
    }
}

/// True when a file with this stamp, read at `now` in nanoseconds, may yet change without its stamp changing. A time
/// in the future is such a one as well: the clock was set back.
pub(crate) fn is_young(stamp: &Stamp, now: i64) -> bool {
    let newest = stamp.mtime.max(stamp.ctime);
    let slack = if stamp.mtime % 1_000_000_000 == 0 { YOUNG_ROUND } else { YOUNG };
    newest > now.saturating_sub(slack)
}

/// The hash of a file's bytes.
pub(crate) fn hash(bytes: &[u8]) -> Key {
    let digest = Sha256::digest(bytes);
    let mut short = Key::default();
    short.copy_from_slice(&digest[..16]);
    short
}

/// A name for the cache that only this text has.
pub(crate) fn short_name(text: &str) -> String {
    hash(text.as_bytes())[..8].iter().map(|it| format!("{it:02x}")).collect()
}

/// What a content is known by. What a path adds to the text is how it is read: its language, told by the end of its
/// name, and whether it is a test.
pub(crate) fn key(hash: &Key, path: &str) -> Key {
    let name = path.rsplit('/').next().unwrap_or(path);
    let ending = name.rsplit_once('.').map_or(name, |(_, it)| it);
    let mut digest = Sha256::new();
    digest.update(hash);
    digest.update([u8::from(ox_syntax::is_test(path))]);
    digest.update(ending.as_bytes());
    let mut key = Key::default();
    key.copy_from_slice(&digest.finalize()[..16]);
    key
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stamp_that_is_too_young_proves_nothing() {
        let now = 1_000_000_000_500_000_000;
        let stamp = |mtime| Stamp { mtime, ctime: mtime, ..Stamp::default() };
        for (mtime, expected) in [
            (now, true),
            (now - YOUNG / 2, true),
            (now - YOUNG - 1, false),
            (now + 3_600_000_000_000, true),
            (1_000_000_000_000_000_000, true),
            (999_999_990_000_000_000, false),
        ] {
            assert_eq!(is_young(&stamp(mtime), now), expected, "{mtime}");
        }
    }
}
