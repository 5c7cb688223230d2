//! Differences as people see them: what happened to which file, renames found by content, and a unified diff.

use std::collections::{HashMap, VecDeque};
use std::time::Duration;

use ox_protocol::{ChangeKind, FileChange};
use similar::{Algorithm, TextDiff};

use super::differ::{Difference, What, is_folder, outside};
use super::index::{NewTree, shown};
use super::plan::Part;
use super::store::Store;
use super::{Checkpoints, Point};
use crate::{Hash, RepoError};

/// Longer texts are not compared line by line.
const LARGE: usize = 2 << 20;
/// A comparison that takes longer is finished coarsely.
const PATIENCE: Duration = Duration::from_millis(500);
/// Unchanged lines around a change.
const CONTEXT: usize = 3;

/// What happened to a file, without its text.
pub(super) fn bare(difference: &Difference) -> FileChange {
    let folder = is_folder(difference.old) || is_folder(difference.new);
    let path = shown(&difference.path);
    FileChange {
        path: if folder { path + "/" } else { path },
        kind: difference.kind(),
        from: None,
        why: None,
        diff: String::new(),
        added: 0,
        removed: 0,
    }
}

type Read<'a> = &'a dyn Fn(What) -> Result<Vec<u8>, RepoError>;

impl Checkpoints {
    /// What differs between two states, from `a` to `b`, sorted by path, with the text of each difference; `path`: only in
    /// this file or folder.
    pub fn diff(&self, a: &Point, b: &Point, path: Option<&str>) -> Result<Vec<FileChange>, RepoError> {
        let wanted = self.wanted(&path.map(str::to_owned).into_iter().collect::<Vec<_>>())?;
        let mut store = self.store();
        store.refresh()?;
        // What is on the disk and nowhere else is kept for as long as this takes.
        let mut seen = None;
        if *a == Point::Now || *b == Point::Now {
            let old = store.index();
            seen = Some(self.look(&store, &old, &mut |_| Ok(()))?);
        }
        let id = |point: &Point| match (point, &seen) {
            (Point::At(id), _) => store.find(id).map(|it| it.tree),
            (Point::Now, seen) => Ok(seen.as_ref().map(|it| it.index.id()).unwrap_or_default()),
        };
        let (old, new) = (id(a)?, id(b)?);
        let trees = seen.as_ref().map(|it| it.trees.as_slice()).unwrap_or_default();
        let all = store.differences(Some(old), Some(new), trees)?;
        let all: Vec<Difference> = all.into_iter().filter(|it| wanted.part(&it.path) == Part::All).collect();
        let store = &*store;
        let mut shown = Vec::new();
        for (difference, from) in renames(all) {
            let at = |side: Option<Vec<u8>>, now: bool| {
                move |what: What| match now && !store.packs()?.has(&what.1) {
                    true => self.on_disk(side.as_deref().unwrap_or_default(), what),
                    false => store.object(&what.1),
                }
            };
            let old_path = from.clone().unwrap_or_else(|| difference.path.clone());
            let (before, after) =
                (at(Some(old_path), *a == Point::Now), at(Some(difference.path.clone()), *b == Point::Now));
            shown.push(full(&difference, from, &before, &after)?);
        }
        Ok(shown)
    }

    /// The bytes of a file at a checkpoint; none where there is none, or it is a folder.
    pub fn content(&self, id: &str, path: &str) -> Result<Option<Vec<u8>>, RepoError> {
        let wanted = self.wanted(&[path.to_owned()])?;
        let Some(path) = wanted.0.first() else { return Ok(None) };
        let mut store = self.store();
        store.refresh()?;
        let mut what: What = (0o040_000, store.find(id)?.tree);
        for name in path.split(|it| *it == b'/') {
            if !is_folder(Some(what)) {
                return Ok(None);
            }
            let body = store.object(&what.1)?;
            let nodes = super::object::nodes(&body).unwrap_or_default();
            let Some(node) = nodes.iter().find(|it| it.name == name) else { return Ok(None) };
            what = (node.mode, node.id);
        }
        if is_folder(Some(what)) { Ok(None) } else { store.object(&what.1).map(Some) }
    }

    /// The bytes of a file as they are now. One that changed meanwhile is shown as it is.
    fn on_disk(&self, path: &[u8], what: What) -> Result<Vec<u8>, RepoError> {
        use std::os::unix::ffi::OsStringExt;
        let full = self.inner.tree.root().join(super::folders::path(path));
        let link = what.0 & 0o170_000 == super::contents::LINK;
        let read = if link {
            std::fs::read_link(&full).map(|it| it.into_os_string().into_vec())
        } else {
            std::fs::read(&full)
        };
        read.map_err(|it| crate::error::reading(&shown(path), it))
    }
}

