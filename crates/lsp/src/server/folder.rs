//! A folder of a server's own, the only place that it may write to.

use std::os::unix::fs::DirBuilderExt as _;
use std::path::PathBuf;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

/// A folder that goes with this value.
pub(crate) struct ServerFolder(pub PathBuf);

impl ServerFolder {
    /// A new one that only this user may enter.
    pub(crate) fn new() -> std::io::Result<ServerFolder> {
        static NUMBER: AtomicI64 = AtomicI64::new(0);
        let base = std::env::temp_dir().canonicalize()?;
        let since = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |it| it.as_nanos());
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        // A name that is taken, by whomever, is an error and no folder.
        let path = base.join(format!("ox-server-{}-{since:x}-{number}", std::process::id()));
        std::fs::DirBuilder::new().mode(0o700).create(&path)?;
        Ok(ServerFolder(path))
    }

    /// The file into which the server's words for people go.
    pub(crate) fn errors(&self) -> PathBuf {
        self.0.join("errors")
    }

    /// The first line that the server printed for people; empty where it printed none.
    pub(crate) fn complaint(&self) -> String {
        let bytes = std::fs::read(self.errors()).unwrap_or_default();
        let text = String::from_utf8_lossy(&bytes);
        let first = text.lines().map(str::trim).find(|it| !it.is_empty()).unwrap_or_default();
        first.chars().take(300).collect()
    }
}

impl Drop for ServerFolder {
    fn drop(&mut self) {
        // What cannot be removed costs room and nothing else.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}
