//! What has to be done to bring the tree from the state that was just recorded to another: only what differs.
//!
//! A thing is replaced as a whole: a file, a link, or a folder that only one of the two states has. What the recorded
//! state left out is never touched, and neither is a folder that holds any of it.

use std::ffi::OsStr;
use std::hash::{BuildHasher, Hasher};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::differ::{What, is_folder};
use super::index::{Entry, Folder, Index, join, shown, split};
use super::object::{self, Read};
use super::record::Moved;
use super::skip::Skipped;
use crate::change::operation::{self as change, New, Old, Operation};
use crate::{Hash, Located, RepoError};

/// Paths that are to be put back; none: all.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Wanted(pub Vec<Vec<u8>>);

/// How a path stands to what is wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    All,
    /// Something in it is wanted.
    Inside,
    None,
}

impl Wanted {
    pub(super) fn part(&self, path: &[u8]) -> Part {
        let within = |inner: &[u8], outer: &[u8]| {
            outer.is_empty() || inner.strip_prefix(outer).is_some_and(|it| it.is_empty() || it[0] == b'/')
        };
        match () {
            () if self.0.is_empty() || self.0.iter().any(|it| within(path, it)) => Part::All,
            () if self.0.iter().any(|it| within(it, path)) => Part::Inside,
            () => Part::None,
        }
    }
}

/// Other permission bits for what is otherwise the same.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct ModeChange {
    pub at: Located,
    pub from: u32,
    pub to: u32,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Plan {
    pub changes: change::Plan,
    pub modes: Vec<ModeChange>,
    /// Folders that nothing can be made in, which are opened for the time being; `to` is what they get at the end.
    pub opened: Vec<ModeChange>,
    /// What is noted when all is done.
    pub moved: Moved,
    /// What stays as it is; it is told at once.
    #[serde(skip)]
    pub left: Vec<Skipped>,
}

struct Draft<'a> {
    root: &'a Path,
    index: &'a Index,
    read: Read<'a>,
    plan: Plan,
    start: String,
}

impl Plan {
    /// From the tree that `index` is to the tree `to`.
    pub(super) fn of(root: &Path, index: &Index, to: Hash, moved: Moved, read: Read<'_>) -> Result<Plan, RepoError> {
        let random = std::hash::RandomState::new().build_hasher().finish();
        let changes = change::Plan::default();
        let plan = Plan { changes, modes: Vec::new(), opened: Vec::new(), moved, left: Vec::new() };
        let mut draft = Draft { root, index, read, plan, start: format!(".ox-{random:016x}") };
        draft.folder(b"", Some(to))?;
        draft.open_folders();
        Ok(draft.plan)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.changes.operations.is_empty() && self.modes.is_empty()
    }
}

