//! Taking parts of a run back: the tree is recorded first, so that the taking back can be taken back.
//!
//! It refuses what somebody else changed since the run; it never writes over a file that changed while it was looked at.

use std::collections::BTreeSet;
use std::path::Path;

use ox_protocol::{ChangeKind, CheckpointReason, FileChange, Time};
use ox_repo::{Checkpoints, Note, Point, RepoError, Tree};

use super::files::{Body, Part, Reviewed, State};
use super::hunks;
use super::run::Run;
use crate::project::now;

/// What became of the parts that were rejected.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Taken {
    /// The checkpoint from before; none where nothing was taken back.
    pub checkpoint: Option<String>,
    /// Names of the parts that are gone.
    pub rejected: Vec<String>,
    /// Names of the parts that were left because somebody else had changed them, with their paths.
    pub refused: Vec<(String, String)>,
    /// Paths that could not be put back, with the reasons.
    pub left: Vec<(String, String)>,
}

/// Takes the parts in `rejected` back.
pub fn reject(
    store: &Checkpoints,
    tree: &Tree,
    run: &Run,
    files: &[Reviewed],
    rejected: &BTreeSet<String>,
) -> Result<Taken, RepoError> {
    let mut taken = Taken::default();
    let (mut texts, mut wholes) = (Vec::new(), Vec::new());
    for file in files {
        let chosen: Vec<&Part> = file.parts.iter().filter(|it| rejected.contains(&it.id)).collect();
        let (foreign, own): (Vec<&Part>, Vec<&Part>) = chosen.into_iter().partition(|it| it.state == State::Foreign);
        taken.refused.extend(foreign.iter().map(|it| (it.id.clone(), file.change.path.clone())));
        taken.rejected.extend(own.iter().map(|it| it.id.clone()));
        let all = own.len() == file.parts.len();
        match &file.body {
            _ if own.is_empty() => {}
            // With all of its text goes the change of its mode.
            Body::Text { .. } if !(all && file.changes_mode()) => {
                texts.push((file, own.iter().map(|it| it.id.clone()).collect::<BTreeSet<String>>()));
            }
            _ => wholes.push(file),
        }
    }
    if taken.rejected.is_empty() {
        return Ok(taken);
    }
    let at = now();
    let before = store.take(&note(CheckpointReason::BeforeRestore, at))?.checkpoint.id;
    write(tree, &texts)?;
    store.take(&note(CheckpointReason::Review, at))?;
    if !wholes.is_empty() {
        let all = store.diff(&Point::At(run.base.clone()), &Point::Now, None)?;
        let paths = widened(tree.root(), &paths(&wholes), &all);
        let restored = store.restore(&run.base, &paths, &note(CheckpointReason::Review, at))?;
        taken.left = restored.left.into_iter().map(|it| (it.path, it.why.to_string())).collect();
    }
    taken.checkpoint = Some(before);
    Ok(taken)
}

/// A review belongs to the turns that it looks at: undoing them undoes it too.
fn note(reason: CheckpointReason, time: Time) -> Note {
    Note { conversation: "review".to_string(), turn: 0, call: None, reason, why: "ox accept".to_string(), time }
}

/// All texts are written in one transaction, which fails where a file is no longer what was looked at.
fn write(tree: &Tree, texts: &[(&Reviewed, BTreeSet<String>)]) -> Result<(), RepoError> {
    let mut transaction = tree.begin();
    for (file, rejected) in texts {
        let Body::Text { base, now } = &file.body else { continue };
        let path = &file.change.path;
        let old = tree.read(path)?;
        if old.text != *now {
            return Err(RepoError::Changed { path: path.clone() });
        }
        let found: Vec<hunks::Hunk> = file.parts.iter().filter_map(|it| it.hunk.clone()).collect();
        transaction.write(path, old, &hunks::without(base, now, &found, rejected));
    }
    if texts.is_empty() { Ok(()) } else { transaction.commit().map(drop) }
}

/// A renamed file goes back from its new path and comes back at its old one.
fn paths(files: &[&Reviewed]) -> Vec<String> {
    let both = |it: &&Reviewed| {
        let from = it.change.from.clone().filter(|_| it.change.kind == ChangeKind::Renamed);
        std::iter::once(it.change.path.trim_end_matches('/').to_string()).chain(from).collect::<Vec<String>>()
    };
    files.iter().flat_map(both).collect()
}

/// The paths, with a folder in place of files where everything that is in it now, and everything that differs in it, is
/// among them: so that a folder goes which came with its files.
fn widened(root: &Path, paths: &[String], all: &[FileChange]) -> Vec<String> {
    let chosen: BTreeSet<&str> = paths.iter().map(String::as_str).collect();
    let is_all = |folder: &str| {
        let within = |it: &str| it.strip_prefix(folder).is_some_and(|it| it.starts_with('/'));
        let differs = all.iter().flat_map(|it| std::iter::once(&it.path).chain(&it.from));
        differs.filter(|it| within(it)).all(|it| chosen.contains(it.trim_end_matches('/')))
            && holds_only(root, folder, &chosen)
    };
    let widest = |path: &String| {
        let mut widest = path.as_str();
        while let Some((folder, _)) = widest.rsplit_once('/').filter(|(folder, _)| is_all(folder)) {
            widest = folder;
        }
        widest.to_string()
    };
    paths.iter().map(widest).collect::<BTreeSet<String>>().into_iter().collect()
}

/// True when every file in the folder is one of these, and there is one.
fn holds_only(root: &Path, folder: &str, chosen: &BTreeSet<&str>) -> bool {
    let Ok(entries) = std::fs::read_dir(root.join(folder)) else { return false };
    let mut entries = entries.flatten().peekable();
    entries.peek().is_some()
        && entries.all(|it| {
            let path = format!("{folder}/{}", it.file_name().to_string_lossy());
            let is_folder = it.file_type().is_ok_and(|it| it.is_dir());
            chosen.contains(path.as_str()) || (is_folder && holds_only(root, &path, chosen))
        })
}
