//! A working copy of a sub-agent's own, and how what it changed comes back: all of it as one transaction, or nothing.
//!
//! The copy is a plain one, without `.git`, so that nothing is ever written into the user's repository. What was changed on both
//! sides is never merged by guessing: the places are named and the copy is kept.

use std::collections::BTreeSet;
use std::sync::Arc;

use ox_checks::Scratch;
use ox_protocol::{ChangeKind, CheckpointReason, Event, FileChange, Frame, Outcome, Problem};
use ox_repo::{Change, RepoError, Snapshot, Tree};

use crate::checkpoint_guard::CheckpointGuard;
use crate::project_index::ProjectIndex;
use crate::turn::context::TurnContext;
use crate::{Journal, checkpoint_guard, summary};

/// The largest new file that comes back: as large as an edit may make one.
const LARGEST: u64 = ox_repo::WHOLE;

/// A copy of the project.
pub(super) struct Worktree {
    copy: Scratch,
    /// The copy as a tree.
    pub tree: Tree,
    project: Tree,
    /// The copy as it was made, and the project at that time.
    before: (Snapshot, Snapshot),
}

/// What a sub-agent's copy needs to come back into the project.
pub(super) struct Merge {
    guard: Option<CheckpointGuard>,
    index: Option<ProjectIndex>,
    turn: u32,
}

/// What came back, or why nothing did.
pub(super) struct Merged {
    /// What is on record of it.
    pub events: Vec<Event>,
    /// What changed in the project.
    pub changed: Vec<FileChange>,
    /// Why nothing came back, where that is so, with the place of the copy.
    pub refused: Option<String>,
}

impl Worktree {
    /// Copies the project. Files that git ignores are left out, folders of dependencies are linked.
    pub fn make(project: &Tree) -> Result<Worktree, Problem> {
        let failed = |why: &dyn std::fmt::Display| Problem::new("agents.no_copy").with("why", why);
        let copy = Scratch::default();
        let now = project.snapshot();
        let folder = copy.of(project).map_err(|it| failed(&it))?;
        let tree = Tree::open(&folder, &[]).map_err(|it| failed(&it))?;
        let before = (tree.snapshot(), now);
        Ok(Worktree { copy, tree, project: project.clone(), before })
    }

    /// What was changed in the copy.
    fn own(&self) -> Vec<(String, ChangeKind)> {
        self.before.0.diff(&self.tree.snapshot())
    }

    /// The changes as one transaction: made of what the copy holds now, for the project as it is now. The places where that
    /// is not possible otherwise.
    fn changes(&self, own: &[(String, ChangeKind)]) -> Result<Vec<Change>, Vec<String>> {
        let (mut changes, mut conflicts) = (Vec::new(), Vec::new());
        for (path, kind) in own {
            match self.change(path, *kind) {
                Ok(change) => changes.push(change),
                Err(error) => conflicts.push(format!("{path} ({error})")),
            }
        }
        // Only now: what is read above is compared with what it was, and a later change refuses the transaction.
        let others = self.before.1.diff(&self.project.snapshot());
        let others: BTreeSet<&str> = others.iter().map(|it| it.0.as_str()).collect();
        let both = own.iter().filter(|it| others.contains(it.0.as_str()));
        conflicts.extend(both.map(|it| format!("{} (changed in the project meanwhile)", it.0)));
        if conflicts.is_empty() { Ok(changes) } else { Err(conflicts) }
    }

    fn change(&self, path: &str, kind: ChangeKind) -> Result<Change, RepoError> {
        let path = path.to_owned();
        Ok(match kind {
            ChangeKind::Deleted => Change::Delete { expected: Some(self.project.hash(&path)?), path },
            ChangeKind::Created | ChangeKind::Renamed => {
                Change::CreateBytes { bytes: self.tree.read_bytes(&path, LARGEST)?, path }
            }
            ChangeKind::Modified => {
                let (old, new) = (self.project.read(&path)?, self.tree.read(&path)?);
                Change::Write { path, old, text: new.text }
            }
        })
    }

    /// Brings the changes into the project: all of them, or none with the reasons.
    fn apply(&self) -> Result<Vec<(String, ChangeKind)>, Vec<String>> {
        let own = self.own();
        let changes = self.changes(&own)?;
        if !changes.is_empty() {
            self.project.commit(changes).map_err(|it| vec![it.to_string()])?;
        }
        Ok(own)
    }

    fn refused(&self, reasons: &[String]) -> String {
        self.copy.keep();
        format!(
            "Nothing of it reached the project: {}. Its copy is kept in {}.",
            reasons.join("; "),
            self.tree.root().display()
        )
    }

    /// What becomes of a copy whose sub-agent has ended: one that did not finish brings nothing back.
    pub async fn end(self, merge: Merge, cx: Arc<super::running::SubAgents>, done: bool, frames: &[Frame]) -> Merged {
        let mut merged = Merged { events: Vec::new(), changed: Vec::new(), refused: None };
        if !done {
            let unfinished = !self.own().is_empty();
            merged.refused = unfinished.then(|| self.refused(&["it did not finish".to_owned()]));
            return merged;
        }
        // One after the other: each begins with what the one before left.
        let mut last = cx.merging.lock().await;
        let mut guard = merge.guard;
        if let Some(guard) = &mut guard {
            if *last == Some(merge.turn) {
                guard.not_the_first();
            }
            match guard.before().await {
                Ok(events) => merged.events = events,
                Err(words) => {
                    merged.refused = Some(self.refused(&[words]));
                    return merged;
                }
            }
        }
        *last = Some(merge.turn);
        let applied = tokio::task::spawn_blocking(move || match self.apply() {
            Ok(changed) => Ok(changed),
            Err(reasons) => Err(self.refused(&reasons)),
        });
        match applied.await.expect("invariant: bringing changes back does not panic") {
            Ok(own) => merged.changed = changed(&own, frames),
            Err(words) => merged.refused = Some(words),
        }
        if let Some(guard) = &guard {
            merged.events.extend(guard.after().await);
        }
        let outcome = Outcome { changed: merged.changed.clone(), ..Outcome::default() };
        crate::turn::tell(merge.index, &outcome).await;
        merged
    }
}

