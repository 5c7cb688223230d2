//! Objects in git's format, named by SHA-256 as git names them in a repository of that object format.
//!
//! Two things differ from what git itself would write: modes keep all permission bits, and an empty folder is an entry.

use std::io::Write;

use sha2::{Digest, Sha256};

use crate::{Hash, RepoError};

/// The kinds of objects that are kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(super) enum Kind {
    Commit = 1,
    Tree = 2,
    Blob = 3,
}

impl Kind {
    /// By its number in a pack's entry.
    pub(super) fn of(number: u8) -> Option<Kind> {
        [Kind::Commit, Kind::Tree, Kind::Blob].into_iter().find(|it| *it as u8 == number)
    }

    fn name(self) -> &'static str {
        match self {
            Kind::Commit => "commit",
            Kind::Tree => "tree",
            Kind::Blob => "blob",
        }
    }
}

/// Reads the body of an object.
pub(super) type Read<'a> = &'a dyn Fn(&Hash) -> Result<Vec<u8>, RepoError>;

/// The name of an object.
pub(super) fn id(kind: Kind, body: &[u8]) -> Hash {
    let mut digest = Sha256::new();
    digest.update(format!("{} {}\0", kind.name(), body.len()));
    digest.update(body);
    Hash::finish(digest)
}

/// An entry of a tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Node<'a> {
    /// Type and permission bits.
    pub mode: u32,
    pub name: &'a [u8],
    pub id: Hash,
}

impl Node<'_> {
    pub(super) fn is_folder(&self) -> bool {
        self.mode & 0o170_000 == 0o040_000
    }
}

/// The body of a tree. The nodes may come in any order.
pub(super) fn tree(nodes: &mut [Node<'_>]) -> Vec<u8> {
    // Git sorts a folder as if its name ended with a slash.
    fn key<'a>(node: &Node<'a>) -> impl Iterator<Item = u8> + 'a {
        node.name.iter().copied().chain(node.is_folder().then_some(b'/'))
    }
    nodes.sort_unstable_by(|a, b| key(a).cmp(key(b)));
    let mut body = Vec::with_capacity(nodes.iter().map(|it| it.name.len() + 40).sum());
    for node in nodes {
        write!(body, "{:o} ", node.mode).expect("writing to memory does not fail");
        body.extend_from_slice(node.name);
        body.push(0);
        body.extend_from_slice(node.id.bytes());
    }
    body
}

/// The entries of a tree; none when the body is not one.
pub(super) fn nodes(mut body: &[u8]) -> Option<Vec<Node<'_>>> {
    let mut nodes = Vec::new();
    while !body.is_empty() {
        let space = body.iter().position(|it| *it == b' ')?;
        let mode = u32::from_str_radix(std::str::from_utf8(&body[..space]).ok()?, 8).ok()?;
        let rest = &body[space + 1..];
        let end = rest.iter().position(|it| *it == 0)?;
        let (name, rest) = (&rest[..end], &rest[end + 1..]);
        let (id, rest) = rest.split_at_checked(32)?;
        // A name that leads elsewhere is never used, whoever wrote it.
        if name.is_empty() || name.contains(&b'/') || matches!(name, b"." | b".." | b".git") {
            return None;
        }
        nodes.push(Node { mode, name, id: Hash::from_bytes(id.try_into().ok()?) });
        body = rest;
    }
    Some(nodes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_of_git() {
        // `printf 'hello\n' | git hash-object --stdin` in a repository made with `--object-format=sha256`.
        let hello = "2cf8d83d9ee29543b34a87727421fdecb7e3f3a183d337639025de576db9ebb4";
        assert_eq!(id(Kind::Blob, b"hello\n").to_string(), hello);
        let empty = "6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321";
        assert_eq!(id(Kind::Tree, b"").to_string(), empty);
    }

    #[test]
    fn a_tree_comes_back_sorted_as_git_sorts_it() {
        let id = Hash::of(b"x");
        let node = |mode, name: &'static str| Node { mode, name: name.as_bytes(), id };
        let mut given = [node(0o040_755, "a"), node(0o100_600, "a.b"), node(0o100_644, "a-"), node(0o120_000, "Z")];
        let body = tree(&mut given);
        let names: Vec<&[u8]> = nodes(&body).unwrap().iter().map(|it| it.name).collect();
        assert_eq!(names, [&b"Z"[..], b"a-", b"a.b", b"a"]);
        assert_eq!(nodes(&body).unwrap(), given);
    }

    #[test]
    fn what_is_no_tree_is_refused() {
        let id = Hash::of(b"x");
        for name in ["..", ".", ".git", "a/b", ""] {
            let body = tree(&mut [Node { mode: 0o100_644, name: name.as_bytes(), id }]);
            assert_eq!(nodes(&body), None, "{name}");
        }
        assert_eq!(nodes(b"100644 a\0short"), None);
        assert_eq!(nodes(b"rubbish"), None);
    }
}
