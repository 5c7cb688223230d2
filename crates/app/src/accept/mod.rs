//! Going through what the last run changed, file by file and hunk by hunk, and taking back what is rejected.
//!
//! Accepting changes nothing in the tree; it is remembered, so that nobody is asked twice. Rejecting records the tree
//! first, so that the taking back can be taken back.

mod files;
mod hunks;
mod reject;
mod run;

use std::collections::BTreeSet;

use ox_protocol::{FileChange, Problem};
use ox_repo::{Checkpoints, Point, RepoError, Tree};

use files::now_bytes;
pub use files::{Body, Part, Reviewed, State};
pub(crate) use hunks::lines;
pub use reject::Taken;
pub use run::Run;

use crate::project::Project;

/// What was decided.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Decided {
    /// Names of accepted parts.
    pub accepted: BTreeSet<String>,
    /// Names of rejected parts.
    pub rejected: BTreeSet<String>,
}

/// What of a text is the run's.
#[derive(Clone, Debug, Default)]
pub struct OwnText {
    /// The text with the run's changes alone; none where that is the text as it is now, or where it cannot be told apart.
    pub text: Option<String>,
    /// True where the user changed lines of the run's, or beside them, so that their changes go with them.
    pub mixed: bool,
}

/// A project whose last run is looked at.
pub struct RunChanges {
    /// The project.
    pub project: Project,
    /// Its working tree.
    pub tree: Tree,
    /// The run.
    pub run: Run,
    store: Checkpoints,
    marks: run::Marks,
}

impl RunChanges {
    /// Finds the run of the conversation whose id begins with `id`, else the newest of whose changes something is there.
    pub fn open(project: Project, id: Option<&str>) -> Result<RunChanges, Problem> {
        let tree = project.tree()?;
        let store = Checkpoints::open(&project.paths.state_dir, &tree).map_err(failed)?;
        let marks = run::marks(&project.paths.state_dir, &project.root)?;
        let is_there = |run: &Run| files::files(&store, &tree, run, &marks).map(|it| !it.is_empty()).map_err(failed);
        let run = run::last(&project, &marks, id, &is_there)?;
        Ok(RunChanges { project, tree, run, store, marks })
    }

    /// The newest run of the project that changed something, also where that is committed; an empty one where none did.
    pub fn newest(project: &Project) -> Result<Run, Problem> {
        match run::last(project, &run::Marks::default(), None, &|_| Ok(true)) {
            Err(problem) if problem.code == "accept.nothing" => Ok(Run::default()),
            found => found,
        }
    }

    /// The files that the run changed and that still differ from what they were.
    pub fn files(&self) -> Result<Vec<Reviewed>, Problem> {
        files::files(&self.store, &self.tree, &self.run, &self.marks).map_err(failed)
    }

    /// What differs from the state before the run, also where the run did not change it.
    pub fn changes(&self) -> Result<Vec<FileChange>, Problem> {
        self.store.diff(&Point::At(self.run.base.clone()), &Point::Now, None).map_err(failed)
    }

    /// What of a text is the run's: `head`, the text as it is committed (none where it is not), with what each turn made of
    /// it and what the user made of those lines since.
    pub fn own_text(&self, path: &str, head: Option<&str>) -> Result<OwnText, Problem> {
        let mut own = OwnText::default();
        let Some(now) = now_bytes(self.tree.root(), path).and_then(|it| String::from_utf8(it).ok()) else {
            return Ok(own);
        };
        let at = |id: &str| -> Result<Option<String>, Problem> {
            let bytes = self.store.content(id, path).map_err(failed)?;
            Ok(bytes.and_then(|it| String::from_utf8(it).ok()))
        };
        let Some(head) = head else {
            let end = self.run.end.as_deref().map_or(Ok(None), at)?;
            own.mixed = end.is_some_and(|it| it != now);
            return Ok(own);
        };
        let mut text = head.to_owned();
        for (i, (before, end)) in self.run.turns.iter().enumerate() {
            let next = self.run.turns.get(i + 1).map(|it| at(&it.0)).transpose()?;
            let end = end.as_deref().map_or(Ok(None), at)?;
            let (Some(before), Some(end), Some(next)) = (at(before)?, end, next.unwrap_or_else(|| Some(now.clone())))
            else {
                return Ok(own);
            };
            let (theirs, touched) = hunks::own(&before, &end, &next);
            own.mixed |= touched;
            let Some(merged) = hunks::merge(&before, &text, &theirs) else {
                own.mixed = true;
                return Ok(own);
            };
            text = merged;
        }
        own.text = Some(text).filter(|it| *it != now);
        Ok(own)
    }

    /// True where somebody changed something since the run ended.
    pub fn changed_since(&self) -> Result<bool, Problem> {
        let Some(end) = &self.run.end else { return Ok(false) };
        Ok(!self.store.diff(&Point::At(end.clone()), &Point::Now, None).map_err(failed)?.is_empty())
    }

    /// Remembers what was accepted and takes back what was rejected.
    pub fn settle(&self, files: &[Reviewed], decided: &Decided) -> Result<Taken, Problem> {
        if let Some(both) = decided.accepted.intersection(&decided.rejected).next() {
            return Err(Problem::new("accept.both").with("id", both));
        }
        let (state, root) = (&self.project.paths.state_dir, &self.project.root);
        if !decided.accepted.is_empty() {
            let new = || decided.accepted.iter().filter(|it| !self.marks.accepted.contains(it)).cloned();
            run::mark(state, root, |marks| marks.accepted.extend(new()))?;
        }
        if decided.rejected.is_empty() {
            return Ok(Taken::default());
        }
        // Nobody else may change the tree meanwhile.
        let _lock = ox_store::lock_tree(state, self.tree.root())?;
        reject::reject(&self.store, &self.tree, &self.run, files, &decided.rejected).map_err(failed)
    }

    /// Remembers that everything so far is committed.
    pub fn mark_committed(&self) -> Result<(), Problem> {
        let committed = |marks: &mut run::Marks| {
            marks.committed.insert(self.run.conversation.clone(), self.run.last);
        };
        run::mark(&self.project.paths.state_dir, &self.project.root, committed)
    }
}

/// A problem of the working tree or its checkpoints, in their own words.
fn failed(error: RepoError) -> Problem {
    Problem::new("accept.failed").with("why", error)
}

/// The parts that names mean: beginnings of hunk names, or paths.
pub fn named(files: &[Reviewed], names: &[String]) -> Result<Vec<String>, Problem> {
    let mut all = Vec::new();
    for name in names {
        let of_path = files.iter().filter(|it| it.change.path == *name).flat_map(|it| &it.parts);
        let mut found: Vec<&Part> = of_path.collect();
        if found.is_empty() {
            found = files.iter().flat_map(|it| &it.parts).filter(|it| it.id.starts_with(name.as_str())).collect();
            if found.len() != 1 {
                let code = if found.is_empty() { "accept.no_hunk" } else { "accept.many_hunks" };
                return Err(Problem::new(code).with("id", name));
            }
        }
        all.extend(found.into_iter().map(|it| it.id.clone()));
    }
    Ok(all)
}