impl Merge {
    /// What is kept around the change that a sub-agent brings back.
    pub fn of(cx: &TurnContext, journal: &Journal, agent: &ox_core::AgentRun) -> Merge {
        let first = !journal.changed_before() && !checkpoint_guard::changed_before(journal.frames());
        let reason = if first { CheckpointReason::BeforeTurn } else { CheckpointReason::BeforeCall };
        let now = (cx.env.clock.now)();
        let store = cx.env.checkpoints.clone();
        let guard = store.map(|store| CheckpointGuard::around_agent(store, journal, &agent.call, reason, now));
        Merge { guard, index: cx.env.index.clone(), turn: journal.conversation().turns() }
    }
}

/// What changed, with the reasons and differences that the sub-agent's own calls gave.
fn changed(own: &[(String, ChangeKind)], frames: &[Frame]) -> Vec<FileChange> {
    let known = summary::merge(frames);
    let one = |(path, kind): &(String, ChangeKind)| {
        let known = known.iter().find(|it| it.path == *path).cloned();
        known.unwrap_or_else(|| FileChange {
            path: path.clone(),
            kind: *kind,
            from: None,
            why: None,
            diff: String::new(),
            added: 0,
            removed: 0,
        })
    };
    own.iter().map(one).map(|it| FileChange { from: None, ..it }).collect()
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use super::*;

    fn project() -> (tempfile::TempDir, Tree) {
        let folder = tempfile::tempdir().unwrap();
        for (path, text) in [("a.txt", "one\n"), ("b.txt", "two\n"), ("gone.txt", "x\n"), (".gitignore", "*.log\n")] {
            fs::write(folder.path().join(path), text).unwrap();
        }
        fs::create_dir(folder.path().join(".git")).unwrap();
        fs::write(folder.path().join("made.log"), "ignored").unwrap();
        let tree = Tree::open(folder.path(), &[]).unwrap();
        (folder, tree)
    }

    fn edit(copy: &Worktree) {
        let at = |path: &str| copy.tree.root().join(path);
        fs::write(at("a.txt"), "1\n").unwrap();
        fs::create_dir(at("new")).unwrap();
        fs::write(at("new/c.bin"), [0, 159, 146]).unwrap();
        fs::remove_file(at("gone.txt")).unwrap();
        fs::write(at("made.log"), "ignored").unwrap();
    }

    fn texts(root: &Path) -> Vec<String> {
        let text = |path: &str| fs::read(root.join(path)).map_or("-".into(), |it| it.escape_ascii().to_string());
        ["a.txt", "b.txt", "gone.txt", "new/c.bin"].map(text).to_vec()
    }

    #[test]
    fn what_was_changed_comes_back_as_one_and_the_copy_goes() {
        let (folder, tree) = project();
        let copy = Worktree::make(&tree).unwrap();
        let place = copy.tree.root().to_owned();
        assert!(!place.join(".git").exists() && !place.join("made.log").exists());
        edit(&copy);
        assert_eq!(texts(folder.path())[0], "one\\n", "nothing is changed before");
        let own = copy.apply().unwrap();
        let names: Vec<String> = own.iter().map(|(path, kind)| format!("{kind:?} {path}")).collect();
        assert_eq!(names, ["Modified a.txt", "Deleted gone.txt", "Created new/c.bin"]);
        assert_eq!(texts(folder.path()), ["1\\n", "two\\n", "-", "\\x00\\x9f\\x92"]);
        drop(copy);
        assert!(!place.exists());
    }

    #[test]
    fn where_both_changed_a_file_nothing_comes_back_and_the_copy_is_kept() {
        let (folder, tree) = project();
        let copy = Worktree::make(&tree).unwrap();
        edit(&copy);
        fs::write(folder.path().join("a.txt"), "mine\n").unwrap();
        fs::write(folder.path().join("b.txt"), "mine too\n").unwrap();
        let before = texts(folder.path());
        let reasons = copy.apply().unwrap_err();
        assert_eq!(reasons, ["a.txt (changed in the project meanwhile)"]);
        assert_eq!(texts(folder.path()), before);
        let words = copy.refused(&reasons);
        let place = copy.tree.root().to_owned();
        drop(copy);
        assert!(place.join("new/c.bin").exists() && words.contains(&place.display().to_string()), "{words}");
        fs::remove_dir_all(place.parent().unwrap()).unwrap();
    }

    #[test]
    fn what_an_edit_may_not_write_does_not_come_back_either() {
        let (folder, tree) = project();
        let copy = Worktree::make(&tree).unwrap();
        fs::create_dir(copy.tree.root().join(".ox")).unwrap();
        fs::write(copy.tree.root().join(".ox/config.toml"), "mode = 'build'").unwrap();
        fs::write(copy.tree.root().join("a.txt"), "1\n").unwrap();
        let reasons = copy.apply().unwrap_err().join("; ");
        assert!(reasons.contains(".ox/config.toml"), "{reasons}");
        assert_eq!(texts(folder.path())[0], "one\\n");
    }
}
