//! The difference of two trees by their objects alone. What is the same object is not looked into.

use ox_protocol::ChangeKind;

use super::index::join;
use super::object::{self, Node};
use crate::{Hash, RepoError};

/// Mode and object of something.
pub(super) type What = (u32, Hash);

/// Something that two trees have differently. Of a folder that only one of them has, only what is in it is told, and the
/// folder itself where it is empty.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Difference {
    /// Relative to the root.
    pub path: Vec<u8>,
    pub old: Option<What>,
    pub new: Option<What>,
}

impl Difference {
    /// What happened to it.
    pub(super) fn kind(&self) -> ChangeKind {
        match (self.old, self.new) {
            (None, _) => ChangeKind::Created,
            (_, None) => ChangeKind::Deleted,
            _ => ChangeKind::Modified,
        }
    }
}

/// Reads the body of a tree.
pub(super) type Trees<'a> = &'a mut dyn FnMut(&Hash) -> Result<Vec<u8>, RepoError>;

/// All differences, sorted by path.
pub(super) fn differences(
    old: Option<Hash>,
    new: Option<Hash>,
    trees: Trees<'_>,
) -> Result<Vec<Difference>, RepoError> {
    let mut found = Vec::new();
    folder(b"", old, new, trees, &mut found)?;
    found.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(found)
}

pub(super) fn is_folder(what: Option<What>) -> bool {
    what.is_some_and(|it| it.0 & 0o170_000 == 0o040_000)
}

/// The tree of a folder.
pub(super) fn inside(what: Option<What>) -> Option<Hash> {
    what.filter(|_| is_folder(what)).map(|it| it.1)
}

/// What is no folder.
pub(super) fn outside(what: Option<What>) -> Option<What> {
    what.filter(|_| !is_folder(what))
}

fn folder(
    path: &[u8],
    old: Option<Hash>,
    new: Option<Hash>,
    trees: Trees<'_>,
    found: &mut Vec<Difference>,
) -> Result<(), RepoError> {
    if old == new {
        return Ok(());
    }
    let mut body = |it: Option<Hash>| it.map_or(Ok(Vec::new()), |it| trees(&it));
    let (old, new) = (body(old)?, body(new)?);
    for (name, before, after) in merged(&old, &new) {
        if before == after {
            continue;
        }
        let path = join(path, name);
        let count = found.len();
        folder(&path, inside(before), inside(after), trees, found)?;
        if let (None, None) = (outside(before), outside(after)) {
            // Only folders: the one itself is told where nothing in it is, or where its mode is another.
            let reported = found.len() > count;
            let modes = before.zip(after).is_some_and(|(a, b)| a.0 != b.0);
            if modes || !reported {
                found.push(Difference { path, old: before, new: after });
            }
        } else {
            found.push(Difference { path, old: outside(before), new: outside(after) });
        }
    }
    Ok(())
}

/// The entries of two trees side by side, sorted by name. What is no tree has none.
pub(super) fn merged<'a>(old: &'a [u8], new: &'a [u8]) -> Vec<(&'a [u8], Option<What>, Option<What>)> {
    let sorted = |body: &'a [u8]| {
        let mut nodes: Vec<Node<'a>> = object::nodes(body).unwrap_or_default();
        nodes.sort_unstable_by_key(|it| it.name);
        nodes.into_iter().peekable()
    };
    let (mut old, mut new) = (sorted(old), sorted(new));
    let mut all = Vec::new();
    loop {
        let name = match (old.peek(), new.peek()) {
            (None, None) => return all,
            (Some(a), None) => a.name,
            (None, Some(b)) => b.name,
            (Some(a), Some(b)) => a.name.min(b.name),
        };
        let before = old.next_if(|it| it.name == name).map(|it| (it.mode, it.id));
        let after = new.next_if(|it| it.name == name).map(|it| (it.mode, it.id));
        all.push((name, before, after));
    }
}
