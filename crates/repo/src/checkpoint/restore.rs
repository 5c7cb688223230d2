//! Putting the tree back to a checkpoint, as a whole or in part, so that a crash leaves it untouched or, when it is next
//! opened, completed. What was there before is always recorded first.
//!
//! The order: the plan is on the disk before a temporary file is made; everything new is on the disk before the journal says
//! that it is staged; only then is anything changed. What is cut short before that is removed, what is cut short after it
//! is completed; what fails is taken back.

use std::io;
use std::path::Path;

use ox_protocol::CheckpointReason;

use super::differ::{self, Difference};
use super::history::Known;
use super::index::{Index, NewTree, shown};
use super::merge::Merge;
use super::modes;
use super::plan::{Plan, Wanted};
use super::record::{Moved, Record, Way};
use super::stage;
use super::store::{Guard, Store};
use super::{Checkpoint, Checkpoints, Note, Restored, show};
use crate::change::finish::tidy;
use crate::change::journal::{Journal, Stage};
use crate::{Hash, RepoError, sys};

/// The journal of a restore that is under way.
const JOURNAL: &str = "restore";

impl Checkpoints {
    /// Puts the tree back to the checkpoint whose id begins so; with `paths`, these files and folders alone. What is
    /// there now is recorded first, and is the restored checkpoint's `before`.
    pub fn restore(&self, id: &str, paths: &[String], note: &Note) -> Result<Restored, RepoError> {
        let wanted = self.wanted(paths)?;
        let mut store = self.store();
        let guard = store.lock()?;
        self.ready(&mut store, &guard)?;
        let _lock = self.inner.tree.lock()?;
        let to = store.find(id)?.clone();
        let now = self.before(&mut store, &guard, note)?;
        let read = |id: &Hash| store.object(id);
        let mut merge = Merge::new(&read);
        let tree = merge.with(&wanted, to.tree, now.tree)?;
        let new = merge.made([tree]);
        let way = match note.reason {
            CheckpointReason::Review => Way::Review,
            _ if note.call.is_some() => Way::Within,
            _ => Way::Restore,
        };
        let aim = Aim { tree, new, way, back: 0 };
        Ok(Restored { to: to.checkpoint, ..self.put_back(&mut store, &guard, &now, aim, note)? })
    }

    /// The state in which the last turn began; none before the first.
    pub fn last_start(&self) -> Result<Option<Checkpoint>, RepoError> {
        let mut store = self.store();
        store.refresh()?;
        Ok(store.history.last_start().map(|it| it.checkpoint.clone()))
    }

    /// Brings the store up to date and ends what was cut short.
    pub(super) fn ready(&self, store: &mut Store, guard: &Guard) -> Result<(), RepoError> {
        store.refresh()?;
        if store.folder().join(JOURNAL).symlink_metadata().is_err() {
            return Ok(());
        }
        let mut journal = journal(guard).map_err(|it| store.fail(it))?;
        let left = journal.read::<Plan>().map_err(|it| store.fail(it))?;
        let Some((plan, stage)) = left else { return Ok(()) };
        let _lock = self.inner.tree.lock()?;
        if stage == Stage::Planned {
            // Nothing was changed, but temporary files may be there.
            modes::remove_temporaries(&plan)?;
        } else {
            let changed = if stage == Stage::Staged { Some(self.go_on(store, &mut journal, &plan)?) } else { None };
            let record = Record::Moved(plan.moved.clone());
            if store.records()?.last() != Some(&record) {
                store.append(guard, &record, true)?;
            }
            tidy(&plan.changes);
            changed.iter().for_each(|it| self.tell(completed(it)));
        }
        journal.remove();
        Ok(())
    }

    /// Brings the tree from the state that was just recorded to that which is aimed at.
    pub(super) fn put_back(
        &self,
        store: &mut Store,
        guard: &Guard,
        before: &Known,
        aim: Aim,
        note: &Note,
    ) -> Result<Restored, RepoError> {
        let Aim { tree, new, way, back } = aim;
        let known = store.history.all.iter().rev().find(|it| it.tree == tree).cloned();
        let to = known.map_or_else(|| self.prepare(store, guard, before, (tree, &new), note), Ok)?;
        let index = store.index();
        let moved = Moved { way, before: before.commit, to: to.commit, whole: true, back };
        let mut plan = Plan::of(self.inner.tree.root(), &index, to.tree, moved, &|id| store.object(id))?;
        plan.moved.whole = plan.left.is_empty();
        let differences = store.differences(Some(before.tree), Some(to.tree), &[])?;
        let files: Vec<_> = differences.iter().filter(|it| is_put(it, &plan)).map(show::bare).collect();
        if !plan.is_empty() {
            let journal = self.carry_out(store, guard, &plan, &index)?;
            if tidy(&plan.changes) {
                journal.remove();
            }
        } else if way != Way::Restore {
            store.append(guard, &Record::Moved(plan.moved.clone()), true)?;
        }
        let (to, before) = (to.checkpoint, before.checkpoint.clone());
        Ok(Restored { to, before, files, left: plan.left, git: Vec::new() })
    }

