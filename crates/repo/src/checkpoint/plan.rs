//! What has to be done to bring the tree from the state that was just recorded to another: only what differs.
//!
//! A thing is replaced as a whole: a file, a link, or a folder that only one of the two states has. What the recorded
//! state left out is never touched, and neither is a folder that holds any of it.

use std::hash::{BuildHasher, Hasher};

use super::differ::{What, is_folder};
use super::index::{Entry, Folder, Index, Stamp, join, shown, split};
use super::object::{self, Read};
use super::record::{Moved, Record};
use super::skip::Skipped;
use crate::codec::{In, Out};
use crate::{Hash, RepoError};

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

/// One thing that is replaced, made or removed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Op {
    /// The folder that it is in.
    pub dir: Vec<u8>,
    pub name: Vec<u8>,
    pub old: Option<(What, Stamp)>,
    pub new: Option<What>,
    /// Names in the same folder: of the new before, and of the old after.
    pub temp: String,
    pub aside: String,
}

impl Op {
    pub(super) fn path(&self) -> Vec<u8> {
        join(&self.dir, &self.name)
    }

    /// The new takes the place of the old in one step.
    pub(super) fn replaces(&self) -> bool {
        let file = |it: What| !is_folder(Some(it));
        self.old.is_some_and(|it| file(it.0)) && self.new.is_some_and(file)
    }
}

/// Other permission bits for what is otherwise the same.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ModeChange {
    pub dir: Vec<u8>,
    pub name: Vec<u8>,
    pub from: u32,
    pub to: u32,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Plan {
    pub ops: Vec<Op>,
    pub modes: Vec<ModeChange>,
    /// Folders that nothing can be made in, which are opened for the time being; `to` is what they get at the end.
    pub opened: Vec<ModeChange>,
    /// What is noted when all is done.
    pub moved: Moved,
    /// What stays as it is.
    pub left: Vec<Skipped>,
}

struct Draft<'a> {
    index: &'a Index,
    read: Read<'a>,
    plan: Plan,
    start: String,
}

impl Plan {
    /// From the tree that `index` is to the tree `to`.
    pub(super) fn of(index: &Index, to: Hash, moved: Moved, read: Read<'_>) -> Result<Plan, RepoError> {
        let random = std::hash::RandomState::new().build_hasher().finish();
        let plan = Plan { ops: Vec::new(), modes: Vec::new(), opened: Vec::new(), moved, left: Vec::new() };
        let mut draft = Draft { index, read, plan, start: format!(".ox-{random:016x}") };
        draft.folder(b"", Some(to))?;
        draft.open_folders();
        Ok(draft.plan)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.ops.is_empty() && self.modes.is_empty()
    }

    pub(super) fn encode(&self) -> Vec<u8> {
        let mut out = Out::default();
        out.number(self.ops.len() as u64);
        for Op { dir, name, old, new, temp, aside } in &self.ops {
            out.bytes(dir).bytes(name).bytes(temp.as_bytes()).bytes(aside.as_bytes());
            what(&mut out, old.map(|it| it.0));
            old.map(|it| it.1).unwrap_or_default().encode(&mut out);
            what(&mut out, *new);
        }
        for modes in [&self.modes, &self.opened] {
            out.number(modes.len() as u64);
            for ModeChange { dir, name, from, to } in modes {
                out.bytes(dir).bytes(name).number(u64::from(*from)).number(u64::from(*to));
            }
        }
        out.bytes(&Record::Moved(self.moved.clone()).encode());
        out.0
    }

    /// What was left as it is is not a part of the bytes: it was told at once.
    pub(super) fn decode(bytes: &[u8]) -> Option<Plan> {
        let mut input = In(bytes);
        let ops = input.many(|input| {
            let (dir, name) = (input.bytes()?.to_vec(), input.bytes()?.to_vec());
            let (temp, aside) = (input.text()?, input.text()?);
            let (old, stamp, new) = (what_of(input)?, Stamp::decode(input)?, what_of(input)?);
            Some(Op { dir, name, old: old.map(|it| (it, stamp)), new, temp, aside })
        })?;
        let (modes, opened) = (modes_of(&mut input)?, modes_of(&mut input)?);
        let Some(Record::Moved(moved)) = Record::decode(input.bytes()?) else { return None };
        let plan = Plan { ops, modes, opened, moved, left: Vec::new() };
        input.0.is_empty().then_some(plan)
    }
}

fn what(out: &mut Out, what: Option<What>) {
    let (mode, id) = what.unwrap_or_default();
    out.number(u64::from(mode)).id(&id);
}

/// No thing has the mode zero.
fn what_of(input: &mut In<'_>) -> Option<Option<What>> {
    let (mode, id) = (input.small()?, input.id()?);
    Some(Some((mode, id)).filter(|it| it.0 != 0))
}

fn modes_of(input: &mut In<'_>) -> Option<Vec<ModeChange>> {
    input.many(|input| {
        let (dir, name) = (input.bytes()?.to_vec(), input.bytes()?.to_vec());
        Some(ModeChange { dir, name, from: input.small()?, to: input.small()? })
    })
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
                self.push(dir, name, Some((old, entry.stamp)), new);
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
                self.push(dir, name, Some(((entry.mode, entry.id), entry.stamp)), new);
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

    fn push(&mut self, dir: &[u8], name: &[u8], old: Option<(What, Stamp)>, new: Option<What>) {
        let number = self.plan.ops.len();
        let (temp, aside) = (format!("{}-{number}.new", self.start), format!("{}-{number}.old", self.start));
        self.plan.ops.push(Op { dir: dir.to_vec(), name: name.to_vec(), old, new, temp, aside });
    }

    fn mode(&mut self, dir: &[u8], name: &[u8], from: u32, to: u32) {
        let (dir, name) = (dir.to_vec(), name.to_vec());
        self.plan.modes.push(ModeChange { dir, name, from: from & 0o7777, to: to & 0o7777 });
    }

    /// Finds the folders in which nothing could be made.
    fn open_folders(&mut self) {
        let mut dirs: Vec<&[u8]> = self.plan.ops.iter().map(|it| it.dir.as_slice()).collect();
        dirs.extend(self.plan.modes.iter().map(|it| it.dir.as_slice()));
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
                if opened.iter().any(|it| it.dir == dir && it.name == name) {
                    continue;
                }
                let target = self.plan.modes.iter().find(|it| it.dir == dir && it.name == name);
                let to = target.map_or(mode, |it| it.to);
                opened.push(ModeChange { dir: dir.to_vec(), name: name.to_vec(), from: mode, to });
            }
        }
        self.plan.opened = opened;
    }
}
