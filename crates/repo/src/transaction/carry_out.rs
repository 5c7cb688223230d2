//! Carrying a transaction out. The order of these calls is what makes it safe; each comment says what must come before what.

use std::ffi::OsStr;
use std::fs::File;
use std::os::fd::OwnedFd;

use rustix::fs::{AtFlags, Mode, statat};
use rustix::io::Errno;

use super::check::Draft;
use super::lock::TreeLock;
use crate::change::back::take_back;
use crate::change::finish::{remove_temporaries, sync_folders, tidy};
use crate::change::forward::forward;
use crate::change::journal::{Journal, Stage};
use crate::change::operation::{FileCopy, New, Old, Plan};
use crate::change::recovery::{Kept, Recovery};
use crate::stamp::Stamp;
use crate::{Located, RepoError, beneath, error, sys};

/// A plan whose one operation the file system itself makes atomic.
pub(super) fn single(draft: &Draft, lock: &mut TreeLock) -> Result<bool, RepoError> {
    lock.with(|it| it.begin(&draft.plan, false))?;
    let done = make_folders(draft).and_then(|()| fill(draft)).and_then(|()| change(draft));
    if let Err(cause) = done {
        return Err(match remove_temporaries(&draft.plan) {
            Ok(()) => cause,
            Err(_) => RepoError::Unsettled { cause: Box::new(cause) },
        });
    }
    // The file has been replaced whole and cannot be taken back; whether it is on the disk is then the system's word.
    let _ = sync_folders(&draft.plan);
    Ok(true)
}

/// Any plan, all of it or none; `note` hears of what somebody else changed meanwhile. False: temporary files are left,
/// which recovery will remove.
pub(super) fn all(draft: &Draft, lock: &mut TreeLock, note: &mut dyn FnMut(Recovery)) -> Result<bool, RepoError> {
    // Nothing is changed before the plan is on the disk, old contents included.
    lock.with(|it| it.begin(&draft.plan, true))?;
    let changed = make_folders(draft)
        // Nothing is moved into a folder that might not be there after a power cut.
        .and_then(|()| sync_new_folders(draft))
        .and_then(|()| fill(draft))
        .and_then(|()| change(draft))
        // The plan is complete only when every changed name is on the disk.
        .and_then(|()| sync_folders(&draft.plan));
    let done = changed.and_then(|()| {
        let Err(cause) = lock.with(|it| it.mark(Stage::Complete)) else { return Ok(()) };
        // Only when it certainly does not say that it is complete may anything be taken back.
        let open = lock.with(|it| it.back_to(Stage::Planned));
        Err(if open.is_ok() { cause } else { RepoError::Unsettled { cause: Box::new(cause) } })
    });
    match done {
        Ok(()) => Ok(tidy(&draft.plan) && sync_folders(&draft.plan).is_ok()),
        Err(unsettled @ RepoError::Unsettled { .. }) => Err(unsettled),
        Err(cause) => match undo(&draft.plan).and_then(|kept| lock.with(Journal::clear).map(|()| kept)) {
            Ok(kept) => {
                if !kept.is_empty() {
                    note(Recovery { files: Vec::new(), kept });
                }
                Err(cause)
            }
            Err(_) => Err(RepoError::Unsettled { cause: Box::new(cause) }),
        },
    }
}

/// Puts everything back as it was before the plan, and waits until that is on the disk.
pub(super) fn undo(plan: &Plan) -> Result<Vec<Kept>, RepoError> {
    let kept = take_back(plan)?;
    remove_temporaries(plan)?;
    sync_folders(plan)?;
    Ok(kept)
}

fn make_folders(draft: &Draft) -> Result<(), RepoError> {
    draft.plan.folders.iter().try_for_each(|folder| {
        on(folder, |dir, name| match sys::make_folder(dir, name) {
            // Somebody else made it meanwhile.
            Err(Errno::EXIST) => Ok(()),
            other => other,
        })
    })
}

fn sync_new_folders(draft: &Draft) -> Result<(), RepoError> {
    draft.plan.folders.iter().try_for_each(|it| on(it, |dir, _| sys::sync_folder(dir)))
}

/// Fills every temporary file. All are written before the first is waited for, so that the disk is busy meanwhile.
fn fill(draft: &Draft) -> Result<(), RepoError> {
    let mut filled = Vec::new();
    for (op, work) in draft.plan.operations.iter().zip(&draft.work) {
        if !matches!(op.new, Some(New::File(_))) {
            continue;
        }
        let old = match &op.old {
            Some(Old::File(old)) => Some(&**old),
            _ => None,
        };
        filled.push((&op.at, on(&op.at, |dir, _| fill_one(dir, &op.temp, &work.bytes, old))?));
    }
    filled.iter().try_for_each(|(at, file)| sys::sync(file).map_err(|it| error::writing(&at.rel, it)))
}

fn fill_one(dir: &OwnedFd, temp: &OsStr, bytes: &[u8], old: Option<&FileCopy>) -> rustix::io::Result<File> {
    // Nobody else sees the text of a file that they could not read; for a new file the umask has its say.
    let mode = if old.is_some() { 0o600 } else { 0o666 };
    let file = sys::create(dir, temp, Mode::from_raw_mode(mode))?;
    sys::write(&file, bytes)?;
    if let Some(old) = old {
        old.attributes.give(&file)?;
    }
    Ok(file)
}

/// The changes themselves. Each is refused when the file is no longer the one that was checked a moment ago.
fn change(draft: &Draft) -> Result<(), RepoError> {
    let unchanged = |index: usize, dir: &OwnedFd, name: &OsStr| {
        let now = Stamp::of(&statat(dir, name, AtFlags::SYMLINK_NOFOLLOW)?);
        Ok(draft.work[index].seen.is_none_or(|it| it.has_content_of(&now)))
    };
    forward(&draft.plan, false, &unchanged).map(drop)
}

fn on<T>(at: &Located, act: impl FnOnce(&OwnedFd, &OsStr) -> rustix::io::Result<T>) -> Result<T, RepoError> {
    beneath::parent(at).and_then(|(dir, name)| act(&dir, name)).map_err(|it| error::writing(&at.rel, it))
}
