//! Keeping a store small: the oldest checkpoints are given up first, never those of the conversation at hand nor the
//! latest one, and what no checkpoint needs any more is removed.
//!
//! The order: one pack with all that is still needed is on the disk before the records name fewer checkpoints, and these
//! are before the other packs go. Cut short anywhere, every checkpoint that is listed is whole.

use std::collections::HashSet;
use std::path::PathBuf;

use super::Checkpoints;
use super::gitdir::Second;
use super::object;
use super::pack::{self, Pack, Packed};
use super::record::Record;
use super::store::{Guard, Store};
use crate::{Hash, RepoError, sys};

/// From this many packs on they are made one.
const PACKS: usize = 48;

/// What pruning came to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Pruned {
    /// Checkpoints given up.
    pub given_up: u64,
    /// Checkpoints that are left.
    pub kept: u64,
    /// Bytes of the store before.
    pub before: u64,
    /// Bytes of the store after.
    pub after: u64,
}

impl Checkpoints {
    /// Makes the store as small as it can be without giving up more checkpoints than its limit asks for; `keep` is a
    /// conversation whose checkpoints stay.
    pub fn prune(&self, keep: Option<&str>) -> Result<Pruned, RepoError> {
        let mut store = self.store();
        if !store.folder().exists() {
            return Ok(Pruned::default());
        }
        let guard = store.lock()?;
        self.ready(&mut store, &guard)?;
        // What cannot be removed only takes room.
        let _ = Second::forget(self.inner.tree.root(), store.folder());
        store.compact(&guard, self.inner.limits.store, keep)
    }

    /// Prunes when the store has grown past its limit or has too many packs. The checkpoint that was just made stands,
    /// whatever comes of this.
    pub(super) fn keep_small(&self, store: &mut Store, guard: &Guard, conversation: &str) -> Result<(), RepoError> {
        let limit = self.inner.limits.store;
        let packs = store.packs()?;
        let (bytes, count) = (packs.bytes(), packs.count());
        if bytes <= limit && count < PACKS {
            return Ok(());
        }
        // Some room is made, so that this is not needed again at once.
        let aim = if bytes <= limit { limit } else { limit / 4 * 3 };
        let pruned = store.compact(guard, aim, Some(conversation))?;
        if pruned.given_up > 0 {
            self.tell(format!(
                "the checkpoints of this project took {} MiB; the {} oldest were given up",
                pruned.before >> 20,
                pruned.given_up
            ));
        }
        Ok(())
    }
}

/// What the checkpoints that stay need.
#[derive(Default)]
struct Needed {
    seen: HashSet<Hash>,
    objects: Vec<Hash>,
    bytes: u64,
}

impl Store {
    fn compact(&mut self, guard: &Guard, limit: u64, conversation: Option<&str>) -> Result<Pruned, RepoError> {
        let before = self.packs()?.bytes();
        let (needed, kept) = self.choose(limit, conversation)?;
        let given_up = (self.history.all.len() - kept.len()) as u64;
        if self.packs()?.count() > 1 || given_up > 0 {
            self.repack(guard, &needed, &kept)?;
        }
        self.sweep()?;
        let after = self.packs()?.bytes();
        Ok(Pruned { given_up, kept: kept.len() as u64, before, after })
    }

    /// The checkpoints that stay, and what they need: from the latest back as many as fit.
    fn choose(&mut self, limit: u64, conversation: Option<&str>) -> Result<(Needed, HashSet<Hash>), RepoError> {
        let (mut needed, mut kept) = (Needed::default(), HashSet::new());
        let mut full = false;
        for (age, known) in self.history.all.iter().rev().enumerate() {
            let must = age == 0 || conversation.is_some_and(|it| it == known.checkpoint.conversation);
            if full && !must {
                continue;
            }
            let mark = (needed.objects.len(), needed.bytes);
            self.reach(&mut needed, known.tree)?;
            if needed.seen.insert(known.commit) {
                needed.bytes += self.size(&known.commit)?;
                needed.objects.push(known.commit);
            }
            if needed.bytes > limit && !must {
                full = true;
                needed.objects.drain(mark.0..).for_each(|it| {
                    needed.seen.remove(&it);
                });
                needed.bytes = mark.1;
                continue;
            }
            kept.insert(known.commit);
        }
        Ok((needed, kept))
    }

    fn reach(&self, needed: &mut Needed, tree: Hash) -> Result<(), RepoError> {
        let mut left = vec![(tree, true)];
        while let Some((id, is_tree)) = left.pop() {
            if !needed.seen.insert(id) {
                continue;
            }
            needed.bytes += self.size(&id)?;
            needed.objects.push(id);
            if is_tree {
                let body = self.object(&id)?;
                left.extend(object::nodes(&body).unwrap_or_default().iter().map(|it| (it.id, it.is_folder())));
            }
        }
        Ok(())
    }

    fn size(&self, id: &Hash) -> Result<u64, RepoError> {
        self.packs()?.size(id).map_err(|it| self.lost(it))
    }

    /// Makes one pack of what is needed, and gives up the checkpoints that are not kept.
    fn repack(&mut self, guard: &Guard, needed: &Needed, kept: &HashSet<Hash>) -> Result<(), RepoError> {
        let old: Vec<PathBuf> = self.packs()?.paths().map(PathBuf::from).collect();
        let folder = self.open_pack_folder()?;
        let mut pack = Pack::new(&folder);
        for id in &needed.objects {
            let bytes = self.packs()?.raw(id).map_err(|it| self.lost(it))?;
            pack.add(&Packed { id: *id, bytes }).map_err(|it| self.fail(it))?;
        }
        let name = pack.finish().map_err(|it| self.fail(it))?;
        if kept.len() < self.history.all.len() {
            let mut records = self.records()?;
            records.retain(|it| match it {
                Record::Taken(it) | Record::Prepared(it) => kept.contains(&it.commit),
                Record::Head(_) => true,
                Record::Marked { commit, .. } => kept.contains(commit),
                Record::Moved(it) => kept.contains(&it.before) && kept.contains(&it.to),
            });
            self.rewrite(guard, &records)?;
        }
        let new = self.pack_folder().join(&name);
        for path in old.iter().filter(|it| **it != new) {
            remove_pack(&folder, path);
        }
        self.forget_packs();
        Ok(())
    }

    /// Removes what a crash left: drafts, and packs without an index.
    fn sweep(&mut self) -> Result<(), RepoError> {
        let folder = self.open_pack_folder()?;
        pack::clean(&folder);
        for entry in std::fs::read_dir(self.pack_folder()).map_err(|it| self.fail(it))? {
            let path = entry.map_err(|it| self.fail(it))?.path();
            let lone = path.extension().is_some_and(|it| it == "pack") && !path.with_extension("idx").exists();
            if let (true, Some(name)) = (lone, path.file_name()) {
                sys::unlink(&folder, name).map_err(|it| self.fail(it))?;
            }
        }
        Ok(())
    }
}

/// The index goes first: a pack without one is not seen.
fn remove_pack(folder: &std::os::fd::OwnedFd, path: &std::path::Path) {
    for ending in ["idx", "pack"] {
        let path = path.with_extension(ending);
        // What stays is only too much, but an index must not stay without its pack.
        if path.file_name().is_some_and(|it| sys::unlink(folder, it).is_err()) {
            return;
        }
    }
}
