//! Taking a change of the tree back where others have gone on from it: three states of each path decide, never the time.
//!
//! What the change did not touch stays as it is. What somebody changed since is a conflict: it is left or taken
//! back as the caller says.

use std::collections::{BTreeSet, HashMap};

use super::differ::{What, inside, is_folder, outside};
use super::index::{NewTree, join};
use super::object::{self, Kind, Node, Read};
use super::plan::{Part, Wanted};
use crate::{Hash, RepoError};

/// Trees under construction.
pub(super) struct Merge<'a> {
    read: Read<'a>,
    new: HashMap<Hash, Vec<u8>>,
    /// What is in conflict is taken back too.
    pub force: bool,
    /// Nothing that the change made is removed.
    pub keep_new: bool,
}

/// The states of one path: before the change, after it, now.
type Three = [Option<What>; 3];

/// What is in a folder.
type Children = HashMap<Vec<u8>, What>;

const FOLDER: u32 = 0o040_000;
const TYPE: u32 = 0o170_000;

impl<'a> Merge<'a> {
    pub(super) fn new(read: Read<'a>) -> Merge<'a> {
        Merge { read, new: HashMap::new(), force: false, keep_new: false }
    }

    /// The tree `now` without the change from `before` to `after`. What is as in one of `later` is as the change left it.
    pub(super) fn without(
        &mut self,
        (before, after): (Hash, Hash),
        later: &[Hash],
        now: Hash,
    ) -> Result<Hash, RepoError> {
        let folder = |it: Hash| Some((FOLDER, it));
        let later: Vec<_> = later.iter().map(|it| folder(*it)).collect();
        let merged = self.path([folder(before), folder(after), folder(now)], &later)?;
        Ok(merged.map_or_else(|| self.tree(&[]), |it| it.1))
    }

    /// The tree `now` with the wanted paths of `then`.
    pub(super) fn with(&mut self, wanted: &Wanted, then: Hash, now: Hash) -> Result<Hash, RepoError> {
        if wanted.0.is_empty() { Ok(then) } else { self.inner(b"", wanted, Some(then), Some(now)) }
    }

    /// The trees that were made and are part of these.
    pub(super) fn made<const N: usize>(&self, roots: [Hash; N]) -> Vec<NewTree> {
        let (mut left, mut made) = (roots.to_vec(), Vec::<NewTree>::new());
        while let Some(id) = left.pop() {
            let Some(body) = self.new.get(&id).filter(|_| made.iter().all(|it| it.id != id)) else { continue };
            let nodes = object::nodes(body).unwrap_or_default();
            left.extend(nodes.iter().filter(|it| it.is_folder()).map(|it| it.id));
            made.push(NewTree { id, body: body.clone() });
        }
        made
    }

    fn path(&mut self, [before, after, now]: Three, later: &[Option<What>]) -> Result<Option<What>, RepoError> {
        if before == after || now == before {
            return Ok(now);
        }
        if self.keep_new && before.is_none() {
            return Ok(now);
        }
        if now == after {
            return Ok(before);
        }
        if [before, after, now].into_iter().all(|it| outside(it).is_none()) {
            return self.folder([before, after, now], later);
        }
        if later.contains(&now) {
            return Ok(before);
        }
        if let (Some(b), Some(a), Some(n)) = (before, after, now)
            && [b, a, n].iter().all(|it| it.0 & TYPE == b.0 & TYPE && !is_folder(Some(*it)))
        {
            // Mode and contents may have been changed by different hands.
            let one = |b, a, n| if n == a { Some(b) } else { (b == a || n == b).then_some(n) };
            let ids = if b.1 == a.1 || n.1 == b.1 { Some(n.1) } else { (n.1 == a.1).then_some(b.1) };
            if let (Some(mode), Some(id)) = (one(b.0, a.0, n.0), ids) {
                return Ok(Some((mode, id)));
            }
        }
        Ok(if self.force { before } else { now })
    }

    fn folder(&mut self, three: Three, later: &[Option<What>]) -> Result<Option<What>, RepoError> {
        let [before, after, now] = three;
        let all = three.iter().map(|it| self.children(inside(*it))).collect::<Result<Vec<_>, _>>()?;
        let later = later.iter().map(|it| self.children(inside(*it))).collect::<Result<Vec<_>, _>>()?;
        let mut kept = Vec::new();
        for name in names(&all) {
            let at = |it: &Children| it.get(name).copied();
            let later: Vec<Option<What>> = later.iter().map(at).collect();
            let merged = self.path([at(&all[0]), at(&all[1]), at(&all[2])], &later)?;
            kept.extend(merged.map(|it| (name, it)));
        }
        if kept.is_empty() && (before.is_none() || now.is_none()) {
            return Ok(None);
        }
        let mode = match (before, after, now) {
            (Some(before), Some(after), Some(now)) if now.0 == after.0 => before.0,
            (_, _, Some(now)) => now.0,
            (before, after, None) => before.or(after).map_or(FOLDER | 0o755, |it| it.0),
        };
        Ok(Some((mode, self.tree(&kept))))
    }

    /// A folder of which a part is wanted, from `then`.
    fn inner(
        &mut self,
        path: &[u8],
        wanted: &Wanted,
        then: Option<Hash>,
        now: Option<Hash>,
    ) -> Result<Hash, RepoError> {
        let both = [self.children(then)?, self.children(now)?];
        let mut kept = Vec::new();
        for name in names(&both) {
            let path = join(path, name);
            let [new, old] = [0, 1].map(|it| both[it].get(name).copied());
            let chosen = match wanted.part(&path) {
                Part::All => new,
                Part::None => old,
                Part::Inside if inside(new).is_none() && inside(old).is_none() => old,
                Part::Inside => {
                    let folder = inside(old).and(old).or(new).expect("one of the two is a folder");
                    let inner = self.inner(&path, wanted, inside(new), inside(old))?;
                    // A part that was not there then makes no folder for itself.
                    let made = inside(old).is_some() || !self.new[&inner].is_empty();
                    if made { Some((folder.0, inner)) } else { old }
                }
            };
            kept.extend(chosen.map(|it| (name, it)));
        }
        Ok(self.tree(&kept))
    }

    fn tree(&mut self, kept: &[(&[u8], What)]) -> Hash {
        let mut nodes: Vec<_> = kept.iter().map(|it| Node { mode: it.1.0, name: it.0, id: it.1.1 }).collect();
        let body = object::tree(&mut nodes);
        let id = object::id(Kind::Tree, &body);
        self.new.insert(id, body);
        id
    }

    fn children(&self, tree: Option<Hash>) -> Result<Children, RepoError> {
        let Some(id) = tree else { return Ok(Children::new()) };
        let body = match self.new.get(&id) {
            Some(body) => body.clone(),
            None => (self.read)(&id)?,
        };
        let nodes = object::nodes(&body).unwrap_or_default();
        Ok(nodes.into_iter().map(|it| (it.name.to_owned(), (it.mode, it.id))).collect())
    }
}

/// All names in some folders, in order.
fn names(folders: &[Children]) -> BTreeSet<&[u8]> {
    folders.iter().flat_map(|it| it.keys().map(Vec::as_slice)).collect()
}
