//! What one container needs on this machine's disk beside its paths: a folder with nothing in it, to cover others with, and
//! the filter of calls as a file. Taken away with the container.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use super::seccomp::filter;

/// A folder of its own; removed when dropped.
pub(super) struct SupportFolder(PathBuf);

impl SupportFolder {
    /// Makes it where temporary files are. Fails rather than take a folder that is there already.
    pub(super) fn new() -> io::Result<SupportFolder> {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        let name = format!("ox-container-{}-{}", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed));
        let path = std::env::temp_dir().join(name);
        fs::create_dir(&path)?;
        let folder = SupportFolder(path);
        fs::create_dir(folder.0.join("empty"))?;
        fs::write(folder.0.join("calls.json"), filter().to_string())?;
        Ok(folder)
    }

    pub(super) fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for SupportFolder {
    fn drop(&mut self) {
        // Only what was made above: nothing else can have come here, and nothing else is removed.
        let _ = fs::remove_file(self.0.join("calls.json"));
        let _ = fs::remove_dir(self.0.join("empty"));
        let _ = fs::remove_dir(&self.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_of_it_is_left() {
        let folder = SupportFolder::new().unwrap();
        let path = folder.path().to_owned();
        assert_eq!(fs::read_dir(path.join("empty")).unwrap().count(), 0);
        assert!(fs::read_to_string(path.join("calls.json")).unwrap().contains("SCMP_ACT_ALLOW"));
        drop(folder);
        assert!(!path.exists());
    }
}
