//! A tree, its state folder, and everything in the tree told as text.

use std::ffi::OsStr;
use std::fmt::Write;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{FileTypeExt, PermissionsExt, symlink};
use std::path::{Path, PathBuf};

use ox_protocol::{CheckpointReason, Over, Time};
use tempfile::TempDir;

use crate::{Checkpoints, Hash, Limits, Note, RepoError, Restored, Tree, UndoOutcome};

pub(super) struct Fixture {
    dir: TempDir,
}

impl Fixture {
    pub(super) fn new() -> Fixture {
        let memory = Path::new("/dev/shm");
        let dir = match memory.is_dir() {
            true => tempfile::tempdir_in(memory).unwrap(),
            false => tempfile::tempdir().unwrap(),
        };
        let fixture = Fixture { dir };
        for folder in ["tree", "state", "vault"] {
            fs::create_dir(fixture.at(folder)).unwrap();
        }
        fixture
    }

    pub(super) fn at(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    /// A path in the tree.
    pub(super) fn path(&self, path: impl AsRef<OsStr>) -> PathBuf {
        self.at("tree").join(Path::new(path.as_ref()))
    }

    pub(super) fn open(&self) -> Checkpoints {
        self.open_with(Limits::default())
    }

    pub(super) fn open_with(&self, limits: Limits) -> Checkpoints {
        open(self.dir.path(), limits)
    }

    /// Writes a file with these permission bits, and the folders that it needs.
    pub(super) fn file(&self, path: impl AsRef<OsStr>, mode: u32, bytes: impl AsRef<[u8]>) {
        let path = self.path(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        let _ = fs::remove_file(&path);
        fs::write(&path, bytes).unwrap();
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    }

    pub(super) fn folder(&self, path: &str, mode: u32) {
        fs::create_dir_all(self.path(path)).unwrap();
        fs::set_permissions(self.path(path), fs::Permissions::from_mode(mode)).unwrap();
    }

    pub(super) fn link(&self, path: &str, target: impl AsRef<OsStr>) {
        fs::create_dir_all(self.path(path).parent().unwrap()).unwrap();
        symlink(Path::new(target.as_ref()), self.path(path)).unwrap();
    }

    pub(super) fn remove(&self, path: impl AsRef<OsStr>) {
        let path = self.path(path);
        let done = match path.symlink_metadata().unwrap().is_dir() {
            true => fs::remove_dir_all(path),
            false => fs::remove_file(path),
        };
        done.unwrap();
    }

    /// Everything in the tree but the user's own git folder.
    pub(super) fn state(&self) -> String {
        state(&self.at("tree"))
    }
}

pub(super) fn open(fixture: &Path, limits: Limits) -> Checkpoints {
    let tree = Tree::open(&fixture.join("tree"), &[]).unwrap().with_journal(&fixture.join("state"));
    Checkpoints::open_with(&fixture.join("state"), &tree, limits).unwrap()
}

pub(super) fn note(turn: u32, reason: CheckpointReason) -> Note {
    let time = Time(1_700_000_000_000 + u64::from(turn));
    Note { conversation: "c".into(), turn, call: None, reason, why: format!("turn {turn}"), time }
}

pub(super) fn before(turn: u32) -> Note {
    note(turn, CheckpointReason::BeforeTurn)
}

/// A line for each entry: its path, what it is, its mode and contents.
pub(super) fn state(root: &Path) -> String {
    let mut out = String::new();
    list(root, b"", &mut out);
    out
}

fn list(folder: &Path, prefix: &[u8], out: &mut String) {
    let mut entries: Vec<_> = fs::read_dir(folder).unwrap().map(|it| it.unwrap().path()).collect();
    entries.sort();
    for path in entries {
        let name = [prefix, path.file_name().unwrap().as_bytes()].concat();
        let shown = name.escape_ascii();
        if name == b".git" {
            continue;
        }
        let stat = path.symlink_metadata().unwrap();
        let mode = stat.permissions().mode() & 0o7777;
        if stat.is_symlink() {
            let target = path.read_link().unwrap();
            writeln!(out, "{shown} -> {}", target.as_os_str().as_bytes().escape_ascii()).unwrap();
        } else if stat.is_dir() {
            writeln!(out, "{shown}/ {mode:o}").unwrap();
            list(&path, &[&name[..], b"/"].concat(), out);
        } else if stat.file_type().is_fifo() {
            writeln!(out, "{shown} is a pipe").unwrap();
        } else {
            let bytes = fs::read(&path).unwrap();
            let text = match bytes.len() {
                0..60 => bytes.escape_ascii().to_string(),
                long => format!("{long} bytes {}", &Hash::of(&bytes).to_string()[..16]),
            };
            writeln!(out, "{shown} {mode:o} {text}").unwrap();
        }
    }
}

/// An undo that nobody is asked about.
pub(super) fn undo(checkpoints: &Checkpoints) -> Result<Option<Restored>, RepoError> {
    match checkpoints.undo(Some(Over::Force), &note(9, CheckpointReason::Asked))? {
        UndoOutcome::Done(restored) => Ok(Some(*restored)),
        other => Ok((other != UndoOutcome::Nothing).then(|| panic!("{other:?}"))),
    }
}
