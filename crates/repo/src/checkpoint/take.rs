//! Recording the tree. Reads only what is new or may have changed, and writes nothing where nothing has.

use std::sync::{Arc, PoisonError};

use ox_protocol::{ChangeKind, CheckpointReason};

use super::contents;
use super::differ::{self, Difference, What};
use super::gitdir::Second;
use super::history::Known;
use super::index::{Index, NewTree, shown};
use super::object::{self, Kind};
use super::pack::{Pack, Packed};
use super::record::{Record, Taken as TakenRecord};
use super::scan::{self, Failed};
use super::skip::{Skip, Skipped};
use super::store::{Guard, Store};
use super::tracked::Tracked;
use super::{Checkpoints, Note, Taken};
use crate::{Hash, RepoError, error, git};

/// As many skipped paths as a record holds.
const SKIPS: usize = 100;

/// The tree as it is now, and which of its objects may be new.
pub(super) struct Seen {
    pub index: Index,
    pub trees: Vec<NewTree>,
}

impl Checkpoints {
    /// Records the tree as it is now. Where it is as it was last known, nothing is written but that a turn began.
    pub fn take(&self, note: &Note) -> Result<Taken, RepoError> {
        let mut store = self.store();
        let guard = store.lock()?;
        match self.take_in(&mut store, &guard, note) {
            Err(RepoError::CheckpointsDamaged { path, why }) => {
                let aside = store.put_aside(guard)?;
                self.tell(format!(
                    "the checkpoints in `{path}` were damaged ({why}); they are now in `{}`, and new ones begin here",
                    aside.display()
                ));
                let guard = store.lock()?;
                self.take_in(&mut store, &guard, note)
            }
            other => other,
        }
    }

    pub(super) fn take_in(&self, store: &mut Store, guard: &Guard, note: &Note) -> Result<Taken, RepoError> {
        self.ready(store, guard)?;
        let head = git::head(self.inner.tree.root());
        if head != store.history.git {
            store.append(guard, &Record::Head(head), false)?;
        }
        let old = store.index();
        store.furnish(guard)?;
        let folder = store.open_pack_folder()?;
        let mut pack = Pack::new(&folder);
        let seen = self.look(store, &old, &mut |it| pack.add(&it))?;
        if note.reason == CheckpointReason::BeforeTurn {
            self.keep_git(store, &skipped(&seen.index));
        }
        let Some(known) = store.history.head().filter(|it| it.tree == seen.index.id()).cloned() else {
            return self.commit(store, guard, note, &old, seen, pack);
        };
        if !store.history.knows(&known, note) {
            // It only makes the way back finer, so that it need not be waited for.
            store.append(guard, &Record::Marked { commit: known.commit, note: note.clone() }, false)?;
        }
        let skipped = skipped(&seen.index);
        if seen.index != *old {
            store.remember(guard, Arc::new(seen.index));
        }
        Ok(Taken { checkpoint: known.checkpoint, new: false, changed: Vec::new(), skipped })
    }

    /// Looks at the tree and hands every content that the store does not have to `keep`.
    pub(super) fn look(
        &self,
        store: &Store,
        old: &Index,
        keep: &mut dyn FnMut(Packed) -> rustix::io::Result<()>,
    ) -> Result<Seen, RepoError> {
        let root = self.inner.tree.root();
        let limits = &self.inner.limits;
        let own = scan::beneath(root, &self.inner.state);
        let mut tracked = self.inner.tracked.lock().unwrap_or_else(PoisonError::into_inner);
        let scan = |tracked: Option<&Tracked>| scan::scan(root, own.as_deref(), tracked, old, limits);
        let mut found = if *tracked { Err(Failed::TooMany) } else { scan(None) };
        if let (Err(Failed::TooMany), Some(known)) = (&found, Tracked::of(root)) {
            if !std::mem::replace(&mut *tracked, true) {
                self.tell(format!("`{}` has more than {} files and folders: only what git tracks is recorded, and only changes to that can be undone. To have everything recorded, start Ox in the part of the project that you work on, or move data out of it", root.display(), limits.entries));
            }
            found = scan(Some(&known));
        }
        let mut index = found.map_err(|it| match it {
            Failed::Root(errno) => error::reading(&root.display().to_string(), errno),
            Failed::TooMany => RepoError::TooMany { path: root.display().to_string(), limit: limits.entries },
        })?;
        let packs = if contents::any_stale(&index) { Some(store.packs()?) } else { None };
        let known = |id: &Hash| packs.is_some_and(|it| it.has(id));
        contents::read(root, &mut index, old, &known, keep).map_err(|it| store.fail(it))?;
        let trees = index.name_trees(old);
        Ok(Seen { index, trees })
    }

