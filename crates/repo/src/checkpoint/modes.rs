//! What a restore does beside the operations: permission bits, and a look at what it is about to change.

use std::ffi::OsStr;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt;

use rustix::fs::{AtFlags, FileType, Mode, openat, statat};
use rustix::io::{Errno, Result};

use super::folders::{FOLDER, each_name};
use super::index::{Index, join};
use super::plan::{ModeChange, Plan, inside};
use crate::change::back::take_back;
use crate::change::finish;
use crate::change::forward::forward;
use crate::change::operation::Old;
use crate::stamp::Stamp;
use crate::{RepoError, beneath, error, sys};

/// Opens the folders that nothing could be made in.
pub(super) fn open_folders(plan: &Plan) -> std::result::Result<(), RepoError> {
    set_modes(plan.opened.iter().map(|it| (it, it.from | 0o700)))
}

fn set_modes<'a>(modes: impl Iterator<Item = (&'a ModeChange, u32)>) -> std::result::Result<(), RepoError> {
    for (change, mode) in modes {
        match beneath::parent(&change.at).and_then(|(dir, name)| set_mode(&dir, name, mode)) {
            // Somebody else removed it.
            Ok(()) | Err(Errno::NOENT | Errno::NOTDIR | Errno::LOOP) => {}
            Err(other) => return Err(error::writing(&change.at.rel, other)),
        }
    }
    Ok(())
}

fn set_mode(dir: &OwnedFd, name: &OsStr, mode: u32) -> Result<()> {
    let stat = statat(dir, name, AtFlags::SYMLINK_NOFOLLOW)?;
    let same = stat.st_mode & 0o7777 == mode || FileType::from_raw_mode(stat.st_mode) == FileType::Symlink;
    if same { Ok(()) } else { sys::set_mode_at(dir, name, mode) }
}

/// Does everything that is not done yet. With `index`, the tree as it was recorded, whatever somebody changed since makes
/// it fail; without, that is left as it is, and its paths are the answer.
pub(super) fn carry_on(plan: &Plan, index: Option<&Index>) -> std::result::Result<Vec<String>, RepoError> {
    let operations = &plan.changes.operations;
    let unchanged = |at: usize, dir: &OwnedFd, name: &OsStr| {
        is_as_recorded(dir, name, inside(&operations[at].at), operations[at].old.as_ref(), index)
    };
    let changed = forward(&plan.changes, index.is_none(), &unchanged)?;
    set_modes(plan.modes.iter().map(|it| (it, it.to)))?;
    set_modes(plan.opened.iter().rev().map(|it| (it, it.to)))?;
    Ok(changed)
}

/// True when what is there is what was recorded.
fn is_as_recorded(dir: &OwnedFd, name: &OsStr, path: &[u8], old: Option<&Old>, index: Option<&Index>) -> Result<bool> {
    let stat = match statat(dir, name, AtFlags::SYMLINK_NOFOLLOW) {
        Err(Errno::NOENT) => return Ok(old.is_none()),
        other => other?,
    };
    let is_folder = FileType::from_raw_mode(stat.st_mode) == FileType::Directory;
    match (old, index) {
        (Some(Old::Recorded { folder: true, .. }), Some(index)) if is_folder => {
            whole(dir, name.as_bytes(), path, index)
        }
        (Some(Old::Recorded { folder: true, .. }), None) => Ok(is_folder),
        // A second name and other permission bits, which recovery finds, are changes of their own doing.
        (Some(Old::Recorded { folder: false, stamp }), _) => Ok(!is_folder && Stamp::of(&stat).has_content_of(stamp)),
        _ => Ok(false),
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

/// Takes back whatever has been done.
pub(super) fn back(plan: &Plan) -> std::result::Result<(), RepoError> {
    open_folders(plan)?;
    let is_opened = |it: &ModeChange| plan.opened.iter().any(|other| other.at == it.at);
    set_modes(plan.modes.iter().filter(|it| !is_opened(it)).map(|it| (it, it.from)))?;
    take_back(&plan.changes).map(drop)
}

/// Removes what was never put in its place, and gives the folders that were opened their permission bits again.
pub(super) fn remove_temporaries(plan: &Plan) -> std::result::Result<(), RepoError> {
    finish::remove_temporaries(&plan.changes)?;
    // The innermost first: it is reached through the others.
    set_modes(plan.opened.iter().rev().map(|it| (it, it.from)))
}
