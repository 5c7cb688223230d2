//! Taking a plan back, and tidying up after one.
//!
//! Each step is judged by what is on the disk, never by how far the plan is thought to have come; so taking back may
//! itself be cut short, and repeated any number of times. What is neither the old state nor ours is somebody's change:
//! it stays, and what was there before is kept beside it.

use std::ffi::{OsStr, OsString};
use std::os::fd::OwnedFd;

use rustix::fs::{AtFlags, statat};
use rustix::io::{Errno, Result};

use super::plan::{Gone, Mark, Old, Plan, Step, part};
use super::recover::Kept;
use super::restore::{exists, holds, inode, keep, rebuild};
use crate::{Located, RepoError, beneath, error, sys};

/// Puts everything back as it was before the plan.
pub(super) fn take_back(plan: &Plan) -> std::result::Result<Vec<Kept>, RepoError> {
    let mut kept = Vec::new();
    for step in plan.steps.iter().rev() {
        kept.extend(back(step, plan).map_err(|it| error::writing(&step.places()[0].rel, it))?);
    }
    leave_nothing(plan)?;
    sync_folders(plan)?;
    Ok(kept)
}

/// Removes temporary files, and the folders that were made where they are empty.
pub(super) fn leave_nothing(plan: &Plan) -> std::result::Result<(), RepoError> {
    for step in &plan.steps {
        let (at, names) = match step {
            Step::Create { at, temp, .. } => (at, vec![temp.clone()]),
            Step::Modify { at, .. } if plan.single => (at, vec![temp_of(step)]),
            Step::Modify { at, temp, aside, .. } => (at, vec![temp.clone(), aside.clone(), part(aside)]),
            Step::Delete { at, aside, .. } if !plan.single => (at, vec![part(aside)]),
            Step::Delete { .. } | Step::Rename { .. } => continue,
        };
        let removed = at_parent(at, |dir, _| names.iter().try_for_each(|it| remove(dir, it)));
        removed.map_err(|it| error::writing(&at.rel, it))?;
    }
    for folder in plan.folders.iter().rev() {
        let removed = at_parent(folder, |dir, name| match exists(dir, name)?.then(|| sys::remove_folder(dir, name)) {
            // Others have put something there, and it is theirs now.
            None | Some(Ok(()) | Err(Errno::NOTEMPTY | Errno::EXIST | Errno::NOTDIR | Errno::NOENT)) => Ok(()),
            Some(other) => other,
        });
        removed.map_err(|it| error::writing(&folder.rel, it))?;
    }
    Ok(())
}

/// Removes what a complete plan has set aside, for good; false: it cannot be told whether all of it is gone.
pub(super) fn tidy(plan: &Plan) -> bool {
    let aside = plan.steps.iter().filter_map(|step| match step {
        Step::Modify { at, aside, .. } | Step::Delete { at, aside, .. } => Some((at, aside)),
        Step::Create { .. } | Step::Rename { .. } => None,
    });
    // One that stays is no reason to leave the others.
    let left = aside.filter(|(at, name)| at_parent(at, |dir, _| remove_all(dir, name)).is_err()).count();
    left == 0 && sync_folders(plan).is_ok()
}

/// Waits until every name that the plan changes is on the disk, the innermost folders first: until the folder above a
/// new one is on the disk, nothing of it is.
pub(super) fn sync_folders(plan: &Plan) -> std::result::Result<(), RepoError> {
    for place in plan.touched().into_iter().rev() {
        let synced = at_parent(place, |dir, _| sys::sync_folder(dir));
        synced.map_err(|it| error::writing(&place.rel, it))?;
    }
    Ok(())
}

fn temp_of(step: &Step) -> OsString {
    match step {
        Step::Create { temp, .. } | Step::Modify { temp, .. } => temp.clone(),
        Step::Rename { .. } | Step::Delete { .. } => OsString::new(),
    }
}

fn back(step: &Step, plan: &Plan) -> Result<Option<Kept>> {
    match step {
        Step::Create { at, temp, new } => at_parent(at, |dir, name| back_from_create(dir, name, at, temp, new)),
        Step::Modify { at, temp, aside, old, new } => {
            at_parent(at, |dir, name| match () {
                () if holds(dir, name, &old.mark)? => Ok(None),
                () if holds(dir, name, new)? => {
                    rebuild(dir, aside, old)?;
                    sys::replace(dir, aside, name)?;
                    Ok(None)
                }
                // The new text never got here; whatever is there was written over the old by its owner.
                () if exists(dir, temp)? => Ok(None),
                () => {
                    rebuild(dir, aside, old)?;
                    keep(dir, at, aside, Some(&old.mark)).map(Some)
                }
            })
        }
        Step::Rename { from, to, inode } => {
            let edited = plan.steps.iter().find_map(|it| match it {
                Step::Modify { at, new, .. } if at.abs == from.abs => Some(new),
                _ => None,
            });
            back_from_rename(from, to, *inode, edited)
        }
        Step::Delete { at, aside, old } => at_parent(at, |dir, name| back_from_delete(dir, name, at, aside, old)),
    }
}

