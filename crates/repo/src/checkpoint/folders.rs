//! Opening folders and reading their names.

use std::ffi::OsStr;
#[cfg(target_os = "linux")]
use std::mem::MaybeUninit;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

use rustix::fs::{FileType, OFlags};
use rustix::io::Result;

/// Opening a folder that may have been swapped for a link fails.
pub(super) const FOLDER: OFlags =
    OFlags::RDONLY.union(OFlags::DIRECTORY).union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC);

/// Nanoseconds since 1970.
pub(super) fn now() -> i64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(now.as_nanos()).unwrap_or(i64::MAX)
}

/// Hears a name, and what it is where the folder tells.
pub(super) type EachName<'a> = &'a mut dyn FnMut(&[u8], Option<FileType>) -> Result<()>;

/// Calls `each` for every name in a folder but `.` and `..`.
pub(super) fn each_name(dir: &OwnedFd, each: EachName<'_>) -> Result<()> {
    #[cfg(target_os = "linux")]
    {
        let mut buffer = [MaybeUninit::<u8>::uninit(); 16 << 10];
        let mut entries = rustix::fs::RawDir::new(dir, &mut buffer);
        while let Some(entry) = entries.next() {
            let entry = entry?;
            let name = entry.file_name().to_bytes();
            if name != b"." && name != b".." {
                each(name, Some(entry.file_type()))?;
            }
        }
    }
    #[cfg(not(target_os = "linux"))]
    for entry in rustix::fs::Dir::read_from(dir)? {
        let entry = entry?;
        let name = entry.file_name().to_bytes();
        if name != b"." && name != b".." {
            each(name, Some(entry.file_type()))?;
        }
    }
    Ok(())
}

/// A path of bytes.
pub(super) fn path(bytes: &[u8]) -> &Path {
    Path::new(OsStr::from_bytes(bytes))
}
