//! Bash: functions, and variables outside of them. The grammar takes some scripts that every shell runs for faulty, so
//! faults are not looked for.

use tree_sitter::Node;

use super::grammar::{Grammar, Item, NodeContext, children_of, field_text};
use crate::definitions::SymbolKind;
use crate::facts::{Import, ImportKind};

pub(super) static GRAMMAR: Grammar = Grammar {
    name: "Shell",
    language: || tree_sitter_bash::LANGUAGE.into(),
    item,
    is_wrapper: |node| node.kind() == "declaration_command" && children_of(node, &["variable_assignment"]) == 1,
    import,
    table: include_str!("bash.txt"),
    test: |it| it.kind == SymbolKind::Function && it.in_test_file && it.name.starts_with("test"),
    ..Grammar::BASE
};

/// A variable outside of functions, and not one that is set for a single command.
fn item<'t>(node: Node<'t>, place: &NodeContext<'t, '_>) -> Option<Item<'t>> {
    let name = field_text(node, "name", place.text).filter(|_| !place.in_function && place.parent() != "command");
    name.map(|it| Item::new(SymbolKind::Value, it, node))
}

/// `source FILE` and `. FILE`, whatever stands for the folder in front.
fn import(node: Node<'_>, place: &NodeContext<'_, '_>, out: &mut Vec<Import>) -> bool {
    let name = field_text(node, "name", place.text);
    if !matches!(name, Some("source" | ".")) {
        return false;
    }
    let Some(argument) = field_text(node, "argument", place.text) else { return false };
    let bare = argument.trim_matches(['"', '\'']);
    // A folder that is computed is taken for the script's own.
    let rest = match bare.rfind(['}', ')']) {
        Some(at) => &bare[at + 1..],
        None if bare.starts_with('$') => bare.split_once('/').map_or("", |it| it.1),
        None => bare,
    };
    let what = rest.trim_start_matches('/').replace('"', "");
    if !what.is_empty() {
        out.push(Import::new(&what, &["*"], node, ImportKind::Relative));
    }
    false
}