fn back_from_create(dir: &OwnedFd, name: &OsStr, at: &Located, temp: &OsStr, new: &Mark) -> Result<Option<Kept>> {
    match () {
        // It never got from its temporary name to this one.
        () if exists(dir, temp)? => Ok(None),
        () if holds(dir, name, new)? => sys::unlink(dir, name).map(|()| None),
        () if exists(dir, name)? => Ok(Some(Kept { path: at.rel.clone(), copy: None })),
        () => Ok(None),
    }
}

/// `edited`: what the file was made before it was moved.
fn back_from_rename(from: &Located, to: &Located, number: u64, edited: Option<&Mark>) -> Result<Option<Kept>> {
    let (Some((source, name)), Some((target, new_name))) = (parent(from)?, parent(to)?) else { return Ok(None) };
    let moved = inode(&target, new_name)?;
    let occupied = exists(&source, name)?;
    let is_ours = moved == Some(number) || edited.map_or(Ok(false), |it| holds(&target, new_name, it))?;
    match is_ours {
        // It is not there, or somebody else's.
        false => Ok(None),
        true if !occupied => sys::rename_new(&target, new_name, &source, name).map(|()| None),
        // Both are there, and what was moved is one of them.
        true => Ok(Some(Kept { path: from.rel.clone(), copy: Some(to.rel.clone()) })),
    }
}

fn back_from_delete(dir: &OwnedFd, name: &OsStr, at: &Located, aside: &OsString, old: &Gone) -> Result<Option<Kept>> {
    let mark = match old {
        Gone::File(old) => Some(&old.mark),
        Gone::Link(_) | Gone::Aside => None,
    };
    let occupied = exists(dir, name)?;
    if exists(dir, aside)? {
        return match occupied {
            true => keep(dir, at, aside, mark).map(Some),
            false => sys::rename_new(dir, aside, dir, name).map(|()| None),
        };
    }
    match old {
        _ if occupied => Ok(None),
        Gone::File(old) => back_from_journal(dir, name, aside, old).map(|()| None),
        Gone::Link(target) => sys::symlink(target, dir, name).map(|()| None),
        // Somebody removed the temporary name, and with it the only copy.
        Gone::Aside => Ok(Some(Kept { path: at.rel.clone(), copy: None })),
    }
}

fn back_from_journal(dir: &OwnedFd, name: &OsStr, aside: &OsString, old: &Old) -> Result<()> {
    rebuild(dir, aside, old)?;
    sys::rename_new(dir, aside, dir, name)
}

/// The folder of a place; none when it is gone.
fn parent(place: &Located) -> Result<Option<(OwnedFd, &OsStr)>> {
    match beneath::parent(place) {
        Ok(found) => Ok(Some(found)),
        Err(Errno::NOENT | Errno::NOTDIR | Errno::LOOP) => Ok(None),
        Err(other) => Err(other),
    }
}

/// Does something in the folder of a place; nothing when it is gone.
fn at_parent<T: Default>(place: &Located, act: impl FnOnce(&OwnedFd, &OsStr) -> Result<T>) -> Result<T> {
    parent(place)?.map_or_else(|| Ok(T::default()), |(dir, name)| act(&dir, name))
}

fn remove(dir: &OwnedFd, name: &OsStr) -> Result<()> {
    match exists(dir, name)? {
        true => sys::unlink(dir, name),
        false => Ok(()),
    }
}

/// Removes whatever is there, also a folder with everything in it.
fn remove_all(dir: &OwnedFd, name: &OsStr) -> Result<()> {
    use rustix::fs::FileType;
    match statat(dir, name, AtFlags::SYMLINK_NOFOLLOW) {
        Err(Errno::NOENT) => Ok(()),
        Err(other) => Err(other),
        Ok(stat) if FileType::from_raw_mode(stat.st_mode) != FileType::Directory => sys::unlink(dir, name),
        Ok(_) => crate::remove::folder(dir, name),
    }
}
