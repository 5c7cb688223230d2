//! Putting the tree back to a checkpoint, as a whole or in part, so that a crash leaves it untouched or, when it is next
//! opened, completed. What was there before is always recorded first.
//!
//! The order: the plan is on the disk before a temporary file is made; everything new is on the disk before the word
//! `go` is; only then is anything changed. What is cut short before `go` is removed, what is cut short after it is done
//! to its end; what fails is taken back.

use std::fs::File;
use std::io;
use std::path::Path;

use ox_protocol::CheckpointReason;

use super::apply;
use super::differ::{self, Difference};
use super::history::Known;
use super::index::{NewTree, shown};
use super::merge::Merge;
use super::plan::{Plan, Wanted};
use super::record::{Moved, Record, Way};
use super::stage;
use super::store::{Guard, Store};
use super::{Checkpoint, Checkpoints, Note, Restored, show};
use crate::codec;
use crate::{Hash, RepoError, sys};

/// The journal of a restore that is under way.
const JOURNAL: &str = "restore";
const GO: &[u8] = b"go";
const DONE: &[u8] = b"done";

impl Checkpoints {
    /// Puts the tree back to the checkpoint whose id begins so; with `paths`, these files and folders alone. What is
    /// there now is recorded first, and is the restored checkpoint's `before`.
    pub fn restore(&self, id: &str, paths: &[String], note: &Note) -> Result<Restored, RepoError> {
        let wanted = self.wanted(paths)?;
        let mut store = self.store();
        let guard = store.lock()?;
        self.ready(&mut store, &guard)?;
        let _held = self.inner.tree.hold()?;
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
        let Some((plan, said)) = left(store)? else { return Ok(()) };
        let root = self.inner.tree.root();
        let _held = self.inner.tree.hold()?;
        if said == 0 {
            // Nothing was changed, but temporary files may be there.
            apply::leave_nothing(root, &plan)?;
        } else {
            let changed = if said == 1 { Some(self.go_on(store, guard, &plan)?) } else { None };
            let record = Record::Moved(plan.moved.clone());
            if store.records()?.last() != Some(&record) {
                store.append(guard, &record, true)?;
            }
            apply::tidy(root, &plan);
            changed.iter().for_each(|it| self.tell(completed(it)));
        }
        forget(guard);
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
        let mut plan = Plan::of(&index, to.tree, moved, &|id| store.object(id))?;
        plan.moved.whole = plan.left.is_empty();
        let differences = store.differences(Some(before.tree), Some(to.tree), &[])?;
        let files: Vec<_> = differences.iter().filter(|it| is_put(it, &plan)).map(show::bare).collect();
        match plan.is_empty() {
            false => self.carry_out(store, guard, &plan, &index)?,
            true if way == Way::Restore => {}
            true => store.append(guard, &Record::Moved(plan.moved.clone()), true)?,
        }
        if apply::tidy(self.inner.tree.root(), &plan) {
            forget(guard);
        }
        let (to, before) = (to.checkpoint, before.checkpoint.clone());
        Ok(Restored { to, before, files, left: plan.left, git: Vec::new() })
    }

