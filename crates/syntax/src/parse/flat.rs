//! A syntax tree as a list of nodes, for those who look for shapes that no table of a language tells. It borrows nothing,
//! keeps no parser alive, and whoever reads it needs not recurse.

use std::collections::HashMap;
use std::sync::{LazyLock, Mutex, PoisonError};

use super::parser::{Parsed, parse};
use super::{Lines, to_u32};
use crate::languages::Grammar;

/// One node. What is inside of it comes right behind it, up to `last`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FlatNode {
    /// What the grammar calls it.
    pub kind: &'static str,
    /// The field of the node around in which it stands; empty for none.
    pub field: &'static str,
    /// False for punctuation and keywords.
    pub is_named: bool,
    /// Its first byte.
    pub start: usize,
    /// The byte after its last.
    pub end: usize,
    /// The line on which it begins, from 1.
    pub line: u32,
    /// The node right around.
    pub parent: Option<u32>,
    /// The index behind the last node inside of it.
    pub last: u32,
}

/// A text that was parsed, perhaps with errors in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FlatTree {
    /// The language that it was read in, as [`crate::language`] names it.
    pub language: &'static str,
    /// In the order in which they begin, the whole text first.
    pub nodes: Vec<FlatNode>,
}

/// The names of a grammar's kinds and fields by their numbers.
struct Names {
    kinds: Vec<String>,
    fields: Vec<String>,
}

/// Each grammar's names, read once and kept for ever.
static NAMES: LazyLock<Mutex<HashMap<usize, &'static Names>>> = LazyLock::new(Mutex::default);

impl Names {
    fn of(grammar: &'static Grammar) -> &'static Names {
        let mut known = NAMES.lock().unwrap_or_else(PoisonError::into_inner);
        known.entry(std::ptr::from_ref(grammar).addr()).or_insert_with(|| {
            let language = (grammar.language)();
            let numbers = |count: usize| 0..u16::try_from(count).unwrap_or(u16::MAX);
            let kind = |it: u16| language.node_kind_for_id(it).unwrap_or_default().to_owned();
            let field = |it: u16| language.field_name_for_id(it).unwrap_or_default().to_owned();
            let kinds = numbers(language.node_kind_count()).map(kind).collect();
            Box::leak(Box::new(Names { kinds, fields: numbers(language.field_count() + 1).map(field).collect() }))
        })
    }

    /// Errors have a number behind all others.
    fn kind(&'static self, number: u16) -> &'static str {
        self.kinds.get(usize::from(number)).map_or("ERROR", String::as_str)
    }

    fn field(&'static self, number: u16) -> &'static str {
        self.fields.get(usize::from(number)).map_or("", String::as_str)
    }
}

/// The tree of a text in the language that its path tells of; none for an unknown language, and for a text that is too large.
pub fn tree(path: &str, text: &str) -> Option<FlatTree> {
    Some(flatten(&parse(path, text)?, text))
}

/// The nodes of a text that was parsed.
pub(crate) fn flatten(parsed: &Parsed, text: &str) -> FlatTree {
    let lines = Lines::of(text);
    let mut nodes: Vec<FlatNode> = Vec::new();
    let mut around: Vec<usize> = Vec::new();
    let names = Names::of(parsed.grammar);
    let mut cursor = parsed.tree.walk();
    'walk: loop {
        let node = cursor.node();
        around.push(nodes.len());
        let parent = around.len().checked_sub(2).map(|at| to_u32(around[at]));
        nodes.push(FlatNode {
            kind: names.kind(node.kind_id()),
            field: names.field(cursor.field_id().map_or(0, |it| it.get())),
            is_named: node.is_named(),
            start: node.start_byte(),
            end: node.end_byte(),
            line: lines.at(node.start_byte()),
            parent,
            last: 0,
        });
        if cursor.goto_first_child() {
            continue;
        }
        loop {
            let ended = around.pop().expect("invariant: as many nodes are left as were entered");
            nodes[ended].last = to_u32(nodes.len());
            if cursor.goto_next_sibling() {
                break;
            }
            if !cursor.goto_parent() {
                break 'walk;
            }
        }
    }
    FlatTree { language: parsed.grammar.name, nodes }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nodes_come_with_what_is_inside_of_them_right_behind() {
        let text = "fn f() {\n    g(1);\n}\n";
        let tree = tree("a.rs", text).unwrap();
        let at = tree.nodes.iter().position(|it| it.kind == "call_expression").unwrap();
        let call = tree.nodes[at];
        assert_eq!((tree.language, &text[call.start..call.end], call.line), ("Rust", "g(1)", 2));
        let inside: Vec<_> = tree.nodes[at + 1..call.last as usize].iter().filter(|it| it.is_named).collect();
        assert_eq!(inside.iter().map(|it| it.kind).collect::<Vec<_>>(), ["identifier", "arguments", "integer_literal"]);
        assert_eq!((inside[0].field, inside[0].parent), ("function", u32::try_from(at).ok()));
        assert_eq!(tree.nodes[0].last as usize, tree.nodes.len());
    }
}
