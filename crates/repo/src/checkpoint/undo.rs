//! Undo, redo and rewind: which changes are taken back, and what somebody would lose by it.
//!
//! Only what a turn changed is taken back, path by path; what others made or changed meanwhile stays. Where a path is not
//! as the turn left it, or git's `HEAD` has moved, nothing is done before somebody says so.

use std::path::Path;

use ox_protocol::{CheckpointReason, FileChange, Over};

use super::gitdir::Second;
use super::history::{Forward, Stretch, Whose};
use super::merge::Merge;
use super::record::Way;
use super::restore::Aim;
use super::store::{Guard, Store};
use super::{Checkpoints, Note, Restored, show};
use crate::{Hash, RepoError, git};

/// What taking a turn back would come to.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct UndoPreview {
    /// What would be put back.
    pub files: Vec<FileChange>,
    /// What of it somebody changed since the turn left it, or may have.
    pub lost: Vec<FileChange>,
    /// Git's `HEAD` when the turn ended and now, where it is another.
    pub moved: Option<(String, String)>,
    /// Files of git's folder that were lost, and would be brought back.
    pub git: Vec<String>,
}

/// What came of going back.
#[derive(Clone, Debug, PartialEq)]
pub enum UndoOutcome {
    /// There is nothing to go back over.
    Nothing,
    /// Nothing was done: this is what it would come to, and what somebody has to agree to first.
    Asks(Box<UndoPreview>),
    /// It was done.
    Done(Box<Restored>),
}

/// A tree without the changes of some stretches.
struct Undone {
    /// Nothing that somebody else has changed is taken back.
    gentle: Hash,
    /// Everything is.
    whole: Hash,
}

impl Checkpoints {
    /// Takes back what the last turn did that changed something; again: what the turn before did. Without `over` it only
    /// tells what would be done.
    pub fn undo(&self, over: Option<Over>, note: &Note) -> Result<UndoOutcome, RepoError> {
        self.go_back(None, over, note)
    }

    /// Takes back what the turns of the note's conversation did from `turn` on.
    pub fn rewind(&self, turn: u32, over: Option<Over>, note: &Note) -> Result<UndoOutcome, RepoError> {
        self.go_back(Some(turn), over, note)
    }

    /// Takes the last undo back. None where nothing has been undone; refused when the tree has been changed since.
    pub fn redo(&self, note: &Note) -> Result<Option<Restored>, RepoError> {
        let mut store = self.store();
        let guard = store.lock()?;
        self.ready(&mut store, &guard)?;
        let _lock = self.inner.tree.lock()?;
        let now = self.before(&mut store, &guard, note)?;
        let gone = |store: &Store, at: usize| RepoError::RedoGone { id: store.history.all[at].checkpoint.id.clone() };
        let to = match store.history.forward() {
            Forward::Nothing => return Ok(None),
            Forward::Gone(at) => return Err(gone(&store, at)),
            Forward::To { checkpoint, from } if store.history.all[from].tree != now.tree => {
                return Err(gone(&store, checkpoint));
            }
            Forward::To { checkpoint, .. } => store.history.all[checkpoint].clone(),
        };
        let aim = Aim { tree: to.tree, new: Vec::new(), way: Way::Redo, back: 0 };
        self.put_back(&mut store, &guard, &now, aim, note).map(Some)
    }

