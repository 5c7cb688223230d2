//! What is in the tree, folder by folder, with the object that each content is and the stamp by which a change is seen.
//!
//! It is also the stat cache: a file whose stamp is the one in the cache is not read again. A cache that is not whole is
//! no cache; it is never trusted in part.

use serde::{Deserialize, Serialize};

use super::object::{self, Node};
use super::skip::Skip;
use crate::Hash;
use crate::stamp::Stamp;

/// First bytes of a cache; the last is the version.
const MAGIC: &[u8; 8] = b"OXSTAT\n3";

/// Something in a folder.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Entry {
    at: u32,
    length: u16,
    /// Why its content is not kept.
    pub skip: Option<Skip>,
    /// The content could have changed without a trace since it was read, or has not been read yet.
    pub stale: bool,
    /// Type and permission bits.
    pub mode: u32,
    pub stamp: Stamp,
    /// Of the content; zero where it is not known.
    pub id: Hash,
}

impl Entry {
    pub(super) fn is_folder(&self) -> bool {
        self.mode & 0o170_000 == 0o040_000
    }

    pub(super) fn is_link(&self) -> bool {
        self.mode & 0o170_000 == 0o120_000
    }

    /// Its content is an object.
    pub(super) fn is_kept(&self) -> bool {
        self.skip.is_none()
    }
}

/// A folder and what is in it, sorted by name.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Folder {
    /// Relative to the root; empty for the root.
    pub path: Vec<u8>,
    /// Of its tree; zero where it is not known.
    pub id: Hash,
    names: Vec<u8>,
    pub entries: Vec<Entry>,
}

impl Folder {
    pub(super) fn new(path: Vec<u8>) -> Folder {
        Folder { path, ..Folder::default() }
    }

    pub(super) fn push(&mut self, name: &[u8], skip: Option<Skip>, mode: u32, stamp: Stamp) {
        let at = u32::try_from(self.names.len()).expect("the names of one folder fit into four gigabytes");
        let length = u16::try_from(name.len()).expect("a name is short");
        self.names.extend_from_slice(name);
        self.entries.push(Entry { at, length, skip, stale: true, mode, stamp, id: Hash::default() });
    }

    pub(super) fn name(&self, entry: &Entry) -> &[u8] {
        &self.names[entry.at as usize..][..usize::from(entry.length)]
    }

    /// Sorts entries and names, so that equal folders are equal however they were read.
    pub(super) fn sort(&mut self) {
        let names = std::mem::take(&mut self.names);
        let name = |it: &Entry| &names[it.at as usize..][..usize::from(it.length)];
        self.entries.sort_unstable_by(|a, b| name(a).cmp(name(b)));
        self.names.reserve_exact(names.len());
        for entry in &mut self.entries {
            let start = entry.at as usize;
            entry.at = self.names.len() as u32;
            self.names.extend_from_slice(&names[start..][..usize::from(entry.length)]);
        }
    }

    pub(super) fn find(&self, name: &[u8]) -> Option<&Entry> {
        self.position(name).map(|it| &self.entries[it])
    }

    fn position(&self, name: &[u8]) -> Option<usize> {
        self.entries.binary_search_by(|it| self.name(it).cmp(name)).ok()
    }

    /// The path of something in this folder.
    pub(super) fn path_of(&self, name: &[u8]) -> Vec<u8> {
        join(&self.path, name)
    }
}

/// `name` in the folder `path`.
pub(super) fn join(path: &[u8], name: &[u8]) -> Vec<u8> {
    if path.is_empty() { name.to_vec() } else { [path, b"/", name].concat() }
}

/// The folder that a path is in, and its name there.
pub(super) fn split(path: &[u8]) -> (&[u8], &[u8]) {
    match path.iter().rposition(|it| *it == b'/') {
        Some(at) => (&path[..at], &path[at + 1..]),
        None => (&path[..0], path),
    }
}

/// A path for people.
pub(super) fn shown(path: &[u8]) -> String {
    String::from_utf8_lossy(path).into_owned()
}

/// All folders, sorted by path.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Index {
    pub folders: Vec<Folder>,
}

fn entry_mut<'a>(folders: &'a mut [Folder], path: &[u8]) -> Option<&'a mut Entry> {
    let (parent, name) = split(path);
    let at = folders.binary_search_by(|it| it.path.as_slice().cmp(parent)).ok()?;
    let folder = &mut folders[at];
    let at = folder.position(name)?;
    Some(&mut folder.entries[at])
}

