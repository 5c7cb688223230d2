//! Git's own folders, the project's and those of repositories within it: a second set of their files in the store, so that
//! what a command destroys there can be brought back.
//!
//! Objects are hard links to git's own, which cost nothing; where that cannot be they are copied up to a limit. Nothing
//! that is there is ever replaced: references, `HEAD`, index and reflog stay where git has put them. Files that were
//! overwritten in place are not noticed.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::Hash;

/// What git never removes by itself.
const LASTING: [&str; 7] = ["HEAD", "refs", "objects", "index", "logs/HEAD", "packed-refs", "config"];
/// Inode of the folder that the files are of; another one is another repository.
const OF: &str = "git-inode";

/// The folder of the store for repositories within the project, each in one of its own.
const WITHIN: &str = "git-within";
/// Where such a repository is, relative to the project.
const AT: &str = "at";

/// The second set of one git folder.
pub(super) struct Second {
    /// Git's.
    own: PathBuf,
    /// Its place relative to the project.
    at: PathBuf,
    /// Ours.
    kept: PathBuf,
    of: PathBuf,
}

impl Second {
    /// None where git's folder is not the repository's alone.
    fn of(root: &Path, at: &Path, store: &Path) -> Option<Second> {
        let own = root.join(at);
        let plain = own.symlink_metadata().map_or(true, |it| it.is_dir());
        plain.then(|| Second { own, at: at.to_owned(), kept: store.join("git"), of: store.join(OF) })
    }

    /// All that the store has, the project's own first.
    pub(super) fn all(root: &Path, store: &Path) -> Vec<Second> {
        let within = fs::read_dir(store.join(WITHIN)).into_iter().flatten().flatten().map(|it| it.path());
        let within = within.filter_map(|it| Second::of(root, Path::new(&fs::read_to_string(it.join(AT)).ok()?), &it));
        Second::of(root, Path::new(".git"), store).into_iter().chain(within).collect()
    }

    /// The same once there is a place in the store for each of these folders within the project.
    pub(super) fn with(root: &Path, store: &Path, within: &[&str]) -> io::Result<Vec<Second>> {
        for at in within {
            let place = store.join(WITHIN).join(Hash::of(at.as_bytes()).to_string());
            if !place.join(AT).exists() {
                fs::create_dir_all(&place)?;
                fs::write(place.join(AT), at)?;
            }
        }
        Ok(Second::all(root, store))
    }

    /// Drops what is kept of repositories within the project that are no longer there.
    pub(super) fn forget(root: &Path, store: &Path) -> io::Result<()> {
        let gone = Second::all(root, store).into_iter().filter(|it| !it.is_own() && it.own.symlink_metadata().is_err());
        gone.filter_map(|it| it.kept.parent().map(remove_all)).collect()
    }

    /// True for the project's own.
    pub(super) fn is_own(&self) -> bool {
        self.at == Path::new(".git")
    }

    /// A file of it as it is told: by its place in git's folder, in the project for a repository within it.
    pub(super) fn name(&self, path: &Path) -> String {
        if self.is_own() { path.display().to_string() } else { self.at.join(path).display().to_string() }
    }

    /// Brings the second set up to date, unless git's folder is damaged. False: it would take more than `limit` bytes.
    pub(super) fn take(&self, limit: u64) -> io::Result<bool> {
        let Some(inode) = inode(&self.own) else { return Ok(true) };
        if fs::read_to_string(&self.of).is_ok_and(|it| it != inode) {
            remove_all(&self.kept)?;
        }
        if self.is_damaged() {
            return Ok(true);
        }
        let (there, kept) = (files(&self.own), files(&self.kept));
        let gone = kept.difference(&there).filter(|it| !is_object(it) || self.has_new_pack(&there, &kept));
        for path in gone {
            fs::remove_file(self.kept.join(path))?;
        }
        let mut room = limit;
        for path in &there {
            let new = !kept.contains(path);
            if (new || !is_object(path)) && !self.keep(path, &mut room)? {
                remove_all(&self.kept)?;
                return Ok(false);
            }
        }
        fs::write(&self.of, inode)?;
        Ok(true)
    }

    /// Files of git's folder that were lost since; empty while it is whole, or is that of another repository.
    pub(super) fn lost(&self) -> Vec<PathBuf> {
        let same = inode(&self.own).is_none_or(|it| fs::read_to_string(&self.of).is_ok_and(|of| of == it));
        if !same || !self.kept.is_dir() {
            return Vec::new();
        }
        let (there, kept) = (files(&self.own), files(&self.kept));
        let damaged = self.is_damaged();
        let objects = damaged || !self.has_new_pack(&there, &kept);
        // A reference without a file of its own may have been packed, but only into a new list.
        let packed = if self.has_same_list() { String::new() } else { packed(&self.own) };
        let is_packed =
            |it: &Path| packed.lines().any(|line| line.split(' ').nth(1).is_some_and(|name| Path::new(name) == it));
        let wanted = |it: &PathBuf| if is_object(it) { objects } else { damaged && !is_packed(it) };
        kept.into_iter().filter(|it| self.is_gone(it) && wanted(it)).collect()
    }