    /// Everything up to the note of it, or nothing.
    fn carry_out(
        &self,
        store: &mut Store,
        guard: &Guard,
        plan: &Plan,
        index: &super::index::Index,
    ) -> Result<(), RepoError> {
        let root = self.inner.tree.root();
        let journal = Journal::begin(guard, plan).map_err(|it| store.fail(it))?;
        let staged = apply::open_folders(root, plan)
            .and_then(|()| stage::all(root, plan, &|id| store.object(id)))
            .and_then(|()| journal.say(GO).map_err(|it| store.fail(it)));
        if let Err(cause) = staged {
            // Whether or not it says `go`, nothing has been changed; it must not be completed later.
            let settled = journal.unsay().map_err(|it| store.fail(it)).and_then(|()| apply::leave_nothing(root, plan));
            return Err(failed(cause, settled, guard));
        }
        let done = apply::forward(root, plan, Some(index)).and_then(|_| synced(root, plan));
        let done = done.and_then(|()| journal.say(DONE).map_err(|it| store.fail(it)));
        let done = done.and_then(|()| store.append(guard, &Record::Moved(plan.moved.clone()), true));
        let Err(cause) = done else { return Ok(()) };
        let settled = journal
            .unsay_done()
            .map_err(|it| store.fail(it))
            .and_then(|()| apply::back(root, plan))
            .and_then(|()| journal.unsay().map_err(|it| store.fail(it)))
            .and_then(|()| apply::leave_nothing(root, plan));
        Err(failed(cause, settled, guard))
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

    /// Does what is left to do between `go` and `done`. Answers with what somebody changed since.
    fn go_on(&self, store: &Store, guard: &Guard, plan: &Plan) -> Result<Vec<String>, RepoError> {
        let root = self.inner.tree.root();
        apply::open_folders(root, plan)?;
        let changed = apply::forward(root, plan, None)?;
        synced(root, plan)?;
        Journal::resume(guard).and_then(|it| it.say(DONE)).map_err(|it| store.fail(it))?;
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

/// The journal of the restore under way: the plan, and then a word for each step.
struct Journal {
    file: File,
    /// Where the words begin.
    plan: u64,
}

impl Journal {
    fn begin(guard: &Guard, plan: &Plan) -> rustix::io::Result<Journal> {
        let file = sys::open_journal(&guard.dir, JOURNAL.as_ref())?;
        sys::truncate(&file, 0)?;
        let bytes = codec::framed(&plan.encode());
        let written = sys::write(&file, &bytes).and_then(|()| sys::sync(&file));
        if let Err(error) = written.and_then(|()| sys::sync_folder(&guard.dir)) {
            let _ = sys::truncate(&file, 0);
            return Err(error);
        }
        Ok(Journal { file, plan: bytes.len() as u64 })
    }

    /// To go on at its end.
    fn resume(guard: &Guard) -> rustix::io::Result<Journal> {
        let file = sys::open_journal(&guard.dir, JOURNAL.as_ref())?;
        let plan = rustix::fs::seek(&file, rustix::fs::SeekFrom::End(0))?;
        Ok(Journal { file, plan })
    }

    fn say(&self, word: &[u8]) -> rustix::io::Result<()> {
        sys::write(&self.file, &codec::framed(word))?;
        sys::sync(&self.file)
    }

    /// Takes back every word, so that what was staged is removed.
    fn unsay(&self) -> rustix::io::Result<()> {
        self.cut(self.plan)
    }

    /// Takes back every word but the first.
    fn unsay_done(&self) -> rustix::io::Result<()> {
        self.cut(self.plan + codec::framed(GO).len() as u64)
    }

    fn cut(&self, length: u64) -> rustix::io::Result<()> {
        sys::truncate(&self.file, length)?;
        sys::sync(&self.file)
    }
}

fn forget(guard: &Guard) {
    if rustix::fs::statat(&guard.dir, JOURNAL, rustix::fs::AtFlags::SYMLINK_NOFOLLOW).is_ok() {
        let _ = sys::unlink(&guard.dir, JOURNAL.as_ref());
    }
}

/// The error to give: the cause alone where all was settled.
fn failed(cause: RepoError, settled: Result<(), RepoError>, guard: &Guard) -> RepoError {
    match settled {
        Ok(()) => {
            forget(guard);
            cause
        }
        Err(_) => RepoError::Unsettled { cause: Box::new(cause) },
    }
}

/// What a restore left, if any: its plan, and how many words were said. A plan that is not whole: nothing was done after it.
fn left(store: &Store) -> Result<Option<(Plan, usize)>, RepoError> {
    let bytes = match std::fs::read(store.folder().join(JOURNAL)) {
        Err(it) if it.kind() == io::ErrorKind::NotFound => return Ok(None),
        other => other.map_err(|it| store.fail(it))?,
    };
    let mut frames = codec::frames(&bytes);
    let Some(body) = frames.next() else { return Ok(None) };
    let plan = Plan::decode(body).ok_or_else(|| store.fail(io::Error::other("the journal of a restore is damaged")))?;
    Ok(Some((plan, frames.count())))
}

fn synced(root: &Path, plan: &Plan) -> Result<(), RepoError> {
    let done = stage::sync(root, plan, plan.ops.len(), || Ok(()));
    done.map_err(|it| crate::error::writing(".", it))
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
