//! Changes to files that are worked out and not yet made: made together or not at all, and told to the model and to the
//! user in the same words wherever they come from.

use std::fmt::Write as _;
use std::ops::RangeInclusive;

use ox_edit::{Place, marker_guard, short_diff};
use ox_protocol::{ChangeKind, FileChange, Outcome};
use ox_repo::{Applied, Change, FileText, RepoError, Tree};

use crate::edit::change::{DIFF_CONTEXT, DIFF_LINES, bare, counted, modified};
use crate::edit::stale::Merged;
use crate::{call::context::CallContext, call::error::ToolError, session::read_log::ReadLog};

/// A diff of so many lines is shown whole, so that nothing has to be read again.
const WHOLE_LINES: usize = 12;
/// Lines of a longer diff for each place that matched to the letter.
const EXACT_LINES: usize = 6;
/// The same for a place that matched less than that, where the model has to see what became of it.
const LOOSE_LINES: usize = 24;
/// Places of "every occurrence" for which the diff has room.
const SHOWN_PLACES: usize = 4;

/// Changes of one call, in the order in which it names the files.
#[derive(Default)]
pub struct EditPlan {
    pub(crate) files: Vec<PlannedFile>,
}

/// A file with what is to become of it.
pub struct PlannedFile {
    /// Where it will be, as it was named.
    pub(crate) path: String,
    /// The same, relative to the root.
    pub(crate) rel: String,
    pub(crate) what: What,
}

/// What is to become of a file.
pub(crate) enum What {
    /// It is new.
    Made { text: String },
    /// It has another text or another path.
    Changed(Box<Changed>),
    /// It is gone; `lines` is how many it had. `expected` is what it must be for that.
    Removed { expected: Option<ox_repo::Hash>, lines: usize },
}

/// A file that stays, with another text, another path, or both.
pub(crate) struct Changed {
    pub old: FileText,
    pub new: String,
    /// Its present path, as named and relative to the root, where that is another one.
    pub from: Option<(String, String)>,
    pub at: At,
    pub merged: Option<Merged>,
}

/// Where a file is changed.
pub(crate) enum At {
    /// At these places.
    Places(Vec<Place>),
    /// At these places, of which the model gave the old text and the new one.
    Given(Vec<Place>),
    /// At every occurrence of some text.
    Everywhere(usize),
}

impl EditPlan {
    /// Makes all changes or none, and tells `reads` what the model now knows.
    ///
    /// # Errors
    /// What the tree says. Nothing has changed then, unless it is [`RepoError::Unsettled`].
    pub fn commit(&self, tree: &Tree, reads: Option<&ReadLog>) -> Result<(), ToolError> {
        self.files.iter().try_for_each(|it| it.guarded(self.files.len()))?;
        let order = self.order();
        let steps: Vec<Change> = order.iter().flat_map(|it| self.files[*it].steps()).collect();
        let applied = tree.commit(steps).map_err(|cause| {
            if let (RepoError::Unsettled { .. }, Some(reads)) = (&cause, reads) {
                // Nobody knows what the model would see now.
                self.files.iter().for_each(|file| reads.forget(&file.rel));
            }
            ToolError::Commit { cause, files: self.files.len() }
        })?;
        let Some(reads) = reads else { return Ok(()) };
        let mut applied = applied.into_iter();
        for file in order.into_iter().map(|it| &self.files[it]) {
            let made: Vec<Applied> = applied.by_ref().take(file.steps().len()).collect();
            file.known(reads, &made);
        }
        Ok(())
    }

    /// The order of writing: whoever watches the tree meanwhile never sees a file without what it imports.
    fn order(&self) -> Vec<usize> {
        let text = |file: &PlannedFile| match &file.what {
            What::Made { text } => text.clone(),
            What::Changed(it) => it.new.clone(),
            What::Removed { .. } => String::new(),
        };
        let texts: Vec<String> = if self.files.len() > 1 { self.files.iter().map(text).collect() } else { Vec::new() };
        if texts.is_empty() {
            return (0..self.files.len()).collect();
        }
        let files: Vec<(&str, &str)> =
            self.files.iter().zip(&texts).map(|(it, text)| (it.rel.as_str(), text.as_str())).collect();
        ox_index::dependency_order(&files)
    }