    fn commit(
        &self,
        store: &mut Store,
        guard: &Guard,
        note: &Note,
        old: &Arc<Index>,
        seen: Seen,
        pack: Pack<'_>,
    ) -> Result<Taken, RepoError> {
        let Seen { index, trees } = seen;
        let head = store.history.head().map(|it| it.tree);
        let tree = index.id();
        let commit = self.write(store, note, tree, &trees, pack)?;
        let all = skipped(&index);
        let record = record(commit, tree, note, index.totals(), &all);
        store.append(guard, &Record::Taken(Box::new(record)), true)?;
        if index != **old {
            store.remember(guard, Arc::new(index));
        }
        let changed = match head {
            None => Vec::new(),
            Some(head) => changes(&store.differences(Some(head), Some(tree), &[])?),
        };
        let checkpoint = store.history.head().expect("it was just recorded").checkpoint.clone();
        if let Err(error) = self.keep_small(store, guard, &note.conversation) {
            self.tell(format!("the store of checkpoints could not be made smaller: {error}"));
        }
        Ok(Taken { checkpoint, new: true, changed, skipped: all })
    }

    /// Records a state that the tree is to be put into.
    pub(super) fn prepare(
        &self,
        store: &mut Store,
        guard: &Guard,
        before: &Known,
        (tree, trees): (Hash, &[NewTree]),
        note: &Note,
    ) -> Result<Known, RepoError> {
        let note = Note { reason: CheckpointReason::AfterRestore, ..note.clone() };
        let (mut files, mut bytes) = (before.checkpoint.files, before.checkpoint.bytes);
        for it in store.differences(Some(before.tree), Some(tree), trees)? {
            let size = |it: Option<What>| match differ::outside(it) {
                Some(it) => store.object(&it.1).map(|it| (1, it.len() as u64)),
                None => Ok((0, 0)),
            };
            let (old, new) = (size(it.old)?, size(it.new)?);
            (files, bytes) = ((files + new.0).saturating_sub(old.0), (bytes + new.1).saturating_sub(old.1));
        }
        let folder = store.open_pack_folder()?;
        let commit = self.write(store, &note, tree, trees, Pack::new(&folder))?;
        let record = record(commit, tree, &note, (files, bytes), &before.checkpoint.skipped);
        store.append(guard, &Record::Prepared(Box::new(record)), true)?;
        Ok(store.history.all.last().expect("it was just recorded").clone())
    }

    /// Brings a pack with these trees and a commit of the last of them to the disk.
    fn write(
        &self,
        store: &mut Store,
        note: &Note,
        tree: Hash,
        trees: &[NewTree],
        mut pack: Pack<'_>,
    ) -> Result<Hash, RepoError> {
        let (commit, body) = self.message(store, tree, note, store.history.all.len());
        let packs = store.packs()?;
        let mut add = |id, kind, body: &[u8]| match packs.has(&id) || pack.has(&id) {
            true => Ok(()),
            false => pack.add(&Packed::of(id, kind, body)),
        };
        let added = trees.iter().try_for_each(|it| add(it.id, Kind::Tree, &it.body));
        let added = added.and_then(|()| add(commit, Kind::Commit, &body));
        let name = added.and_then(|()| pack.finish()).map_err(|it| store.fail(it))?;
        store.add_pack(&name)?;
        Ok(commit)
    }

    /// Keeps git's folders as they are when a turn begins. Where that fails a turn is worth no less.
    fn keep_git(&self, store: &Store, skipped: &[Skipped]) {
        let within = skipped.iter().filter(|it| it.why == Skip::Git);
        let within: Vec<&str> = within.map(|it| it.path.trim_end_matches('/')).collect();
        let limit = self.inner.limits.git;
        let keep = |all: Vec<Second>| all.iter().try_fold(true, |whole, it| Ok(it.take(limit)? && whole));
        match Second::with(self.inner.tree.root(), store.folder(), &within).and_then(keep) {
            Ok(true) => {}
            Ok(false) => self.tell(format!(
                "git's own objects take more than {} MiB and cannot be linked from Ox's state, so that what a command destroys in `.git` cannot be brought back",
                limit >> 20
            )),
            Err(error) => self.tell(format!("git's folder could not be kept, so that what a command destroys in it cannot be brought back: {error}")),
        }
    }

