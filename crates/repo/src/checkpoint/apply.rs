//! Carrying a plan out, taking it back, and tidying up after it. Each act can be done again after it was cut short.

use std::ffi::OsStr;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use rustix::fs::{AtFlags, FileType, Mode, openat, statat};
use rustix::io::{Errno, Result};

use super::contents::Descent;
use super::differ::is_folder;
use super::index::{Index, Stamp, join, shown};
use super::plan::{ModeChange, Op, Plan};
use super::scan::{FOLDER, each_name};
use super::stage;
use crate::{RepoError, error, sys};

/// What a step found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Step {
    Done,
    /// Somebody else changed what was to be replaced; it is left as it is.
    Changed,
}

/// Opens the folders that nothing could be made in.
pub(super) fn open_folders(root: &Path, plan: &Plan) -> std::result::Result<(), RepoError> {
    set_modes(root, plan.opened.iter().map(|it| (it, it.from | 0o700)))
}

/// Gives those folders their permission bits again.
pub(super) fn close_folders(root: &Path, plan: &Plan) -> std::result::Result<(), RepoError> {
    // The innermost first: it is reached through the others.
    set_modes(root, plan.opened.iter().rev().map(|it| (it, it.from)))
}

fn set_modes<'a>(
    root: &Path,
    modes: impl Iterator<Item = (&'a ModeChange, u32)>,
) -> std::result::Result<(), RepoError> {
    let mut descent = Descent::new(root).map_err(|it| error::writing(".", it))?;
    for (change, mode) in modes {
        let set = descent.folder(&change.dir).and_then(|dir| set_mode(dir, &change.name, mode));
        match set {
            // Somebody else removed it.
            Ok(()) | Err(Errno::NOENT | Errno::NOTDIR) => {}
            Err(other) => return Err(error::writing(&shown(&join(&change.dir, &change.name)), other)),
        }
    }
    Ok(())
}

fn set_mode(dir: &OwnedFd, name: &[u8], mode: u32) -> Result<()> {
    let stat = statat(dir, name, AtFlags::SYMLINK_NOFOLLOW)?;
    let same = stat.st_mode & 0o7777 == mode || FileType::from_raw_mode(stat.st_mode) == FileType::Symlink;
    if same { Ok(()) } else { sys::set_mode_at(dir, OsStr::from_bytes(name), mode) }
}

/// Does everything that is not done yet. With `index`, the tree as it was recorded, whatever somebody changed since makes
/// it fail; without, that is left as it is, and its paths are the answer.
pub(super) fn forward(root: &Path, plan: &Plan, index: Option<&Index>) -> std::result::Result<Vec<String>, RepoError> {
    let mut descent = Descent::new(root).map_err(|it| error::writing(".", it))?;
    let mut changed = Vec::new();
    for op in &plan.ops {
        let done = descent.folder(&op.dir).and_then(|dir| step(dir, op, index));
        match done {
            Ok(Step::Done) => {}
            Ok(Step::Changed) if index.is_some() => return Err(RepoError::Changed { path: shown(&op.path()) }),
            Ok(Step::Changed) => changed.push(shown(&op.path())),
            // The folder is gone, by somebody else.
            Err(Errno::NOENT | Errno::NOTDIR) if index.is_none() => changed.push(shown(&op.path())),
            Err(other) => return Err(error::writing(&shown(&op.path()), other)),
        }
    }
    set_modes(root, plan.modes.iter().map(|it| (it, it.to)))?;
    set_modes(root, plan.opened.iter().rev().map(|it| (it, it.to)))?;
    Ok(changed)
}

fn step(dir: &OwnedFd, op: &Op, index: Option<&Index>) -> Result<Step> {
    let (name, aside) = (op.name.as_slice(), op.aside.as_bytes());
    let temp = op.temp.as_bytes();
    let staged = op.new.is_some() && exists(dir, temp)?;
    if op.new.is_some() && !staged {
        return Ok(Step::Done);
    }
    if op.replaces() {
        return replace(dir, op, index);
    }
    if op.old.is_some() && !exists(dir, aside)? {
        if !still(dir, op, index)? {
            return Ok(Step::Changed);
        }
        sys::rename_new(dir, OsStr::from_bytes(name), dir, OsStr::from_bytes(aside))?;
    }
    if !staged {
        return Ok(Step::Done);
    }
    match sys::rename_new(dir, OsStr::from_bytes(temp), dir, OsStr::from_bytes(name)) {
        Ok(()) => Ok(Step::Done),
        Err(Errno::EXIST) => Ok(Step::Changed),
        Err(other) => Err(other),
    }
}

/// Puts a file or link in the place of another in one step.
fn replace(dir: &OwnedFd, op: &Op, index: Option<&Index>) -> Result<Step> {
    let (name, aside, temp) = (OsStr::from_bytes(&op.name), OsStr::new(&op.aside), OsStr::new(&op.temp));
    let (here, new) = (inode(dir, &op.name)?, inode(dir, op.temp.as_bytes())?);
    if here == new {
        // It was put there, and taking that back was cut short.
        return sys::unlink(dir, temp).map(|()| Step::Done);
    }
    let kept = inode(dir, op.aside.as_bytes())?;
    // Without a name it was moved aside and not replaced yet.
    if (kept.is_none() || here.is_some()) && !still(dir, op, index)? {
        return Ok(Step::Changed);
    }
    if kept.is_none() {
        match sys::link(dir, name, aside) {
            // Not every file may have a second name; then it is moved.
            Err(Errno::PERM | Errno::ACCESS | Errno::NOTSUP | Errno::NOSYS | Errno::MLINK) => {
                sys::rename_new(dir, name, dir, aside)?;
            }
            other => other?,
        }
    }
    sys::replace(dir, temp, name).map(|()| Step::Done)
}

