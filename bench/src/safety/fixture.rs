//! The project that commands and paths are judged in, made from the corpus's own description.
//!
//! Absolute places of the description (`/proj`, `/home/u`) are made below a temporary folder, and texts that begin with
//! them are moved there; nothing outside that folder is touched.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::os::unix::net::UnixListener;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};
use serde_json::Value;
use tempfile::TempDir;

/// The project, gone when it is dropped.
pub struct Fixture {
    base: PathBuf,
    _folder: TempDir,
}

/// Folders that every description lives in.
const PLACES: [&str; 3] = ["/proj", "/home/u", "/outside.txt"];

impl Fixture {
    /// Makes what the row with a `setup` describes, or a bare project where no row has one.
    pub fn new(rows: &[Value]) -> Result<Fixture> {
        let folder = tempfile::tempdir()?;
        let fixture = Fixture { base: folder.path().canonicalize()?, _folder: folder };
        fs::create_dir_all(fixture.root())?;
        fs::create_dir_all(fixture.home())?;
        let made = Command::new("git").args(["init", "--quiet"]).current_dir(fixture.root()).status();
        anyhow::ensure!(made.is_ok_and(|it| it.success()), "git could not make the project's repository");
        let setup = rows.iter().find_map(|it| it.get("setup"));
        let tree = setup.and_then(|it| it["tree"].as_object()).cloned().unwrap_or_default();
        // Hard links need what they link to.
        let (links, rest): (Vec<_>, Vec<_>) =
            tree.iter().partition(|(_, kind)| kind.as_str().is_some_and(|it| it.starts_with("hard link")));
        for (path, kind) in rest.into_iter().chain(links) {
            let kind = kind.as_str().unwrap_or_default();
            fixture.make(path, kind).with_context(|| format!("making {path}: {kind}"))?;
        }
        Ok(fixture)
    }

    /// The project's root.
    pub fn root(&self) -> PathBuf {
        self.base.join("proj")
    }

    /// The user's home.
    pub fn home(&self) -> PathBuf {
        self.base.join("home/u")
    }

    /// A text with the description's places moved to where they were made.
    pub fn moved(&self, text: &str) -> String {
        match PLACES.iter().any(|it| text.starts_with(it)) {
            true => format!("{}{text}", self.base.display()),
            false => text.to_owned(),
        }
    }

    fn make(&self, path: &str, kind: &str) -> Result<()> {
        let at = PathBuf::from(self.moved(path));
        if path.ends_with('/') {
            return fs::create_dir_all(&at).map_err(Into::into).and_then(|()| self.repository(&at));
        }
        fs::create_dir_all(at.parent().unwrap_or(Path::new("/")))?;
        if let Some(target) = kind.strip_prefix("symlink -> ") {
            symlink(self.moved(target), &at)?;
        } else if let Some(target) = kind.strip_prefix("hard link to ") {
            let target = target.split(" (").next().unwrap_or_default();
            fs::hard_link(self.moved(target), &at)?;
        } else if kind.starts_with("FIFO") {
            Command::new("mkfifo").arg(&at).status()?;
        } else if kind.starts_with("unix socket") {
            drop(UnixListener::bind(&at)?);
        } else if kind.starts_with("char device") {
            // Only root may, and no case needs it.
            let _ = Command::new("mknod").arg(&at).args(["c", "1", "3"]).stderr(std::process::Stdio::null()).status();
        } else if kind.starts_with("bind mount") {
            fs::create_dir_all(&at)?;
        } else if kind.contains("sparse") {
            fs::File::create(&at)?.set_len(2 << 30)?;
        } else if !at.exists() {
            fs::write(&at, if kind.starts_with("binary") { "a\0b" } else { "x\n" })?;
            if let Some(mode) = kind.strip_prefix("mode ").and_then(|it| u32::from_str_radix(it, 8).ok()) {
                fs::set_permissions(&at, fs::Permissions::from_mode(mode))?;
            }
        }
        Ok(())
    }

    /// A nested repository has a `HEAD`.
    fn repository(&self, at: &Path) -> Result<()> {
        if at.file_name().is_some_and(|it| it == ".git") && !at.join("HEAD").exists() {
            fs::write(at.join("HEAD"), "ref: refs/heads/main\n")?;
        }
        Ok(())
    }
}
