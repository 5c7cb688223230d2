//! Bash: functions, and variables outside of them. The grammar takes some scripts that every shell runs for faulty, so
//! faults are not looked for.

use tree_sitter::Node;

use super::grammar::{Grammar, Item, NodeContext, children_of, field_text};
use crate::definitions::SymbolKind;
use crate::facts::{Import, ImportKind};

pub(super) static GRAMMAR: Grammar = Grammar {
    name: "Shell",
    endings: &["sh", "bash", "bats", "ksh", "zsh"],
    language: || tree_sitter_bash::LANGUAGE.into(),
    checked: false,
    item,
    items: &["function_definition", "variable_assignment"],
    is_wrapper: |node| node.kind() == "declaration_command" && children_of(node, &["variable_assignment"]) == 1,
    is_detached: |node, text| node.start_byte() == 0 && text.starts_with("#!"),
    literals: &["heredoc_body", "string", "raw_string"],
    import_kinds: &["command"],
    import,
    type_names: &[],
    names: &["word", "variable_name"],
    uses: include_str!("uses/bash.txt"),
    test: |it| it.kind == SymbolKind::Function && it.in_test_file && it.name.starts_with("test"),
    ..Grammar::BASE
};

fn item<'t>(node: Node<'t>, place: &NodeContext<'t, '_>) -> Option<Item<'t>> {
    match node.kind() {
        "function_definition" => Item::named(SymbolKind::Function, node, place.text),
        _ if place.in_function || place.parent() == "command" => None,
        _ => Some(Item::new(SymbolKind::Value, field_text(node, "name", place.text)?, node)),
    }
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
        out.push(Import::new(&what, &["*"], node.start_position().row + 1, ImportKind::Relative));
    }
    false
}