    /// What the model reads of it: file, line and a short diff of each place.
    pub fn answer(&self) -> String {
        let mut out = String::new();
        self.files.iter().for_each(|file| file.answer(&mut out));
        let merged = self.files.iter().filter_map(PlannedFile::merged).collect::<Vec<_>>();
        if !merged.is_empty() {
            let _ =
                write!(out, "[changed on disk since you read it: {}; both changes are in it now]", merged.join(", "));
        }
        out.truncate(out.trim_end().len());
        out
    }

    /// A note where a line below a place stands twice now.
    pub(crate) fn doubled(&self) -> Option<String> {
        let (file, line) = self.files.iter().find_map(|file| Some((file, file.doubled()?)))?;
        let What::Changed(it) = &file.what else { return None };
        let text = it.new.lines().nth(line - 1).unwrap_or_default().trim();
        Some(format!(
            "[line {line} of {} repeats the line above it: `{text}`; if the range ended too early, remove it]",
            file.rel
        ))
    }

    /// What the user sees of it.
    pub fn changes(&self, why: Option<&str>) -> Vec<FileChange> {
        self.files.iter().map(|file| FileChange { why: why.map(str::to_string), ..file.change() }).collect()
    }

    /// The places at which a file is changed, by the path that it will have; empty where the whole file is concerned.
    pub fn places(&self, rel: &str) -> &[Place] {
        match self.files.iter().find(|it| it.rel == rel).map(|it| &it.what) {
            Some(What::Changed(it)) => it.at.places(),
            _ => &[],
        }
    }

    /// Makes all changes or none, as [`EditPlan::commit`] does, and answers for the call.
    pub(crate) fn make(&self, cx: &CallContext, why: Option<String>) -> Result<Outcome, ToolError> {
        self.commit(&cx.tree, Some(&cx.reads))?;
        Ok(Outcome { changed: self.changes(why.as_deref()), tree_changed: true, ..Outcome::ok(self.answer()) })
    }
}

impl PlannedFile {
    /// Refuses text in which something stands for a secret that was hidden from the model.
    fn guarded(&self, files: usize) -> Result<(), ToolError> {
        let (old, new) = match &self.what {
            What::Made { text } => ("", text.as_str()),
            What::Changed(it) => (it.old.text.as_str(), it.new.as_str()),
            What::Removed { .. } => return Ok(()),
        };
        marker_guard(old, new).map_err(|refusal| ToolError::edit(&self.rel, refusal, files))
    }

    fn steps(&self) -> Vec<Change> {
        let path = self.path.clone();
        match &self.what {
            What::Made { text } => vec![Change::Create { path, text: text.clone() }],
            What::Removed { expected, .. } => vec![Change::Delete { path, expected: *expected }],
            What::Changed(it) => {
                let Changed { old, new, from, .. } = &**it;
                let present = from.as_ref().map_or(&path, |(name, _)| name).clone();
                let mut steps = Vec::new();
                if old.text != *new {
                    steps.push(Change::Write { path: present.clone(), old: old.clone(), text: new.clone() });
                }
                if from.is_some() {
                    steps.push(Change::Rename { from: present, to: path, expected: Some(old.hash) });
                }
                steps
            }
        }
    }

    /// What the model knows of the file once the steps are made.
    fn known(&self, reads: &ReadLog, made: &[Applied]) {
        match (&self.what, made.first()) {
            (What::Made { text }, Some(Applied::Created { hash, .. })) => {
                reads.mark(&self.rel, *hash);
                reads.believe(&self.rel, text);
            }
            (What::Removed { .. }, _) => reads.forget(&self.rel),
            (What::Changed(it), first) => {
                let Changed { old, new, from, merged, .. } = &**it;
                let merged = merged.as_ref().map(|it| it.last_seen.as_str());
                if let Some(Applied::Written { hash, .. }) = first {
                    let present = from.as_ref().map_or(&self.rel, |(_, rel)| rel);
                    reads.wrote(present, (old.hash, &old.text), (*hash, new), merged);
                }
                if let Some((_, from)) = from {
                    reads.rename(from, &self.rel);
                }
            }
            _ => {}
        }
    }

