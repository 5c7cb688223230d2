//! Carrying a plan out. The order of these calls is what makes it safe; each comment says what must come before what.

use rustix::fs::{AtFlags, Mode, statat};
use rustix::io::Errno;

use super::Recovery;
use super::check::{Draft, Seen, Work};
use super::journal::Journal;
use super::plan::{Old, Step};
use super::undo::{self, sync_folders};
use crate::{Located, RepoError, beneath, error, sys};

/// A plan whose one step the file system itself makes atomic.
pub(super) fn single(draft: &Draft, journal: &mut Journal) -> Result<bool, RepoError> {
    journal.write(&draft.plan, false)?;
    let done = make_folders(draft).and_then(|()| fill(draft)).and_then(|()| change(draft));
    if let Err(cause) = done {
        return Err(match undo::leave_nothing(&draft.plan) {
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
pub(super) fn all(draft: &Draft, journal: &mut Journal, note: &mut dyn FnMut(Recovery)) -> Result<bool, RepoError> {
    // Nothing is changed before the plan is on the disk, old contents included.
    journal.write(&draft.plan, true)?;
    let changed = make_folders(draft)
        // Nothing is moved into a folder that might not be there after a power cut.
        .and_then(|()| sync_new_folders(draft))
        .and_then(|()| fill(draft))
        .and_then(|()| keep_aside(draft))
        .and_then(|()| change(draft))
        // The plan is complete only when every changed name is on the disk.
        .and_then(|()| sync_folders(&draft.plan));
    let done = changed.and_then(|()| {
        let complete = journal.complete();
        if let Err(cause) = complete {
            // Only when it certainly does not say `complete` may anything be taken back.
            let open = journal.incomplete();
            return Err(if open.is_ok() { cause } else { RepoError::Unsettled { cause: Box::new(cause) } });
        }
        Ok(())
    });
    match done {
        Ok(()) => Ok(undo::tidy(&draft.plan)),
        Err(unsettled @ RepoError::Unsettled { .. }) => Err(unsettled),
        Err(cause) => match undo::take_back(&draft.plan).and_then(|kept| journal.forget().map(|()| kept)) {
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

fn make_folders(draft: &Draft) -> Result<(), RepoError> {
    for folder in &draft.plan.folders {
        let made = beneath::parent(folder).and_then(|(dir, name)| match sys::make_folder(&dir, name) {
            // Somebody else made it meanwhile.
            Err(Errno::EXIST) => Ok(()),
            other => other,
        });
        made.map_err(|it| error::writing(&folder.rel, it))?;
    }
    Ok(())
}

fn sync_new_folders(draft: &Draft) -> Result<(), RepoError> {
    for folder in &draft.plan.folders {
        on(folder, |dir, _| sys::sync_folder(dir))?;
    }
    Ok(())
}

/// Fills every temporary file. All are written before the first is waited for, so that the disk is busy meanwhile.
fn fill(draft: &Draft) -> Result<(), RepoError> {
    let mut filled = Vec::new();
    for (step, work) in draft.plan.steps.iter().zip(&draft.work) {
        let (at, temp, old) = match step {
            Step::Create { at, temp, .. } => (at, temp, None),
            Step::Modify { at, temp, old, .. } => (at, temp, Some(old)),
            Step::Rename { .. } | Step::Delete { .. } => continue,
        };
        let file = beneath::parent(at).and_then(|(dir, _)| fill_one(&dir, temp, work, old.map(|it| &**it)));
        filled.push((at, file.map_err(|it| error::writing(&at.rel, it))?));
    }
    filled.iter().try_for_each(|(at, file)| sys::sync(file).map_err(|it| error::writing(&at.rel, it)))
}

fn fill_one(
    dir: &std::os::fd::OwnedFd,
    temp: &std::ffi::OsStr,
    work: &Work,
    old: Option<&Old>,
) -> rustix::io::Result<std::fs::File> {
    // Nobody else sees the text of a file that they could not read; for a new file the umask has its say.
    let mode = if old.is_some() { 0o600 } else { 0o666 };
    let file = sys::create(dir, temp, Mode::from_raw_mode(mode))?;
    sys::write(&file, &work.bytes)?;
    if let Some(old) = old {
        old.attributes.give(&file)?;
    }
    Ok(file)
}

/// Gives every file that will be replaced a second name, under which it can be put back without needing room.
fn keep_aside(draft: &Draft) -> Result<(), RepoError> {
    for step in &draft.plan.steps {
        let Step::Modify { at, aside, .. } = step else { continue };
        let linked = beneath::parent(at).and_then(|(dir, name)| match sys::link(&dir, name, aside) {
            // Not every file may have a second name. The journal has its contents.
            Err(Errno::PERM | Errno::ACCESS | Errno::NOTSUP | Errno::NOSYS | Errno::MLINK) => Ok(()),
            other => other,
        });
        linked.map_err(|it| error::writing(&at.rel, it))?;
    }
    Ok(())
}

/// The changes themselves.
fn change(draft: &Draft) -> Result<(), RepoError> {
    let single = draft.plan.single;
    for (step, work) in draft.plan.steps.iter().zip(&draft.work) {
        match step {
            Step::Create { at, temp, .. } => on(at, |dir, name| sys::rename_new(dir, temp, dir, name))?,
            Step::Modify { at, temp, .. } => {
                still(at, work)?;
                on(at, |dir, name| sys::replace(dir, temp, name))?;
            }
            Step::Rename { from, to, .. } => {
                let (source, name) = beneath::parent(from).map_err(|it| error::writing(&from.rel, it))?;
                on(to, |target, new_name| sys::rename_new(&source, name, target, new_name))?;
            }
            Step::Delete { at, .. } if single => {
                still(at, work)?;
                on(at, sys::unlink)?;
            }
            Step::Delete { at, aside, .. } => {
                still(at, work)?;
                on(at, |dir, name| sys::rename_new(dir, name, dir, aside))?;
            }
        }
    }
    Ok(())
}

/// Refuses when the file is no longer the one that was checked a moment ago.
fn still(at: &Located, work: &Work) -> Result<(), RepoError> {
    let now = beneath::parent(at).and_then(|(dir, name)| statat(&dir, name, AtFlags::SYMLINK_NOFOLLOW));
    let now = now.map_err(|it| error::writing(&at.rel, it))?;
    match work.seen.is_none_or(|it| it == Seen::of(&now)) {
        true => Ok(()),
        false => Err(RepoError::Changed { path: at.rel.clone() }),
    }
}

fn on(
    at: &Located,
    act: impl FnOnce(&std::os::fd::OwnedFd, &std::ffi::OsStr) -> rustix::io::Result<()>,
) -> Result<(), RepoError> {
    beneath::parent(at).and_then(|(dir, name)| act(&dir, name)).map_err(|it| error::writing(&at.rel, it))
}
