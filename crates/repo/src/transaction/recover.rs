//! After a crash: the transaction that was cut short is taken back, or tidied up after when it was complete.

use std::fmt;

use super::journal::{Journal, Left};
use super::plan::{Plan, Step};
use super::undo;
use crate::{RepoError, Tree};

/// What recovery after a crash has done. Its display is a sentence for the user.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Recovery {
    /// Files whose change was taken back, relative to the root; none for a transaction that failed, which says so itself.
    pub files: Vec<String>,
    /// Files that somebody had changed since the crash, and which were therefore left as they are.
    pub kept: Vec<Kept>,
}

/// A file that was not put back, because somebody had changed it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kept {
    /// Relative to the root.
    pub path: String,
    /// Where the state before the transaction is; none where there was none, or it is lost.
    pub copy: Option<String>,
}

impl fmt::Display for Recovery {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let files: Vec<String> = self.files.iter().map(|it| format!("`{it}`")).collect();
        match &files[..] {
            [] => write!(f, "an edit that failed was taken back")?,
            some => write!(f, "an edit that was cut short was taken back: {}", some.join(", "))?,
        }
        for Kept { path, copy } in &self.kept {
            match copy {
                Some(copy) => {
                    write!(
                        f,
                        "; `{path}` has been changed since and was left alone, its state before the edit is `{copy}`"
                    )?;
                }
                None => write!(f, "; `{path}` has been changed since and was left alone")?,
            }
        }
        Ok(())
    }
}

impl Tree {
    /// Ends what a crash has cut short, if anything. Every opening of a tree does so; call it to see why it could not.
    pub fn recover(&self) -> Result<(), RepoError> {
        if !Journal::exists(self) {
            return Ok(());
        }
        let mut journal = Journal::take(self)?;
        self.settle(&mut journal)?;
        journal.remove();
        Ok(())
    }

    /// What recoveries of this tree have done that was not asked for yet.
    pub fn recovered(&self) -> Vec<Recovery> {
        let mut done = self.inner.recovered.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        std::mem::take(&mut *done)
    }

    /// Leaves a journal without a plan, and the tree wholly before or wholly after the plan that it had.
    pub(super) fn settle(&self, journal: &mut Journal) -> Result<(), RepoError> {
        match journal.left()? {
            // A record that is not whole: nothing was changed after it.
            None if journal.is_empty()? => return Ok(()),
            None => {}
            Some(Left { plan, complete: true }) => {
                undo::tidy(&plan);
            }
            Some(Left { plan, complete: false }) if plan.single => {
                undo::leave_nothing(&plan)?;
                // The plan is forgotten only when what it names is gone for good.
                undo::sync_folders(&plan)?;
            }
            Some(Left { plan, complete: false }) => {
                let kept = undo::take_back(&plan)?;
                self.note(Recovery { files: files(&plan), kept });
            }
        }
        journal.forget()
    }

    pub(super) fn note(&self, recovery: Recovery) {
        self.inner.recovered.lock().unwrap_or_else(std::sync::PoisonError::into_inner).push(recovery);
    }
}

fn files(plan: &Plan) -> Vec<String> {
    plan.steps.iter().flat_map(Step::places).map(|it| it.rel.clone()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_recovery_is_told_in_a_sentence() {
        let kept = |path: &str, copy: Option<&str>| Kept { path: path.into(), copy: copy.map(str::to_owned) };
        let all = [
            Recovery { files: vec!["a".into(), "b".into()], kept: Vec::new() },
            Recovery { files: vec!["a".into()], kept: vec![kept("a", Some("a.before")), kept("b", None)] },
            Recovery { files: Vec::new(), kept: vec![kept("a", Some("a.before"))] },
        ];
        expect_test::expect![[r#"
            an edit that was cut short was taken back: `a`, `b`
            an edit that was cut short was taken back: `a`; `a` has been changed since and was left alone, its state before the edit is `a.before`; `b` has been changed since and was left alone
            an edit that failed was taken back; `a` has been changed since and was left alone, its state before the edit is `a.before`
        "#]].assert_eq(&all.map(|it| format!("{it}\n")).concat());
    }
}