    fn answer(&self, out: &mut String) {
        let _ = match &self.what {
            What::Made { text } => {
                writeln!(out, "created {} ({})", self.rel, crate::text::count(text.lines().count(), "line"))
            }
            What::Removed { .. } => writeln!(out, "deleted {}", self.rel),
            What::Changed(it) => {
                let Changed { old, new, from, at, merged } = &**it;
                if let Some((_, from)) = from {
                    let _ = writeln!(out, "moved {from} to {}", self.rel);
                }
                let is_known = at.is_known() && merged.is_none();
                let diff = if is_known { String::new() } else { short_diff(&old.text, new, 0, at.room()) };
                if from.is_some() && diff.is_empty() { Ok(()) } else { write!(out, "edited {}{at}\n{diff}", self.rel) }
            }
        };
    }

    fn change(&self) -> FileChange {
        match &self.what {
            What::Made { text } => FileChange {
                diff: short_diff("", text, DIFF_CONTEXT, DIFF_LINES),
                added: counted(text.lines().count()),
                ..bare(&self.rel, ChangeKind::Created)
            },
            What::Removed { lines, .. } => {
                FileChange { removed: counted(*lines), ..bare(&self.rel, ChangeKind::Deleted) }
            }
            What::Changed(it) => {
                let Changed { old, new, from, .. } = &**it;
                let change = modified(&self.rel, &old.text, new, None);
                match from {
                    Some((_, from)) => FileChange { kind: ChangeKind::Renamed, from: Some(from.clone()), ..change },
                    None => change,
                }
            }
        }
    }

    /// The line (from 1) below a place which now stands twice, as where a range ended one line too early.
    fn doubled(&self) -> Option<usize> {
        let What::Changed(it) = &self.what else { return None };
        let places = it.at.places();
        let (old, new): (Vec<&str>, Vec<&str>) = (it.old.text.lines().collect(), it.new.lines().collect());
        let twice = |lines: &[&str], last: usize| {
            let two = last.checked_sub(1).and_then(|first| lines.get(first..=last));
            two.is_some_and(|two| two[0] == two[1] && !two[0].trim().is_empty())
        };
        let ends = |place: &&Place| place.after.start() <= place.after.end();
        let doubled = |place: &&Place| twice(&new, *place.after.end()) && !twice(&old, *place.before.end());
        places.iter().filter(ends).find(doubled).map(|place| place.after.end() + 1)
    }

    /// The file and the lines that somebody else changed, for a note.
    fn merged(&self) -> Option<String> {
        let What::Changed(it) = &self.what else { return None };
        let merged = it.merged.as_ref()?;
        let line = |lines: &RangeInclusive<usize>| match (*lines.start(), *lines.end()) {
            (from, to) if to > from => format!("{from}-{to}"),
            (from, _) => from.to_string(),
        };
        let lines: Vec<String> = merged.theirs.iter().take(8).map(line).collect();
        Some(format!("{} (line {})", self.rel, lines.join(", ")))
    }
}

impl At {
    fn places(&self) -> &[Place] {
        match self {
            At::Places(places) | At::Given(places) => places,
            At::Everywhere(_) => &[],
        }
    }

    /// True where the model gave to the letter what was there and what is there now: to show it again would tell it nothing.
    fn is_known(&self) -> bool {
        matches!(self, At::Given(places) if places.iter().all(|it| it.strategy.is_exact()))
    }

    /// Lines of diff to show.
    fn room(&self) -> usize {
        match self {
            At::Places(places) | At::Given(places) => {
                let room = |it: &Place| if it.strategy.is_exact() { EXACT_LINES } else { LOOSE_LINES };
                places.iter().map(room).sum::<usize>().max(WHOLE_LINES)
            }
            At::Everywhere(count) => (EXACT_LINES * (*count).min(SHOWN_PLACES)).max(WHOLE_LINES),
        }
    }
}

impl std::fmt::Display for At {
    /// `:12, 40-44`, and how a place was recognised where it was not to the letter.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let places = match self {
            At::Places(places) | At::Given(places) => places,
            At::Everywhere(count) => return write!(f, " ({})", crate::text::count(*count, "place")),
        };
        for (index, place) in places.iter().enumerate() {
            let (from, to) = (*place.after.start(), *place.after.end());
            write!(f, "{}{from}", if index == 0 { ":" } else { ", " })?;
            if to > from {
                write!(f, "-{to}")?;
            }
            if !place.strategy.is_exact() {
                let alike = (place.similarity * 100.0).floor().min(99.0);
                write!(f, " (not to the letter: {}, {alike} % alike)", place.strategy)?;
            }
        }
        Ok(())
    }
}