    fn go_back(&self, since: Option<u32>, over: Option<Over>, note: &Note) -> Result<UndoOutcome, RepoError> {
        let mut store = self.store();
        if store.folder().symlink_metadata().is_err() {
            return Ok(UndoOutcome::Nothing);
        }
        let guard = store.lock()?;
        self.ready(&mut store, &guard)?;
        let _lock = self.inner.tree.lock()?;
        let now = self.before(&mut store, &guard, note)?;
        let seconds = Second::all(self.inner.tree.root(), store.folder()).into_iter();
        let lost: Vec<_> = seconds.map(|it| (it.lost(), it)).filter(|it| !it.0.is_empty()).collect();
        let git: Vec<String> = lost.iter().flat_map(|(paths, it)| paths.iter().map(|path| it.name(path))).collect();
        let line = store.history.line().to_vec();
        let (stretches, back) = match since {
            Some(turn) => {
                let mine = |it: &&Stretch| it.conversation == note.conversation && it.turn >= turn;
                (line.iter().rev().filter(mine).collect::<Vec<_>>(), 0)
            }
            None => match self.last(&store, &line, now.tree, !lost.is_empty())? {
                back @ 1.. => (vec![&line[line.len() - back]], back as u64),
                0 => (Vec::new(), 0),
            },
        };
        let Some(head) = stretches.first().map(|it| it.head.clone()) else { return Ok(UndoOutcome::Nothing) };
        let read = |id: &Hash| store.object(id);
        let (mut merge, root) = (Merge::new(&read), self.inner.tree.root());
        let undone = without(&mut merge, &stretches, now.tree)?;
        let here = git::head(root);
        // Where it was lost it comes back, and has not been moved.
        let moved = (!lost.iter().any(|it| it.1.is_own()) && !head.is_empty() && head != here).then_some((head, here));
        let asks = over.is_none() || (over == Some(Over::Ask) && (undone.gentle != undone.whole || moved.is_some()));
        let new = merge.made([undone.gentle, undone.whole]);
        drop(merge);
        if asks {
            let files = show::between(&store, now.tree, undone.whole, &new)?;
            let differing = store.differences(Some(undone.gentle), Some(undone.whole), &new)?;
            let differs = |it: &str| differing.iter().any(|other| other.path == it.trim_end_matches('/').as_bytes());
            let changed = |it: &&FileChange| differs(&it.path) || it.from.as_deref().is_some_and(differs);
            let at_stake = files.iter().filter(changed).cloned().collect();
            return Ok(UndoOutcome::Asks(Box::new(UndoPreview { files, lost: at_stake, moved, git })));
        }
        let tree = if over == Some(Over::Keep) { undone.gentle } else { undone.whole };
        let way = if since.is_some() { Way::Restore } else { Way::Undo };
        let mut restored = self.put_back(&mut store, &guard, &now, Aim { tree, new, way, back }, note)?;
        for (paths, second) in &lost {
            second.bring_back(paths).map_err(|it| crate::error::writing(&second.name(Path::new("")), it))?;
        }
        restored.git = git;
        Ok(UndoOutcome::Done(Box::new(restored)))
    }

    /// How many stretches undo goes back over: to the last one of which something can be taken back, or with `any` to the
    /// last one; 0 where there is none.
    fn last(&self, store: &Store, line: &[Stretch], now: Hash, any: bool) -> Result<usize, RepoError> {
        let read = |id: &Hash| store.object(id);
        for (back, stretch) in line.iter().rev().enumerate() {
            if any || without(&mut Merge::new(&read), &[stretch], now)?.whole != now {
                return Ok(back + 1);
            }
        }
        Ok(0)
    }

    /// Records what there is before it is changed.
    pub(super) fn before(
        &self,
        store: &mut Store,
        guard: &Guard,
        note: &Note,
    ) -> Result<super::history::Known, RepoError> {
        let note = Note { reason: CheckpointReason::BeforeRestore, ..note.clone() };
        self.take_in(store, guard, &note)?;
        Ok(store.history.head().expect("it was just recorded, or found to be equal to the tree").clone())
    }
}

/// The tree `now` without the changes of these stretches, the latest first.
fn without(merge: &mut Merge<'_>, stretches: &[&Stretch], now: Hash) -> Result<Undone, RepoError> {
    let steps = || stretches.iter().flat_map(|it| it.steps.iter().rev());
    // What the user took back of the turn in a review is no change of somebody else's.
    let reviewed: Vec<Hash> = steps().filter(|it| it.whose == Whose::Review).map(|it| it.to).collect();
    let mut undone = Undone { gentle: now, whole: now };
    for step in steps().filter(|it| it.whose != Whose::Review) {
        // What came up beside the turn may be anybody's; nothing is lost by leaving it.
        merge.keep_new = step.whose == Whose::Beside;
        merge.force = true;
        undone.whole = merge.without((step.from, step.to), &reviewed, undone.whole)?;
        if step.whose == Whose::Own {
            merge.force = false;
            undone.gentle = merge.without((step.from, step.to), &reviewed, undone.gentle)?;
        }
    }
    Ok(undone)
}
