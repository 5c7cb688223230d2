//! The changed files of a run: text by hunks, everything else as a whole.
//!
//! Created, deleted, renamed and binary files, links, folders and changes of the mode alone have one hunk, which is all
//! or nothing.

use std::fs;
use std::os::unix::ffi::OsStringExt;
use std::path::Path;

use ox_protocol::{ChangeKind, FileChange};
use ox_repo::{Checkpoints, Point, RepoError, Tree};

use super::hunks::{self, Hunk};
use super::run::{Marks, Run};

/// Longer texts are one hunk.
const LARGE: usize = 2 << 20;

/// A file that the run changed and that still differs from what it was.
#[derive(Clone, Debug)]
pub struct Reviewed {
    /// What happened to it.
    pub change: FileChange,
    /// The reasons that were given.
    pub whys: Vec<String>,
    /// How it is told apart.
    pub body: Body,
    /// What may be accepted or rejected.
    pub parts: Vec<Part>,
}

/// How a change is told apart.
#[derive(Clone, Debug)]
pub enum Body {
    /// By hunks of text: before, and now.
    Text {
        /// Without its byte-order mark.
        base: String,
        /// Without its byte-order mark.
        now: String,
    },
    /// As a whole; the key of its name in the catalogue.
    Whole(&'static str),
}

/// One thing to decide about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// Its name.
    pub id: String,
    /// Where in the text; none for a whole file.
    pub hunk: Option<Hunk>,
    /// How it stands.
    pub state: State,
}

/// How a part stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// Nobody said anything.
    Pending,
    /// Somebody accepted it.
    Accepted,
    /// Somebody else changed it since the run: it cannot be taken back by itself.
    Foreign,
}

impl State {
    /// Its name in JSON, and behind `review.state.` in the catalogue.
    pub fn name(self) -> &'static str {
        match self {
            State::Pending => "pending",
            State::Accepted => "accepted",
            State::Foreign => "changed_since",
        }
    }
}

/// Everything of the run that is still there, sorted by path.
pub fn files(store: &Checkpoints, tree: &Tree, run: &Run, marks: &Marks) -> Result<Vec<Reviewed>, RepoError> {
    let all = store.diff(&Point::At(run.base.clone()), &Point::Now, None)?;
    let ours = all.into_iter().filter(|it| {
        run.changed(&it.path) || it.from.as_deref().is_some_and(|it| run.changed(it)) || holds_ours(run, &it.path)
    });
    let reviewed = ours.map(|change| reviewed(store, tree, run, marks, change));
    Ok(reviewed.collect::<Result<Vec<_>, _>>()?.into_iter().filter(|it| !it.parts.is_empty()).collect())
}

/// A folder that came or went with files of the run's.
fn holds_ours(run: &Run, path: &str) -> bool {
    path.ends_with('/') && run.files.keys().any(|it| it.starts_with(path))
}

fn reviewed(
    store: &Checkpoints,
    tree: &Tree,
    run: &Run,
    marks: &Marks,
    change: FileChange,
) -> Result<Reviewed, RepoError> {
    let mut whys = run.why(&change.path).to_vec();
    whys.extend(
        change.from.iter().flat_map(|it| run.why(it)).filter(|it| !run.why(&change.path).contains(it)).cloned(),
    );
    let end = |path: &str| match &run.end {
        Some(end) => store.content(end, path).map(Some),
        None => Ok(None),
    };
    let (body, mut parts) = match texts(store, tree, run, &change)? {
        Some((base, now)) => {
            let then = end(&change.path)?.flatten().and_then(text);
            // What was no text, or not there, at the end of the run is text of somebody else's now.
            let unknown = run.end.is_some() && then.is_none();
            let found = hunks::hunks(&change.path, &base, then.as_deref(), &now);
            let part = |it: Hunk| Part {
                id: it.id.clone(),
                state: if it.foreign || unknown { State::Foreign } else { State::Pending },
                hunk: Some(it),
            };
            (Body::Text { base, now }, found.into_iter().map(part).collect::<Vec<Part>>())
        }
        None => {
            let now = now_bytes(tree.root(), &change.path);
            let state = match end(&change.path)? {
                Some(then) if then != now && !change.path.ends_with('/') => State::Foreign,
                _ => State::Pending,
            };
            let content = format!("{}\0{:?}\0{:?}\0{}", change.path, change.from, change.kind, change.diff);
            (Body::Whole(whole(&change)), vec![Part { id: hunks::id(&content), hunk: None, state }])
        }
    };
    for part in &mut parts {
        if part.state == State::Pending && marks.accepted.contains(&part.id) {
            part.state = State::Accepted;
        }
    }
    Ok(Reviewed { change, whys, body, parts })
}