    /// Brings these files back.
    pub(super) fn bring_back(&self, paths: &[PathBuf]) -> io::Result<()> {
        for path in paths {
            let (from, to) = (self.kept.join(path), self.own.join(path));
            fs::create_dir_all(to.parent().unwrap_or(&self.own))?;
            if to.symlink_metadata().is_ok() {
                fs::remove_file(&to)?;
            }
            if !is_object(path) || fs::hard_link(&from, &to).is_err() {
                copy(&from, &to)?;
            }
        }
        // Git takes a folder without them for none.
        ["refs", "objects"]
            .iter()
            .filter(|_| !paths.is_empty())
            .try_for_each(|it| fs::create_dir_all(self.own.join(it)))
    }

    fn is_damaged(&self) -> bool {
        let head = fs::read_to_string(self.own.join("HEAD")).unwrap_or_default();
        let branch = head.trim().strip_prefix("ref: ").unwrap_or("HEAD");
        let lost = || LASTING.iter().any(|it| self.is_gone(Path::new(it)));
        // The branch that is checked out cannot be deleted, and is packed only into a new list.
        self.kept.is_dir() && (lost() || (self.is_gone(Path::new(branch)) && self.has_same_list()))
    }

    fn has_same_list(&self) -> bool {
        packed(&self.own) == packed(&self.kept)
    }

    /// True for what is kept, and is not there or empty.
    fn is_gone(&self, path: &Path) -> bool {
        let Ok(kept) = self.kept.join(path).metadata() else { return false };
        let now = self.own.join(path).symlink_metadata();
        now.is_err() || now.is_ok_and(|it| kept.is_file() && kept.len() > 0 && it.len() == 0)
    }

    /// Git removes objects of its own accord when they are in a new pack.
    fn has_new_pack(&self, there: &BTreeSet<PathBuf>, kept: &BTreeSet<PathBuf>) -> bool {
        there.difference(kept).any(|it| it.extension().is_some_and(|it| it == "pack"))
    }

    /// Keeps one file. False: there is no room for it.
    fn keep(&self, path: &Path, room: &mut u64) -> io::Result<bool> {
        let (from, to) = (self.own.join(path), self.kept.join(path));
        // What goes while this looks is none of the repository's lasting files.
        let Ok(stat) = from.metadata() else { return Ok(true) };
        let old = to.metadata();
        if old.is_ok_and(|it| it.len() == stat.len() && it.modified().ok() == stat.modified().ok()) {
            return Ok(true);
        }
        fs::create_dir_all(to.parent().unwrap_or(&self.kept))?;
        if is_object(path) && fs::hard_link(&from, &to).is_ok() {
            return Ok(true);
        }
        let Some(left) = room.checked_sub(stat.len()) else { return Ok(false) };
        *room = left;
        copy(&from, &to)?;
        // With another time it is only copied once more.
        let _ = fs::File::options().append(true).open(&to).and_then(|it| it.set_modified(stat.modified()?));
        Ok(true)
    }
}

fn packed(dir: &Path) -> String {
    fs::read_to_string(dir.join("packed-refs")).unwrap_or_default()
}

/// Everything in an `objects` folder has a name that tells its contents, and never changes.
fn is_object(path: &Path) -> bool {
    path.iter().any(|it| it == "objects")
}

fn inode(path: &Path) -> Option<String> {
    use std::os::unix::fs::MetadataExt;
    path.symlink_metadata().ok().map(|it| it.ino().to_string())
}

/// All files beneath a folder that are more than notes of git's present work.
fn files(top: &Path) -> BTreeSet<PathBuf> {
    let (mut found, mut left) = (BTreeSet::new(), vec![top.to_owned()]);
    while let Some(dir) = left.pop() {
        for entry in fs::read_dir(dir).into_iter().flatten().flatten() {
            let (path, name) = (entry.path(), entry.file_name());
            let name = name.to_string_lossy();
            match entry.file_type() {
                Ok(it) if it.is_dir() => left.push(path),
                Ok(it) if it.is_file() && !name.ends_with(".lock") && !name.starts_with("tmp_") => {
                    found.extend(path.strip_prefix(top).map(Path::to_owned));
                }
                _ => {}
            }
        }
    }
    found
}

/// Copies a file so that a part of it is never seen.
fn copy(from: &Path, to: &Path) -> io::Result<()> {
    let draft = to.with_extension("ox-tmp.lock");
    fs::copy(from, &draft)?;
    fs::rename(&draft, to)
}

fn remove_all(dir: &Path) -> io::Result<()> {
    match fs::remove_dir_all(dir) {
        Err(it) if it.kind() != io::ErrorKind::NotFound => Err(it),
        _ => Ok(()),
    }
}