/// A tree whose object may be new.
pub(super) struct NewTree {
    pub id: Hash,
    pub body: Vec<u8>,
}

impl Index {
    pub(super) fn folder(&self, path: &[u8]) -> Option<&Folder> {
        let at = self.folders.binary_search_by(|it| it.path.as_slice().cmp(path)).ok()?;
        Some(&self.folders[at])
    }

    /// The entry at a path.
    pub(super) fn entry_mut(&mut self, path: &[u8]) -> Option<&mut Entry> {
        entry_mut(&mut self.folders, path)
    }

    /// The root's tree.
    pub(super) fn id(&self) -> Hash {
        self.folders.first().map(|it| it.id).unwrap_or_default()
    }

    /// Number and bytes of the files that are kept.
    pub(super) fn totals(&self) -> (u64, u64) {
        let kept = self.folders.iter().flat_map(|it| &it.entries).filter(|it| it.is_kept() && !it.is_folder());
        kept.fold((0, 0), |(count, bytes), it| (count + 1, bytes + it.stamp.size))
    }

    /// Names every folder's tree from the contents, the innermost first. Answers with those that differ from `old`.
    pub(super) fn name_trees(&mut self, old: &Index) -> Vec<NewTree> {
        let mut changed = Vec::new();
        for at in (0..self.folders.len()).rev() {
            let folder = &self.folders[at];
            let before = old.folder(&folder.path);
            if let Some(same) = before.filter(|it| it.names == folder.names && it.entries == folder.entries) {
                self.set_tree(at, same.id);
                continue;
            }
            let kept = folder.entries.iter().filter(|it| it.is_kept());
            let mut nodes: Vec<Node<'_>> =
                kept.map(|it| Node { mode: it.mode, name: folder.name(it), id: it.id }).collect();
            let body = object::tree(&mut nodes);
            let id = object::id(object::Kind::Tree, &body);
            if before.is_none_or(|it| it.id != id) {
                changed.push(NewTree { id, body });
            }
            self.set_tree(at, id);
        }
        changed
    }

    fn set_tree(&mut self, at: usize, id: Hash) {
        self.folders[at].id = id;
        // The folder that it is in sorts before it.
        let (above, rest) = self.folders.split_at_mut(at);
        if let Some(entry) = entry_mut(above, &rest[0].path) {
            entry.id = id;
        }
    }

    /// The bytes of a cache.
    pub(super) fn encode(&self) -> Vec<u8> {
        let mut bytes = postcard::to_extend(self, MAGIC.to_vec()).expect("an index holds nothing without an encoding");
        let sum = Hash::of(&bytes);
        bytes.extend_from_slice(sum.bytes());
        bytes
    }

    /// The index that a cache holds; none when it is not whole.
    pub(super) fn decode(bytes: &[u8]) -> Option<Index> {
        let (body, sum) = bytes.split_last_chunk::<32>()?;
        (Hash::of(body).bytes() == sum).then(|| postcard::from_bytes(body.strip_prefix(MAGIC)?).ok())?
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample() -> Index {
        let mut root = Folder::new(Vec::new());
        let stamp = Stamp { size: 5, modified: -3, changed: 1_700_000_000_123_456_789, inode: 9, device: 2 };
        root.push(b"b", None, 0o100_644, stamp);
        root.push(b"a\xff", Some(Skip::TooLarge), 0o100_600, stamp);
        root.push(b"d", None, 0o040_755, stamp);
        root.sort();
        let mut index = Index { folders: vec![root, Folder::new(b"d".to_vec())] };
        index.name_trees(&Index::default());
        index
    }

    #[test]
    fn a_cache_comes_back_whole_or_not_at_all() {
        let index = sample();
        let bytes = index.encode();
        assert_eq!(Index::decode(&bytes), Some(index));
        for length in 0..bytes.len() {
            assert_eq!(Index::decode(&bytes[..length]), None, "{length}");
        }
        for at in 0..bytes.len() {
            let mut broken = bytes.clone();
            broken[at] ^= 1;
            assert_eq!(Index::decode(&broken), None, "{at}");
        }
    }

    #[test]
    fn trees_are_named_from_the_inside_out() {
        let index = sample();
        assert_eq!(index.folder(b"d").unwrap().id, object::id(object::Kind::Tree, b""));
        assert_eq!(index.folder(b"").unwrap().find(b"d").unwrap().id, index.folder(b"d").unwrap().id);
        assert_eq!(index.totals(), (1, 5));
        let mut again = index.clone();
        assert_eq!(again.name_trees(&index).len(), 0);
    }
}