/// What differs between two trees of the store, or of `new`, with the text of each difference.
pub(super) fn between(store: &Store, old: Hash, now: Hash, new: &[NewTree]) -> Result<Vec<FileChange>, RepoError> {
    let all = store.differences(Some(old), Some(now), new)?;
    let read = |it: What| store.object(&it.1);
    renames(all).into_iter().map(|(it, from)| full(&it, from, &read, &read)).collect()
}

/// Pairs what is gone with what is new and has the same content. Answers with the path before, for a rename.
fn renames(all: Vec<Difference>) -> Vec<(Difference, Option<Vec<u8>>)> {
    let empty = super::object::id(super::object::Kind::Blob, b"");
    let file = |it: Option<What>| outside(it).map(|it| it.1).filter(|it| *it != empty);
    let mut gone: HashMap<Hash, VecDeque<usize>> = HashMap::new();
    for (at, it) in all.iter().enumerate() {
        if let (Some(id), None) = (file(it.old), it.new) {
            gone.entry(id).or_default().push_back(at);
        }
    }
    let mut all: Vec<_> = all.into_iter().map(|it| Some((it, None))).collect();
    for at in 0..all.len() {
        let made = all[at].as_ref().filter(|(it, _)| it.old.is_none()).and_then(|(it, _)| file(it.new));
        let from = made.and_then(|id| gone.get_mut(&id)?.pop_front()).and_then(|from| all[from].take());
        if let (Some((old, _)), Some((new, path))) = (from, &mut all[at]) {
            (new.old, *path) = (old.old, Some(old.path));
        }
    }
    all.into_iter().flatten().collect()
}

fn full(
    difference: &Difference,
    from: Option<Vec<u8>>,
    before: Read<'_>,
    after: Read<'_>,
) -> Result<FileChange, RepoError> {
    let mut change = bare(difference);
    if let Some(from) = &from {
        change.kind = ChangeKind::Renamed;
        change.from = Some(shown(from));
    }
    let (old, new) = (difference.old, difference.new);
    let mut words = modes(old, new);
    if outside(old).map(|it| it.1) != outside(new).map(|it| it.1) {
        let body = |what: Option<What>, read: Read<'_>| outside(what).map_or(Ok(Vec::new()), read);
        let (old, new) = (body(old, before)?, body(new, after)?);
        let (added, removed, text) = compare(&change, &old, &new);
        (change.added, change.removed) = (added, removed);
        words += &text;
    }
    change.diff = words;
    Ok(change)
}

fn modes(old: Option<What>, new: Option<What>) -> String {
    match (old, new) {
        (Some((old, _)), Some((new, _))) if old != new => format!("old mode {old:o}\nnew mode {new:o}\n"),
        (None, Some((new, _))) if new & 0o111 != 0 && new & 0o170_000 == 0o100_000 => {
            format!("new file mode {new:o}\n")
        }
        _ => String::new(),
    }
}

/// Lines added and removed, and the unified diff.
fn compare(change: &FileChange, old: &[u8], new: &[u8]) -> (u32, u32, String) {
    let old_name = change.from.as_ref().unwrap_or(&change.path);
    let names = match change.kind {
        ChangeKind::Created => ("/dev/null".to_owned(), format!("b/{}", change.path)),
        ChangeKind::Deleted => (format!("a/{old_name}"), "/dev/null".to_owned()),
        ChangeKind::Modified | ChangeKind::Renamed => (format!("a/{old_name}"), format!("b/{}", change.path)),
    };
    let text = |it: &[u8]| (it.len() <= LARGE && !it.contains(&0)).then(|| String::from_utf8_lossy(it).into_owned());
    let (Some(before), Some(after)) = (text(old), text(new)) else {
        let words = format!("Binary files {} and {} differ ({} → {} bytes)\n", names.0, names.1, old.len(), new.len());
        return (0, 0, words);
    };
    let diff = TextDiff::configure().algorithm(Algorithm::Histogram).timeout(PATIENCE).diff_lines(&before, &after);
    let (mut added, mut removed) = (0, 0);
    for change in diff.iter_all_changes() {
        match change.tag() {
            similar::ChangeTag::Insert => added += 1,
            similar::ChangeTag::Delete => removed += 1,
            similar::ChangeTag::Equal => {}
        }
    }
    let unified = diff.unified_diff().context_radius(CONTEXT).header(&names.0, &names.1).to_string();
    (added, removed, unified)
}