/// The texts before and now of a change that can be told apart by hunks.
fn texts(
    store: &Checkpoints,
    tree: &Tree,
    run: &Run,
    change: &FileChange,
) -> Result<Option<(String, String)>, RepoError> {
    let by_lines = change.kind == ChangeKind::Modified && change.diff.contains("\n@@ ") && !changes_type(change);
    if !by_lines || fs::symlink_metadata(tree.root().join(&change.path)).is_ok_and(|it| !it.is_file()) {
        return Ok(None);
    }
    let base = store.content(&run.base, &change.path)?.and_then(text);
    Ok(base.zip(now_bytes(tree.root(), &change.path).and_then(text)))
}

/// A file that became a link, or a link a file.
fn changes_type(change: &FileChange) -> bool {
    let words = change.diff.lines().take(2);
    let modes = words.filter_map(|it| it.strip_prefix("old mode ").or(it.strip_prefix("new mode ")));
    // The last three digits are the rights, those before them the type.
    let types: Vec<&str> = modes.map(|it| &it[..it.len().saturating_sub(3)]).collect();
    types.windows(2).any(|it| it[0] != it[1])
}

/// Text in UTF-8 without its byte-order mark; none for anything else.
fn text(bytes: Vec<u8>) -> Option<String> {
    let text = String::from_utf8(bytes).ok().filter(|it| it.len() <= LARGE && !it.contains('\0'))?;
    Some(text.strip_prefix('\u{feff}').map(str::to_string).unwrap_or(text))
}

/// The bytes of a file, the target of a link; none where there is nothing.
pub fn now_bytes(root: &Path, path: &str) -> Option<Vec<u8>> {
    let full = root.join(path);
    match fs::symlink_metadata(&full).ok()?.is_symlink() {
        true => fs::read_link(&full).ok().map(|it| it.into_os_string().into_vec()),
        false => fs::read(&full).ok(),
    }
}

fn whole(change: &FileChange) -> &'static str {
    match change.kind {
        _ if change.path.ends_with('/') => "accept.whole.folder",
        ChangeKind::Created => "accept.whole.created",
        ChangeKind::Deleted => "accept.whole.deleted",
        ChangeKind::Renamed => "accept.whole.renamed",
        ChangeKind::Modified if change.diff.contains("Binary files ") => "accept.whole.binary",
        ChangeKind::Modified if changes_type(change) => "accept.whole.type",
        ChangeKind::Modified if !change.diff.contains("\n@@ ") => "accept.whole.mode",
        ChangeKind::Modified => "accept.whole.other",
    }
}

impl Reviewed {
    /// The text of a part, for people.
    pub fn shown(&self, part: &Part) -> String {
        match (&self.body, &part.hunk) {
            (Body::Text { base, now }, Some(hunk)) => hunks::shown(base, now, hunk),
            _ => self.change.diff.clone(),
        }
    }

    /// The mode changed beside the text.
    pub fn changes_mode(&self) -> bool {
        matches!(self.body, Body::Text { .. }) && self.change.diff.starts_with("old mode ")
    }
}
