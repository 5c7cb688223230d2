//! The stamp of a file, by which a change of it is seen without reading it.

use rustix::fs::Stat;
use serde::{Deserialize, Serialize};

/// Tells whether a file is the one that was read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Stamp {
    /// In bytes.
    pub size: u64,
    /// Of the contents; nanoseconds since 1970.
    pub modified: i64,
    /// Of anything; nanoseconds since 1970.
    pub changed: i64,
    pub inode: u64,
    pub device: u64,
}

impl Stamp {
    // The types of these fields differ between systems.
    #[allow(clippy::unnecessary_cast, clippy::useless_conversion)]
    pub(crate) fn of(stat: &Stat) -> Stamp {
        let time = |seconds: i64, nanos: i64| seconds.saturating_mul(1_000_000_000).saturating_add(nanos);
        Stamp {
            size: stat.st_size as u64,
            modified: time(stat.st_mtime as i64, stat.st_mtime_nsec as i64),
            changed: time(stat.st_ctime as i64, stat.st_ctime_nsec as i64),
            inode: stat.st_ino as u64,
            device: stat.st_dev as u64,
        }
    }

    /// True when the other is of the same contents, whatever became of the permission bits.
    pub(crate) fn has_content_of(&self, other: &Stamp) -> bool {
        Stamp { changed: 0, ..*self } == Stamp { changed: 0, ..*other }
    }

    /// True when a change within the same tick of the clock could have left this very stamp at the moment `now`.
    pub(crate) fn is_racy(&self, now: i64) -> bool {
        // Ticks of Linux are 10 ms at most; a file system that counts whole seconds shows none below.
        let tick = |time: i64| if time % 1_000_000_000 == 0 { 2_000_000_000 } else { 20_000_000 };
        [self.modified, self.changed].into_iter().any(|it| it.saturating_add(tick(it)) >= now)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_could_have_changed_unseen_is_racy() {
        let second = 1_000_000_000;
        let table = [
            (100 * second + 1, 100 * second + 2, true),
            (100 * second + 1, 100 * second + 19_000_000, true),
            (100 * second + 1, 100 * second + 30_000_000, false),
            // Whole seconds.
            (100 * second, 101 * second + 900_000_000, true),
            (100 * second, 103 * second, false),
            // From the future.
            (200 * second + 1, 100 * second, true),
        ];
        for (time, now, expected) in table {
            let stamp = Stamp { modified: time, changed: 1, ..Stamp::default() };
            assert_eq!(stamp.is_racy(now), expected, "{time} {now}");
            let stamp = Stamp { modified: 1, changed: time, ..Stamp::default() };
            assert_eq!(stamp.is_racy(now), expected, "{time} {now}");
        }
    }
}