/// True when what is there is what was recorded.
fn still(dir: &OwnedFd, op: &Op, index: Option<&Index>) -> Result<bool> {
    let Some((what, stamp)) = op.old else { return Ok(!exists(dir, &op.name)?) };
    let stat = match statat(dir, op.name.as_slice(), AtFlags::SYMLINK_NOFOLLOW) {
        Err(Errno::NOENT) => return Ok(false),
        other => other?,
    };
    let folder = FileType::from_raw_mode(stat.st_mode) == FileType::Directory;
    if folder != is_folder(Some(what)) {
        return Ok(false);
    }
    match (folder, index) {
        (false, _) => {
            // A second name and other permission bits, which recovery finds, are changes of their own doing.
            Ok(Stamp::of(&stat).has_content_of(&stamp))
        }
        (true, Some(index)) => whole(dir, &op.name, &op.path(), index),
        (true, None) => Ok(true),
    }
}

/// True when a folder has exactly what was recorded.
fn whole(dir: &OwnedFd, name: &[u8], path: &[u8], index: &Index) -> Result<bool> {
    let Some(folder) = index.folder(path) else { return Ok(false) };
    let opened = openat(dir, name, FOLDER, Mode::empty())?;
    let (mut count, mut same, mut inner) = (0, true, Vec::new());
    each_name(&opened, &mut |name, _| {
        count += 1;
        let Some(entry) = folder.find(name) else {
            same = false;
            return Ok(());
        };
        if entry.is_folder() {
            inner.push(name.to_vec());
        } else {
            let now = Stamp::of(&statat(&opened, name, AtFlags::SYMLINK_NOFOLLOW)?);
            same &= now.has_content_of(&entry.stamp);
        }
        Ok(())
    })?;
    if !same || count != folder.entries.len() {
        return Ok(false);
    }
    for name in inner {
        if !whole(&opened, &name, &join(path, &name), index)? {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Takes back whatever has been done. What was to be put there stays under its temporary name, so that this too may be
/// cut short. Needs no room on the disk.
pub(super) fn back(root: &Path, plan: &Plan) -> std::result::Result<(), RepoError> {
    open_folders(root, plan)?;
    let is_opened = |it: &ModeChange| plan.opened.iter().any(|other| other.dir == it.dir && other.name == it.name);
    set_modes(root, plan.modes.iter().filter(|it| !is_opened(it)).map(|it| (it, it.from)))?;
    let mut descent = Descent::new(root).map_err(|it| error::writing(".", it))?;
    for op in plan.ops.iter().rev() {
        let done = descent.folder(&op.dir).and_then(|dir| undo(dir, op));
        done.map_err(|it| error::writing(&shown(&op.path()), it))?;
    }
    Ok(())
}

fn undo(dir: &OwnedFd, op: &Op) -> Result<()> {
    let (name, aside, temp) = (OsStr::from_bytes(&op.name), OsStr::new(&op.aside), OsStr::new(&op.temp));
    let (here, kept) = (inode(dir, &op.name)?, inode(dir, op.aside.as_bytes())?);
    let put = op.new.is_some() && !exists(dir, op.temp.as_bytes())?;
    if put && here.is_some() {
        let linked = if op.replaces() { sys::link(dir, name, temp) } else { Err(Errno::PERM) };
        if linked.is_err() {
            sys::rename_new(dir, name, dir, temp)?;
        }
    }
    match kept {
        None => Ok(()),
        // A rename to another name of the same file does nothing.
        Some(_) if here == kept => sys::unlink(dir, aside),
        Some(_) if op.replaces() => sys::replace(dir, aside, name),
        Some(_) => sys::rename_new(dir, aside, dir, name),
    }
}

/// Removes what was never put in its place.
pub(super) fn leave_nothing(root: &Path, plan: &Plan) -> std::result::Result<(), RepoError> {
    let mut descent = Descent::new(root).map_err(|it| error::writing(".", it))?;
    for op in &plan.ops {
        match descent.folder(&op.dir).and_then(|dir| stage::remove(dir, op.temp.as_bytes())) {
            Ok(()) | Err(Errno::NOENT | Errno::NOTDIR) => {}
            Err(other) => return Err(error::writing(&shown(&op.path()), other)),
        }
    }
    close_folders(root, plan)
}

/// Removes the old, and what was not put in its place because somebody changed that. One that stays is no reason to leave
/// the others. False: something is left.
pub(super) fn tidy(root: &Path, plan: &Plan) -> bool {
    let Ok(mut descent) = Descent::new(root) else { return false };
    let mut clean = true;
    for op in &plan.ops {
        let done = descent.folder(&op.dir).and_then(|dir| {
            stage::remove(dir, op.temp.as_bytes())?;
            stage::remove(dir, op.aside.as_bytes())
        });
        clean &= matches!(done, Ok(()) | Err(Errno::NOENT | Errno::NOTDIR));
    }
    clean
}

fn exists(dir: &OwnedFd, name: &[u8]) -> Result<bool> {
    Ok(inode(dir, name)?.is_some())
}

/// The number of what is there.
fn inode(dir: &OwnedFd, name: &[u8]) -> Result<Option<u64>> {
    match statat(dir, name, AtFlags::SYMLINK_NOFOLLOW) {
        Ok(stat) => Ok(Some(Stamp::of(&stat).inode)),
        Err(Errno::NOENT) => Ok(None),
        Err(other) => Err(other),
    }
}
