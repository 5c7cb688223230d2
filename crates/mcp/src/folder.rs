//! A folder of a started server's own: its home and the only place that it may always write to. It goes with this value.

use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

/// The variable that names the file for a server's words for people.
pub(crate) const ERRORS: &str = "OX_ERRORS";
/// Starts a program so that these words go into a file of bounded size and not between its messages, its exit code last.
pub(crate) const APART: &str = r#"{ { "$@"; code=$?; [ $code = 0 ] || echo "[exit code $code]" >&2; } 2>&1 1>&3 3>&- | { head -c 65536 >"$OX_ERRORS"; cat >/dev/null; }; } 3>&1"#;
/// Characters of its words that an error quotes.
const QUOTED: usize = 600;

pub(crate) struct ServerFolder(TempDir);

impl ServerFolder {
    /// A new one that only this user may enter.
    pub(crate) fn new() -> std::io::Result<ServerFolder> {
        let mut folder = tempfile::Builder::new();
        folder.prefix("ox-mcp-").permissions(Permissions::from_mode(0o700));
        folder.tempdir_in(std::env::temp_dir().canonicalize()?).map(ServerFolder)
    }

    pub(crate) fn path(&self) -> &Path {
        self.0.path()
    }

    pub(crate) fn errors(&self) -> PathBuf {
        self.path().join("errors")
    }

    /// The end of what it printed for people, where most programs say what is wrong; empty where it printed nothing.
    pub(crate) fn complaint(&self) -> String {
        let bytes = std::fs::read(self.errors()).unwrap_or_default();
        let text = String::from_utf8_lossy(&bytes);
        let plain: String = text.chars().map(|c| if c == '\n' { ' ' } else { c }).filter(|c| !c.is_control()).collect();
        let skip = plain.trim().chars().count().saturating_sub(QUOTED);
        plain.trim().chars().skip(skip).collect()
    }
}