impl Draft<'_> {
    /// What differs in a folder that is on the disk; `to`: its tree, none where it is to be empty of what is known.
    fn folder(&mut self, path: &[u8], to: Option<Hash>) -> Result<(), RepoError> {
        let index = self.index;
        let Some(folder) = index.folder(path).filter(|it| Some(it.id) != to) else { return Ok(()) };
        let body = to.map_or(Ok(Vec::new()), |it| (self.read)(&it))?;
        let mut nodes = object::nodes(&body).unwrap_or_default();
        nodes.sort_unstable_by_key(|it| it.name);
        let mut nodes = nodes.into_iter().peekable();
        for entry in &folder.entries {
            let name = folder.name(entry);
            while let Some(node) = nodes.next_if(|it| it.name < name) {
                self.make(path, node.name, (node.mode, node.id));
            }
            let new = nodes.next_if(|it| it.name == name).map(|it| (it.mode, it.id));
            self.entry(folder, entry, new)?;
        }
        nodes.for_each(|node| self.make(path, node.name, (node.mode, node.id)));
        Ok(())
    }

    fn make(&mut self, dir: &[u8], name: &[u8], new: What) {
        self.push(dir, name, None, Some(new));
    }

    fn entry(&mut self, folder: &Folder, entry: &Entry, new: Option<What>) -> Result<(), RepoError> {
        let (dir, name) = (&folder.path, folder.name(entry));
        let path = join(dir, name);
        let old = (entry.mode, entry.id);
        if new == Some(old) && entry.is_kept() {
            return Ok(());
        }
        if let Some(why) = entry.skip {
            if new.is_some() {
                let bytes = if entry.is_folder() { 0 } else { entry.stamp.size };
                self.plan.left.push(Skipped { path: shown(&path), bytes, why });
            }
            return Ok(());
        }
        match new {
            _ if entry.is_folder() => self.old_folder(folder, entry, new),
            Some((mode, id)) if id == entry.id && mode >> 12 == entry.mode >> 12 => {
                self.mode(dir, name, entry.mode, mode);
                Ok(())
            }
            new => {
                self.push(dir, name, Some(Old::Recorded { folder: false, stamp: entry.stamp }), new);
                Ok(())
            }
        }
    }

    /// A folder that is there, and is to be another, something else, or gone.
    fn old_folder(&mut self, folder: &Folder, entry: &Entry, new: Option<What>) -> Result<(), RepoError> {
        let (dir, name) = (&folder.path, folder.name(entry));
        let path = join(dir, name);
        if let Some(new) = new.filter(|it| is_folder(Some(*it))) {
            if entry.mode != new.0 {
                self.mode(dir, name, entry.mode, new.0);
            }
            return self.folder(&path, Some(new.1));
        }
        match (self.skipped_in(&path), new) {
            // What was left out stays, and so do the folders that it is in.
            (Some(skipped), new) => {
                self.plan.left.push(skipped);
                if new.is_none() { self.folder(&path, None) } else { Ok(()) }
            }
            (None, new) => {
                self.push(dir, name, Some(Old::Recorded { folder: true, stamp: entry.stamp }), new);
                Ok(())
            }
        }
    }

    /// The first thing in a folder that the recorded state left out.
    fn skipped_in(&self, path: &[u8]) -> Option<Skipped> {
        let start = [path, b"/"].concat();
        let folders = &self.index.folders;
        let first = folders.partition_point(|it| it.path.as_slice() < path);
        // Between a folder and what is in it others may sort, such as `a.b` between `a` and `a/c`.
        let below = folders[first..].iter().take_while(|it| it.path.starts_with(path));
        below.filter(|it| it.path == path || it.path.starts_with(&start)).find_map(|folder| {
            let entry = folder.entries.iter().find(|it| !it.is_kept())?;
            let path = shown(&folder.path_of(folder.name(entry)));
            Some(Skipped { path, bytes: 0, why: entry.skip? })
        })
    }

    fn at(&self, path: &[u8]) -> Located {
        let abs = self.root.join(OsStr::from_bytes(path));
        Located { abs, rel: shown(path), base: self.root.to_owned() }
    }

    fn push(&mut self, dir: &[u8], name: &[u8], old: Option<Old>, new: Option<What>) {
        let number = self.plan.changes.operations.len();
        let [temp, aside] = ["new", "old"].map(|it| format!("{}-{number}.{it}", self.start).into());
        let new = new.map(|(mode, id)| New::Recorded { mode, id });
        let at = self.at(&join(dir, name));
        self.plan.changes.operations.push(Operation { at, old, new, temp, aside });
    }

    fn mode(&mut self, dir: &[u8], name: &[u8], from: u32, to: u32) {
        let at = self.at(&join(dir, name));
        self.plan.modes.push(ModeChange { at, from: from & 0o7777, to: to & 0o7777 });
    }

    /// Finds the folders in which nothing could be made.
    fn open_folders(&mut self) {
        let operations = self.plan.changes.operations.iter().map(|it| &it.at);
        let mut dirs: Vec<&[u8]> = operations.chain(self.plan.modes.iter().map(|it| &it.at)).map(folder_of).collect();
        dirs.sort_unstable();
        dirs.dedup();
        let mut opened: Vec<ModeChange> = Vec::new();
        for path in dirs {
            // Those above have to be passed through.
            let ends = path.iter().enumerate().filter(|it| *it.1 == b'/').map(|it| it.0);
            for end in ends.chain((!path.is_empty()).then_some(path.len())) {
                let (dir, name) = split(&path[..end]);
                let entry = self.index.folder(dir).and_then(|it| it.find(name));
                let Some(mode) = entry.map(|it| it.mode & 0o7777).filter(|it| it & 0o700 != 0o700) else { continue };
                let at = self.at(&path[..end]);
                if opened.iter().all(|it| it.at != at) {
                    let to = self.plan.modes.iter().find(|it| it.at == at).map_or(mode, |it| it.to);
                    opened.push(ModeChange { at, from: mode, to });
                }
            }
        }
        self.plan.opened = opened;
    }
}

/// A place as the path that an index has for it.
pub(super) fn inside(at: &Located) -> &[u8] {
    let inside = at.abs.strip_prefix(&at.base).expect("a place lies beneath its base");
    inside.as_os_str().as_bytes()
}

/// The folder that a place is in, as the path that an index has for it.
fn folder_of(at: &Located) -> &[u8] {
    split(inside(at)).0
}
