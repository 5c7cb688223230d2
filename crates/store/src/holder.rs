//! Who holds a lock on a file, as far as the system tells.
//!
//! It only reads `/proc`; elsewhere than on Linux it knows nobody. It never decides anything: the answer is for a message.

use std::fs;
use std::path::{Path, PathBuf};

/// The processes other than this one that hold a lock on the database or its companions, as `name (process 123)`.
pub(crate) fn holders(database: &Path) -> Vec<String> {
    let inodes: Vec<u64> = ["", "-wal", "-shm"].iter().filter_map(|end| inode(&with_end(database, end))).collect();
    let Ok(locks) = fs::read_to_string("/proc/locks") else { return Vec::new() };
    let own = std::process::id();
    let mut found: Vec<u32> = locks.lines().filter_map(|line| pid_of_lock(line, &inodes)).collect();
    found.retain(|pid| *pid != own && *pid != 0);
    found.sort_unstable();
    found.dedup();
    found.into_iter().map(describe).collect()
}

/// `name (process 123)`, or `process 123` where the name cannot be read.
pub(crate) fn describe(pid: u32) -> String {
    match fs::read_to_string(format!("/proc/{pid}/comm")) {
        Ok(name) => format!("{} (process {pid})", name.trim()),
        Err(_) => format!("process {pid}"),
    }
}

/// The path with something behind its name.
pub(crate) fn with_end(path: &Path, end: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(end);
    PathBuf::from(name)
}

#[cfg(unix)]
fn inode(path: &Path) -> Option<u64> {
    use std::os::unix::fs::MetadataExt;
    fs::metadata(path).ok().map(|it| it.ino())
}

#[cfg(not(unix))]
fn inode(_path: &Path) -> Option<u64> {
    None
}

/// A line reads `1: POSIX  ADVISORY  WRITE 4711 08:02:1234567 120 120`; a waiting one has `->` after the number.
fn pid_of_lock(line: &str, inodes: &[u64]) -> Option<u32> {
    let fields: Vec<&str> = line.split_whitespace().collect();
    let file = fields.get(5)?;
    let inode: u64 = file.rsplit(':').next()?.parse().ok()?;
    if !inodes.contains(&inode) {
        return None;
    }
    fields.get(4)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lock_line_names_its_process() {
        let table = [
            ("1: POSIX  ADVISORY  WRITE 4711 08:02:99 120 120", Some(4711)),
            ("1: POSIX  ADVISORY  WRITE 4711 08:02:98 120 120", None),
            ("1: -> POSIX  ADVISORY  WRITE 4711 08:02:99 120 120", None),
            ("", None),
        ];
        for (line, pid) in table {
            assert_eq!(pid_of_lock(line, &[99]), pid, "{line}");
        }
    }
}
