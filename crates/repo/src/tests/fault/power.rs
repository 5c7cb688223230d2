//! A power cut: everything that a program did not wait for is lost, contents and names alike.
//!
//! This is the worst that a file system may do which keeps each rename whole: real ones lose less. Names are lost per
//! folder, so that one folder may be new while another is old.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::path::{Path, PathBuf};

use rustix::fs::{self, AtFlags, CWD, Mode};

/// Device and number.
type Id = (u64, u64);

/// What was done and not yet waited for.
#[derive(Debug)]
pub(super) struct Unsynced {
    /// Holds a second name of each file that was replaced or removed.
    vault: PathBuf,
    saved: usize,
    names: Vec<(Vec<Id>, Name)>,
    /// Each file with the length that is on the disk.
    contents: BTreeMap<Id, (File, u64)>,
}

/// A change of a name. Folders are held open, so that they are found under any name.
#[derive(Debug)]
enum Name {
    Made { dir: OwnedFd, name: OsString },
    Renamed { from: OwnedFd, name: OsString, to: OwnedFd, new_name: OsString },
    Removed { dir: OwnedFd, name: OsString, saved: PathBuf },
}

fn id(file: impl AsFd) -> Id {
    let stat = fs::fstat(file).unwrap();
    (stat.st_dev, stat.st_ino)
}

fn held(dir: &OwnedFd) -> OwnedFd {
    dir.try_clone().unwrap()
}

impl Unsynced {
    pub(super) fn new(vault: &Path) -> Unsynced {
        Unsynced { vault: vault.to_owned(), saved: 0, names: Vec::new(), contents: BTreeMap::new() }
    }

    pub(super) fn made(&mut self, dir: &OwnedFd, name: &OsStr) {
        self.names.push((vec![id(dir)], Name::Made { dir: held(dir), name: name.to_owned() }));
    }

    pub(super) fn wrote(&mut self, file: &File) {
        self.contents.entry(id(file)).or_insert_with(|| (file.try_clone().unwrap(), file.metadata().unwrap().len()));
    }

    pub(super) fn synced(&mut self, file: &File) {
        self.contents.remove(&id(file));
    }

    pub(super) fn synced_all(&mut self) {
        self.names.clear();
        self.contents.clear();
    }

    /// A rename is whole, so it is on the disk with either of its folders, and with what was done in them before it.
    pub(super) fn synced_folder(&mut self, dir: &OwnedFd) {
        let mut synced = vec![id(dir)];
        let mut left = Vec::new();
        for (dirs, name) in self.names.drain(..).rev() {
            match dirs.iter().any(|it| synced.contains(it)) {
                true => synced.extend(dirs),
                false => left.push((dirs, name)),
            }
        }
        left.reverse();
        self.names = left;
    }

    pub(super) fn unlinked(&mut self, dir: &OwnedFd, name: &OsStr) {
        let saved = self.free();
        // Nothing was there: nothing is lost.
        if fs::linkat(dir, name, CWD, &saved, AtFlags::empty()).is_ok() {
            self.names.push((vec![id(dir)], Name::Removed { dir: held(dir), name: name.to_owned(), saved }));
        }
    }

    pub(super) fn renamed(&mut self, from: &OwnedFd, name: &OsStr, to: &OwnedFd, new_name: &OsStr) {
        let (name, new_name) = (name.to_owned(), new_name.to_owned());
        self.names.push((vec![id(from), id(to)], Name::Renamed { from: held(from), name, to: held(to), new_name }));
    }

    /// Another empty folder takes the place of the one that is to be removed, which so can come back as it was.
    pub(super) fn removing_folder(&mut self, dir: &OwnedFd, name: &OsStr) {
        let saved = self.free();
        let empty = std::fs::read_dir(path(dir, name)).unwrap().next().is_none();
        if empty {
            fs::renameat(dir, name, CWD, &saved).unwrap();
            fs::mkdirat(dir, name, Mode::from_raw_mode(0o755)).unwrap();
            self.names.push((vec![id(dir)], Name::Removed { dir: held(dir), name: name.to_owned(), saved }));
        }
    }

    /// A name in the vault; several processes may use it one after the other.
    fn free(&mut self) -> PathBuf {
        self.saved += 1;
        self.vault.join(format!("{}-{}", std::process::id(), self.saved))
    }

    /// Takes back whatever was not waited for, the latest first.
    pub(super) fn lose(&mut self) {
        for (_, name) in self.names.drain(..).rev() {
            match name {
                Name::Made { dir, name } => remove(&dir, &name),
                Name::Renamed { from, name, to, new_name } => fs::renameat(&to, &new_name, &from, &name).unwrap(),
                Name::Removed { dir, name, saved } => fs::renameat(CWD, &saved, &dir, &name).unwrap(),
            }
        }
        self.contents.values().for_each(|(file, length)| file.set_len(*length).unwrap());
    }
}

fn path(dir: &OwnedFd, name: &OsStr) -> PathBuf {
    Path::new("/proc/self/fd").join(dir.as_raw_fd().to_string()).join(name)
}

/// Removes a file, or a folder with what is left in it.
fn remove(dir: &OwnedFd, name: &OsStr) {
    let path = path(dir, name);
    let done = match path.symlink_metadata().unwrap().is_dir() {
        true => std::fs::remove_dir_all(path),
        false => std::fs::remove_file(path),
    };
    done.unwrap();
}
