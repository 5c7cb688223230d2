//! What the disk has left.

use std::path::Path;

/// Bytes that the user may still write on the disk that holds `path` or its nearest existing parent; none when unknown.
#[cfg(unix)]
pub fn free_space(path: &Path) -> Option<u64> {
    let existing = path.ancestors().find(|it| it.exists())?;
    rustix::fs::statvfs(existing).ok().map(|it| it.f_bavail.saturating_mul(it.f_frsize))
}

/// Bytes that the user may still write on the disk that holds `path`; unknown on this system.
#[cfg(not(unix))]
pub fn free_space(_path: &Path) -> Option<u64> {
    None
}
