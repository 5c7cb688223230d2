//! After a crash: the transaction that was cut short is taken back, or tidied up after when it was complete.

use std::io;

use super::carry_out::undo;
use super::lock::TreeLock;
use crate::change::finish::{remove_temporaries, sync_folders, tidy};
use crate::change::journal::{Journal, Stage};
use crate::change::operation::{Operation, Plan};
use crate::change::recovery::Recovery;
use crate::{RepoError, Tree};

impl Tree {
    /// Ends what a crash has cut short, if anything. Every opening of a tree does so; call it to see why it could not.
    pub fn recover(&self) -> Result<(), RepoError> {
        if !TreeLock::exists(self) {
            return Ok(());
        }
        let mut lock = TreeLock::take(self)?;
        self.recover_interrupted(&mut lock)?;
        lock.remove();
        Ok(())
    }

    /// What recoveries of this tree have done that was not asked for yet.
    pub fn recovered(&self) -> Vec<Recovery> {
        let mut done = self.inner.recovered.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        std::mem::take(&mut *done)
    }

    /// Leaves a journal without a plan, and the tree wholly before or wholly after the plan that it had.
    pub(super) fn recover_interrupted(&self, lock: &mut TreeLock) -> Result<(), RepoError> {
        match lock.with(Journal::read::<Plan>)? {
            // A plan that is not whole: nothing was changed after it.
            None if lock.with(|it| it.is_empty())? => return Ok(()),
            None => {}
            Some((plan, _)) if !plan.is_sound() => {
                return lock.with(|_| Err(io::Error::other("it names places outside of the tree")));
            }
            Some((plan, Stage::Complete)) => {
                // What stays is in nobody's way; what is gone must be gone for good before the plan is forgotten.
                let _ = tidy(&plan).then(|| sync_folders(&plan));
            }
            Some((plan, _)) if plan.single => {
                remove_temporaries(&plan)?;
                // The plan is forgotten only when what it names is gone for good.
                sync_folders(&plan)?;
            }
            Some((plan, _)) => {
                let kept = undo(&plan)?;
                self.note(Recovery { files: files(&plan), kept });
            }
        }
        lock.with(Journal::clear)
    }

    pub(super) fn note(&self, recovery: Recovery) {
        self.inner.recovered.lock().unwrap_or_else(std::sync::PoisonError::into_inner).push(recovery);
    }
}

fn files(plan: &Plan) -> Vec<String> {
    plan.operations.iter().flat_map(Operation::places).map(|it| it.rel.clone()).collect()
}
