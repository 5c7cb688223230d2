//! The nodes of a syntax tree, one after the other: however deep it nests, nothing recurses.

use tree_sitter::{Node, Tree};

/// The nodes of a tree in the order in which they begin.
pub(crate) fn nodes(tree: &Tree) -> impl Iterator<Item = Node<'_>> {
    let mut cursor = Some(tree.walk());
    std::iter::from_fn(move || {
        let it = cursor.as_mut()?;
        let node = it.node();
        let mut more = it.goto_first_child() || it.goto_next_sibling();
        while !more && it.goto_parent() {
            more = it.goto_next_sibling();
        }
        if !more {
            cursor = None;
        }
        Some(node)
    })
}