    /// The commit object: git can show it, and no other checkpoint of the store has its short name.
    fn message(&self, store: &Store, tree: Hash, note: &Note, number: usize) -> (Hash, Vec<u8>) {
        let seconds = note.time.0 / 1000;
        for attempt in 0.. {
            let body = format!(
                "tree {}\nauthor Ox <ox@localhost> {seconds} +0000\ncommitter Ox <ox@localhost> {seconds} +0000\n\n{}\n\nreason: {:?}\nconversation: {}\nturn: {}\nnumber: {number}.{attempt}\n",
                tree,
                note.why.replace('\0', " "),
                note.reason,
                note.conversation.replace(['\0', '\n'], " "),
                note.turn,
            );
            let id = object::id(Kind::Commit, body.as_bytes());
            if store.history.is_free(&id) {
                return (id, body.into_bytes());
            }
        }
        unreachable!("a store has fewer checkpoints than there are names")
    }
}

impl Store {
    /// The checkpoint whose id begins so.
    pub(super) fn find(&self, id: &str) -> Result<&Known, RepoError> {
        let found = self.history.named(id);
        match found[..] {
            [one] => Ok(one),
            [] => {
                let names = self.history.all.iter().rev().map(|it| it.checkpoint.id.clone());
                Err(RepoError::NoCheckpoint { id: id.to_owned(), near: nearest(id, names) })
            }
            _ => {
                let candidates = found.iter().map(|it| it.checkpoint.id.clone()).collect();
                Err(RepoError::ManyCheckpoints { id: id.to_owned(), candidates })
            }
        }
    }

    /// The body of a tree, file or link.
    pub(super) fn object(&self, id: &Hash) -> Result<Vec<u8>, RepoError> {
        self.packs()?.read(id).map(|it| it.1).map_err(|it| self.lost(it))
    }

    /// What differs between two trees; `new` are trees that are not in the store.
    pub(super) fn differences(
        &self,
        old: Option<Hash>,
        new: Option<Hash>,
        trees: &[NewTree],
    ) -> Result<Vec<Difference>, RepoError> {
        differ::differences(old, new, &mut |id| match trees.iter().find(|it| it.id == *id) {
            Some(it) => Ok(it.body.clone()),
            None => self.object(id),
        })
    }
}

/// The names that differ in few characters from what was asked for, the nearest first; the latest of equals first.
fn nearest(id: &str, names: impl Iterator<Item = String>) -> Vec<String> {
    let far = |name: &str| name.chars().zip(id.to_ascii_lowercase().chars()).filter(|(a, b)| a != b).count();
    let mut near: Vec<(usize, String)> = names.map(|it| (far(&it), it)).collect();
    near.retain(|it| it.0 * 2 <= id.chars().count());
    near.sort_by_key(|it| it.0);
    near.into_iter().take(3).map(|it| it.1).collect()
}

/// What was left out.
pub(super) fn skipped(index: &Index) -> Vec<Skipped> {
    let mut all = Vec::new();
    for folder in &index.folders {
        for entry in &folder.entries {
            if let Some(why) = entry.skip {
                let path = shown(&folder.path_of(folder.name(entry)));
                let bytes = if entry.is_folder() { 0 } else { entry.stamp.size };
                all.push(Skipped { path, bytes, why });
            }
        }
    }
    all
}

fn record(commit: Hash, tree: Hash, note: &Note, (files, bytes): (u64, u64), all: &[Skipped]) -> TakenRecord {
    let skipped = all.iter().take(SKIPS).cloned().collect();
    TakenRecord { commit, tree, note: note.clone(), files, bytes, skipped, skips: all.len() as u64 }
}

fn changes(differences: &[Difference]) -> Vec<(String, ChangeKind)> {
    let files = differences.iter().filter(|it| !differ::is_folder(it.old) && !differ::is_folder(it.new));
    files.map(|it| (shown(&it.path), it.kind())).collect()
}
