//! What follows when all is done or all is taken back: temporary names go, and what was done is waited for.

use std::ffi::OsStr;
use std::os::fd::OwnedFd;

use rustix::io::{Errno, Result};

use super::acts::{exists, remove};
use super::operation::{New, Operation, Plan, part};
use crate::located::Located;
use crate::{RepoError, beneath, error, sys};

/// The folder of a place; none when it is gone.
pub(super) fn parent(place: &Located) -> Result<Option<(OwnedFd, &OsStr)>> {
    match beneath::parent(place) {
        Ok(found) => Ok(Some(found)),
        Err(Errno::NOENT | Errno::NOTDIR | Errno::LOOP) => Ok(None),
        Err(other) => Err(other),
    }
}

/// Does something in the folder of a place; nothing when it is gone.
pub(super) fn at_parent<T: Default>(place: &Located, act: impl FnOnce(&OwnedFd, &OsStr) -> Result<T>) -> Result<T> {
    parent(place)?.map_or_else(|| Ok(T::default()), |(dir, name)| act(&dir, name))
}

fn is_move(op: &Operation) -> bool {
    matches!(op.new, Some(New::Moved { .. }))
}

/// After all was taken back: removes temporary files, and the folders that were made where they are empty.
pub(crate) fn remove_temporaries(plan: &Plan) -> std::result::Result<(), RepoError> {
    for op in plan.operations.iter().filter(|it| !is_move(it)) {
        let mut names = vec![op.temp.clone()];
        if !plan.single {
            names.push(part(&op.aside));
            // What was to be removed may be there and nowhere else.
            names.extend(op.replaces().then(|| op.aside.clone()));
        }
        let removed = at_parent(&op.at, |dir, _| names.iter().try_for_each(|it| remove(dir, it)));
        removed.map_err(|it| error::writing(&op.at.rel, it))?;
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

/// After all was done: removes the old for good, and what was not put in its place because somebody changed that. False: it
/// cannot be told whether all of it is gone.
pub(crate) fn tidy(plan: &Plan) -> bool {
    // One that stays is no reason to leave the others.
    let left = plan.operations.iter().filter(|it| !is_move(it)).filter(|op| {
        let removed = at_parent(&op.at, |dir, _| remove(dir, &op.temp).and_then(|()| remove(dir, &op.aside)));
        removed.is_err()
    });
    left.count() == 0
}

/// Waits until every name that the plan changes is on the disk, the innermost folders first: until the folder above a
/// new one is on the disk, nothing of it is.
pub(crate) fn sync_folders(plan: &Plan) -> std::result::Result<(), RepoError> {
    for place in plan.touched().into_iter().rev() {
        let synced = at_parent(place, |dir, _| sys::sync_folder(dir));
        synced.map_err(|it| error::writing(&place.rel, it))?;
    }
    Ok(())
}
