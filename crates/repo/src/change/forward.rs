//! Carrying operations out, each of which may be done already: what is new lies under temporary names by now.

use std::ffi::OsStr;
use std::os::fd::OwnedFd;

use rustix::io::{Errno, Result};

use super::acts::{exists, inode, link_aside};
use super::operation::{New, Old, Operation, Plan};
use crate::{RepoError, beneath, error, sys};

/// Tells whether what an operation, given by its number, is about to change is still what it was when the plan was made.
pub(crate) type Unchanged<'a> = &'a dyn Fn(usize, &OwnedFd, &OsStr) -> Result<bool>;

/// Does everything that is not done yet. What somebody changed since makes it fail; where it is `tolerant`, that is left as
/// it is, and its paths are the answer.
pub(crate) fn forward(
    plan: &Plan,
    tolerant: bool,
    unchanged: Unchanged<'_>,
) -> std::result::Result<Vec<String>, RepoError> {
    let mut changed = Vec::new();
    for (index, op) in plan.operations.iter().enumerate() {
        let done = beneath::parent(&op.at).and_then(|(dir, name)| {
            match step(plan, &dir, name, op, &|| unchanged(index, &dir, name)) {
                // Whatever came where a checkpoint has something is somebody's change.
                Err(Errno::EXIST) if matches!(op.new, Some(New::Recorded { .. })) => Ok(false),
                other => other,
            }
        });
        match done {
            Ok(true) => {}
            Ok(false) if !tolerant => return Err(RepoError::Changed { path: op.at.rel.clone() }),
            Err(other) if !(tolerant && matches!(other, Errno::NOENT | Errno::NOTDIR | Errno::LOOP)) => {
                return Err(error::writing(&op.at.rel, other));
            }
            // The folder may be gone too, by somebody else.
            _ => changed.push(op.at.rel.clone()),
        }
    }
    Ok(changed)
}

/// One operation; false: somebody else changed what it was to change.
fn step(
    plan: &Plan,
    dir: &OwnedFd,
    name: &OsStr,
    op: &Operation,
    unchanged: &dyn Fn() -> Result<bool>,
) -> Result<bool> {
    if let Some(New::Moved { from, .. }) = &op.new {
        let (source, old_name) = beneath::parent(from)?;
        return sys::rename_new(&source, old_name, dir, name).map(|()| true);
    }
    let staged = op.new.is_some() && exists(dir, &op.temp)?;
    if op.new.is_some() && !staged {
        return Ok(true);
    }
    if op.replaces() {
        return replace(plan, dir, name, op, unchanged);
    }
    if op.old.is_some() && !exists(dir, &op.aside)? {
        if !unchanged()? {
            return Ok(false);
        }
        match plan.single {
            true => sys::unlink(dir, name)?,
            false => sys::rename_new(dir, name, dir, &op.aside)?,
        }
    }
    if staged {
        sys::rename_new(dir, &op.temp, dir, name)?;
    }
    Ok(true)
}

/// Puts a file or link in the place of another in one step.
fn replace(
    plan: &Plan,
    dir: &OwnedFd,
    name: &OsStr,
    op: &Operation,
    unchanged: &dyn Fn() -> Result<bool>,
) -> Result<bool> {
    let here = inode(dir, name)?;
    if here == inode(dir, &op.temp)? {
        // It was put there, and taking that back was cut short.
        return sys::unlink(dir, &op.temp).map(|()| true);
    }
    let kept = exists(dir, &op.aside)?;
    let linked = !kept && here.is_some() && !plan.single && link_aside(dir, name, &op.aside)?;
    // Without a name it was moved aside and not replaced yet. The last look is right before the replacement.
    if (!kept || here.is_some()) && !unchanged()? {
        return Ok(false);
    }
    // Where a second name is not permitted the journal has the contents, or the old is moved.
    if !kept && !linked && !plan.single && !matches!(op.old, Some(Old::File(_))) {
        sys::rename_new(dir, name, dir, &op.aside)?;
    }
    sys::replace(dir, &op.temp, name).map(|()| true)
}
