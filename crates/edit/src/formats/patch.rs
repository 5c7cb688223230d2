//! Patches of several files, one after the other on texts held in memory: all of them or none. A later part of a patch
//! sees what an earlier part made of a file.

use std::collections::BTreeMap;

use super::hunk::{Hunk, LastBreak, Sign};
use super::hunks::apply_hunks;
use super::paths::by_suffix;
use super::request::{Files, Outcome, PlaceInFile, only_file};
use crate::format::Format;
use crate::refusal::{Reason, Refusal};

/// What a part of a patch does to a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Action {
    /// Makes it, with this text.
    Add(String),
    /// Changes it, and gives it a new name if there is one.
    Update,
    /// Removes it; the hunks, if any, are to be its text.
    Delete,
    /// Leaves it and changes a copy under the new name.
    Copy,
}

/// The part of a patch for one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct FilePatch<'a> {
    pub action: Action,
    /// The ways to read its name, the likeliest first; empty if the patch names none.
    pub readings: Vec<String>,
    /// The new name.
    pub to: Option<String>,
    pub hunks: Vec<Hunk<'a>>,
}

impl FilePatch<'_> {
    fn name(&self) -> &str {
        self.readings.first().map_or("", String::as_str)
    }
}

/// The files as the parts done so far leave them.
struct Tree<'a> {
    files: &'a Files,
    changed: BTreeMap<String, Option<String>>,
}

impl Tree<'_> {
    fn get(&self, path: &str) -> Option<&str> {
        match self.changed.get(path) {
            Some(now) => now.as_deref(),
            None => self.files.get(path).map(String::as_str),
        }
    }

    /// The path of an existing file that a part of the patch means.
    fn find(&self, patch: &FilePatch<'_>, default: Option<&str>) -> Result<String, Refusal> {
        if let Some(name) = patch.readings.iter().find(|name| self.get(name).is_some()) {
            return Ok(name.clone());
        }
        if patch.readings.is_empty() {
            return match default.map(str::to_owned).or_else(|| only_file(self.files)) {
                Some(name) if self.get(&name).is_some() => Ok(name),
                Some(name) => Err(Refusal { file: name, ..Refusal::new(Reason::NoFile, "") }),
                None => Err(Refusal::new(Reason::Malformed, "It does not say which file is meant.")),
            };
        }
        let near = patch.readings.iter().find_map(|name| by_suffix(name, self.files.keys()));
        match near.filter(|path| self.get(path).is_some()) {
            Some(path) => Ok(path.clone()),
            None => Err(Refusal { file: patch.name().to_owned(), ..Refusal::new(Reason::NoFile, "") }),
        }
    }
}

/// Carries out all parts. `default` is the file that is meant where the patch names none.
pub(crate) fn apply_all(
    patches: &[FilePatch<'_>],
    default: Option<&str>,
    files: &Files,
    format: Format,
) -> Result<Outcome, Refusal> {
    let mut tree = Tree { files, changed: BTreeMap::new() };
    let mut outcome = Outcome::default();
    for patch in patches {
        let done = one(patch, default, &mut tree, &mut outcome);
        let named = if patches.len() > 1 { patch.name() } else { "" };
        done.map_err(|refusal| refusal.of(format, named))?;
    }
    tree.changed.retain(|path, now| now.as_deref() != files.get(path).map(String::as_str));
    if tree.changed.is_empty() {
        return Err(Refusal::new(Reason::NothingToChange, "").of(format, ""));
    }
    outcome.files_after = tree.changed;
    Ok(outcome)
}

fn one(
    patch: &FilePatch<'_>,
    default: Option<&str>,
    tree: &mut Tree<'_>,
    outcome: &mut Outcome,
) -> Result<(), Refusal> {
    if let Action::Add(text) = &patch.action {
        return add(patch, default, text, tree);
    }
    let path = tree.find(patch, default)?;
    let old = tree.get(&path).unwrap_or_default().to_owned();
    if patch.action == Action::Delete {
        delete(patch, &old)?;
        tree.changed.insert(path, None);
        return Ok(());
    }
    let moves = patch.to.as_ref().filter(|to| **to != path);
    let new = if patch.hunks.is_empty() {
        if moves.is_none() {
            return Err(Refusal::new(Reason::Malformed, "It has nothing to change in the file."));
        }
        old
    } else {
        let applied = apply_hunks(&old, &patch.hunks)?;
        outcome.places.extend(applied.places.into_iter().map(|place| PlaceInFile { path: path.clone(), place }));
        applied.text
    };
    let Some(to) = moves else {
        tree.changed.insert(path, Some(new));
        return Ok(());
    };
    tree.changed.insert(to.clone(), Some(new));
    if patch.action != Action::Copy {
        tree.changed.insert(path.clone(), None);
        outcome.moved.push((path, to.clone()));
    }
    Ok(())
}

fn add(patch: &FilePatch<'_>, default: Option<&str>, text: &str, tree: &mut Tree<'_>) -> Result<(), Refusal> {
    let Some(path) = patch.readings.first().map(String::as_str).or(default) else {
        return Err(Refusal::new(Reason::Malformed, "It does not say how the new file is called."));
    };
    if let Some(old) = tree.get(path).filter(|old| !old.is_empty()) {
        let reason = if old == text { Reason::AlreadyApplied } else { Reason::FileExists };
        return Err(Refusal { file: path.to_owned(), ..Refusal::new(reason, "") });
    }
    crate::engine::guard::write_guard("", text)?;
    tree.changed.insert(path.to_owned(), Some(text.to_owned()));
    Ok(())
}

/// Whether the file may go: what a diff shows as its text has to be its text, but for blanks at line ends.
fn delete(patch: &FilePatch<'_>, old: &str) -> Result<(), Refusal> {
    let shown = patch.hunks.iter().flat_map(|hunk| &hunk.lines);
    if patch.hunks.is_empty()
        || shown.clone().all(|line| line.sign == Sign::Old)
            && shown.map(|line| line.text.trim_end()).eq(old.lines().map(str::trim_end))
    {
        return Ok(());
    }
    let detail = "The file is to be deleted, but the lines given are not all that it has.";
    Err(Refusal::new(Reason::Weak, detail))
}

/// The text of a new file from hunks that only add.
pub(crate) fn new_text(hunks: &[Hunk<'_>]) -> Result<String, Refusal> {
    let mut out = String::new();
    for line in hunks.iter().flat_map(|hunk| &hunk.lines) {
        if line.sign != Sign::New && !line.text.trim().is_empty() {
            let detail = format!("A new file has only lines that start with `+`; this one does not: {}", line.bare);
            return Err(Refusal::new(Reason::Malformed, detail));
        }
        out.push_str(line.text);
        out.push('\n');
    }
    if hunks.last().is_some_and(|hunk| hunk.last_break == LastBreak::Absent) {
        out.pop();
    }
    Ok(out)
}
