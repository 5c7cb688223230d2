//! A folder of a server's own, the only place that it may write to.

use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

/// A folder that goes with this value.
pub(crate) struct ServerFolder(TempDir);

impl ServerFolder {
    /// A new one that only this user may enter.
    pub(crate) fn new() -> std::io::Result<ServerFolder> {
        let only_this_user = Permissions::from_mode(0o700);
        let mut folder = tempfile::Builder::new();
        folder.prefix("ox-server-").permissions(only_this_user);
        folder.tempdir_in(std::env::temp_dir().canonicalize()?).map(ServerFolder)
    }

    /// Where it is.
    pub(crate) fn path(&self) -> &Path {
        self.0.path()
    }

    /// The file into which the server's words for people go.
    pub(crate) fn errors(&self) -> PathBuf {
        self.path().join("errors")
    }

    /// The first line that the server printed for people; empty where it printed none.
    pub(crate) fn complaint(&self) -> String {
        let bytes = std::fs::read(self.errors()).unwrap_or_default();
        let text = String::from_utf8_lossy(&bytes);
        let first = text.lines().map(str::trim).find(|it| !it.is_empty()).unwrap_or_default();
        first.chars().take(300).collect()
    }
}