    /// Everything up to the note of it, or nothing. Answers with the journal, which is removed after tidying up.
    fn carry_out(&self, store: &mut Store, guard: &Guard, plan: &Plan, index: &Index) -> Result<Journal, RepoError> {
        let root = self.inner.tree.root();
        let mut journal = journal(guard).map_err(|it| store.fail(it))?;
        if let Err(error) = journal.begin(plan, true) {
            journal.release();
            return Err(store.fail(error));
        }
        let staged = modes::open_folders(plan)
            .and_then(|()| stage::all(root, &plan.changes, &|id| store.object(id)))
            .and_then(|()| journal.mark(Stage::Staged).map_err(|it| store.fail(it)));
        if let Err(cause) = staged {
            // Whatever it says, nothing has been changed; it must not be completed later.
            let settled = journal.back_to(Stage::Planned).map_err(|it| store.fail(it));
            return Err(failed(cause, settled.and_then(|()| modes::remove_temporaries(plan)), journal));
        }
        let done = modes::carry_on(plan, Some(index)).and_then(|_| synced(root, plan));
        let done = done.and_then(|()| journal.mark(Stage::Complete).map_err(|it| store.fail(it)));
        let done = done.and_then(|()| store.append(guard, &Record::Moved(plan.moved.clone()), true));
        let Err(cause) = done else { return Ok(journal) };
        let settled = journal
            .back_to(Stage::Staged)
            .map_err(|it| store.fail(it))
            .and_then(|()| modes::back(plan))
            .and_then(|()| journal.back_to(Stage::Planned).map_err(|it| store.fail(it)))
            .and_then(|()| modes::remove_temporaries(plan));
        Err(failed(cause, settled, journal))
    }

    /// Ends a restore that was cut short, when there is one and nobody is at it.
    pub(super) fn recover(&self) {
        let mut store = self.store();
        if store.folder().join(JOURNAL).symlink_metadata().is_err() {
            return;
        }
        let done = store.lock().and_then(|guard| self.ready(&mut store, &guard));
        if let Err(error) = done {
            self.tell(format!("a restore that was cut short could not be completed yet: {error}"));
        }
    }

    /// Does what is left to do of a restore that was staged. Answers with what somebody changed since.
    fn go_on(&self, store: &Store, journal: &mut Journal, plan: &Plan) -> Result<Vec<String>, RepoError> {
        let root = self.inner.tree.root();
        modes::open_folders(plan)?;
        let changed = modes::carry_on(plan, None)?;
        synced(root, plan)?;
        journal.mark(Stage::Complete).map_err(|it| store.fail(it))?;
        Ok(changed)
    }

    /// Paths as people write them, relative to the root.
    pub(super) fn wanted(&self, paths: &[String]) -> Result<Wanted, RepoError> {
        use std::os::unix::ffi::OsStrExt;
        let root = self.inner.tree.root();
        let mut wanted = Vec::new();
        for path in paths {
            let inside = Path::new(path).strip_prefix(root).unwrap_or(Path::new(path));
            let mut parts: Vec<&[u8]> = Vec::new();
            for part in inside.components() {
                match part {
                    std::path::Component::Normal(name) => parts.push(name.as_bytes()),
                    std::path::Component::CurDir => {}
                    _ => {
                        return Err(RepoError::Outside { path: path.clone(), root: root.display().to_string() });
                    }
                }
            }
            if parts.is_empty() {
                return Ok(Wanted::default());
            }
            wanted.push(parts.join(&b'/'));
        }
        Ok(Wanted(wanted))
    }
}

/// A state to put the tree into.
pub(super) struct Aim {
    pub tree: Hash,
    /// Trees of it that may not be in the store.
    pub new: Vec<NewTree>,
    pub way: Way,
    pub back: u64,
}

/// The journal of the restore under way.
fn journal(guard: &Guard) -> io::Result<Journal> {
    let dir = guard.dir.try_clone()?;
    let file = sys::open_journal(&dir, JOURNAL.as_ref())?;
    Ok(Journal::new(dir, JOURNAL, file))
}

/// The error to give: the cause alone where all was settled.
fn failed(cause: RepoError, settled: Result<(), RepoError>, journal: Journal) -> RepoError {
    match settled {
        Ok(()) => {
            journal.remove();
            cause
        }
        Err(_) => RepoError::Unsettled { cause: Box::new(cause) },
    }
}

fn synced(root: &Path, plan: &Plan) -> Result<(), RepoError> {
    stage::sync(root, &plan.changes, plan.changes.operations.len(), || Ok(()))
}

fn completed(changed: &[String]) -> String {
    let paths: Vec<String> = changed.iter().map(|it| format!("`{it}`")).collect();
    match &paths[..] {
        [] => "a restore that was cut short was completed".to_owned(),
        some => {
            format!(
                "a restore that was cut short was completed; changed since and left as they are: {}",
                some.join(", ")
            )
        }
    }
}

/// True when the plan puts this difference back.
fn is_put(difference: &Difference, plan: &Plan) -> bool {
    let path = shown(&difference.path);
    differ::is_folder(difference.new) || plan.left.iter().all(|it| it.path != path)
}
