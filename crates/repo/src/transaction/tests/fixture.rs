//! A tree, its state folder, and what is on the disk told as text.

use std::fmt::Write;
use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

use tempfile::TempDir;

use super::cases::Case;
use crate::Tree;

/// A tree in the state before a case.
pub(super) struct Fixture {
    dir: TempDir,
}

impl Fixture {
    pub(super) fn new(case: &Case) -> Fixture {
        // In memory where there is such a place: these tests wait for the disk some ten thousand times.
        let memory = Path::new("/dev/shm");
        let dir = match memory.is_dir() {
            true => tempfile::tempdir_in(memory).unwrap(),
            false => tempfile::tempdir().unwrap(),
        };
        let fixture = Fixture { dir };
        for folder in ["tree", "state", "vault"] {
            fs::create_dir(fixture.at(folder)).unwrap();
        }
        (case.before)(&fixture.at("tree"));
        fixture
    }

    pub(super) fn at(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    /// Opens the tree, which recovers it.
    pub(super) fn tree(&self) -> Tree {
        open(self.dir.path())
    }

    /// Everything in the tree.
    pub(super) fn state(&self) -> String {
        state(&self.at("tree"))
    }

    /// True when a journal exists. One that is kept for the next transaction is gone with the tree.
    pub(super) fn has_journal(&self) -> bool {
        fs::read_dir(self.at("state/journals")).is_ok_and(|mut it| it.next().is_some())
    }
}

pub(super) fn open(fixture: &Path) -> Tree {
    Tree::open(&fixture.join("tree"), &[]).unwrap().with_journal(&fixture.join("state"))
}

/// A line for each entry: its path, what it is, its mode, number of names, attributes and contents.
pub(super) fn state(root: &Path) -> String {
    let mut out = String::new();
    list(root, "", &mut out);
    out
}

fn list(folder: &Path, prefix: &str, out: &mut String) {
    let mut entries: Vec<_> = fs::read_dir(folder).unwrap().map(|it| it.unwrap().path()).collect();
    entries.sort();
    for path in entries {
        let name = format!("{prefix}{}", path.file_name().unwrap().to_string_lossy());
        let stat = path.symlink_metadata().unwrap();
        if stat.is_symlink() {
            writeln!(out, "{name} -> {}", path.read_link().unwrap().display()).unwrap();
        } else if stat.is_dir() {
            writeln!(out, "{name}/").unwrap();
            list(&path, &format!("{name}/"), out);
        } else {
            let bytes = fs::read(&path).unwrap();
            let shown = match bytes.len() {
                0..80 => format!("{:?}", String::from_utf8_lossy(&bytes)),
                long => format!("{long} bytes {}", crate::Hash::of(&bytes)),
            };
            let mut value = [0; 80];
            let length = rustix::fs::getxattr(&path, "user.note", &mut value[..]).unwrap_or(0);
            let note = String::from_utf8_lossy(&value[..length]).into_owned();
            let names = if stat.nlink() == 1 { "" } else { " linked" };
            writeln!(out, "{name} {:o}{names} {note}{shown}", stat.permissions().mode() & 0o7777).unwrap();
        }
    }
}
