//! Lua. A function is `M.f` whether it was written with a dot or a colon; bodies have no braces and are not set off.

use tree_sitter::Node;

use super::grammar::{Grammar, Item, NodeContext, children_of, field_text};
use crate::definitions::SymbolKind;
use crate::facts::{Import, ImportKind};

pub(super) static GRAMMAR: Grammar = Grammar {
    name: "Lua",
    language: || tree_sitter_lua::LANGUAGE.into(),
    item,
    is_wrapper: |node| node.kind() == "variable_declaration" && children_of(node, &["assignment_statement"]) == 1,
    import,
    table: include_str!("lua.txt"),
    exported: |it| !it.head.starts_with("local "),
    test: |it| it.kind == SymbolKind::Function && it.in_test_file && it.name.starts_with("test"),
    ..Grammar::BASE
};

fn item<'t>(node: Node<'t>, place: &NodeContext<'t, '_>) -> Option<Item<'t>> {
    match node.kind() {
        "function_declaration" => {
            let name = node.child_by_field_name("name")?;
            let end = node.child_by_field_name("parameters").unwrap_or(name).end_byte();
            Some(Item { head_end: Some(end), ..named(SymbolKind::Function, place.of(name), node)? })
        }
        "field" => {
            let value = node.child_by_field_name("value").filter(|it| it.kind() == "function_definition")?;
            let name = node.child_by_field_name("name").filter(|it| it.kind() == "identifier")?;
            Some(Item { listed: true, ..function(named(SymbolKind::Function, place.of(name), node)?, value) })
        }
        _ => assigned(node, place),
    }
}

/// `a.b = …` outside of functions, one name at a time; anywhere where it is a function.
fn assigned<'t>(node: Node<'t>, place: &NodeContext<'t, '_>) -> Option<Item<'t>> {
    let names = node.named_child(0).filter(|it| it.kind() == "variable_list" && it.named_child_count() == 1)?;
    let values = node.named_child(1).filter(|it| it.kind() == "expression_list" && it.named_child_count() == 1)?;
    let (name, value) = (names.named_child(0)?, values.named_child(0)?);
    if name.kind() == "bracket_index_expression" {
        return None;
    }
    match value.kind() {
        "function_definition" => Some(function(named(SymbolKind::Function, place.of(name), node)?, value)),
        _ if place.in_function => None,
        "table_constructor" => Some(named(SymbolKind::Value, place.of(name), node)?.with_braces(Some(value))),
        _ => named(SymbolKind::Value, place.of(name), node),
    }
}

fn function<'t>(item: Item<'t>, value: Node<'_>) -> Item<'t> {
    let head_end = value.child_by_field_name("parameters").map(|it| it.end_byte());
    Item { head_end, ..item }
}

/// `a.b:c` as `[a, b]` and `c`.
fn named<'t>(kind: SymbolKind, name: &str, node: Node<'t>) -> Option<Item<'t>> {
    let plain = |it: &str| it.chars().all(|c| c.is_alphanumeric() || c == '_');
    let mut before: Vec<String> = name.split(['.', ':']).map(|it| it.trim().to_string()).collect();
    let last = before.pop().filter(|it| !it.is_empty() && plain(it))?;
    before.iter().all(|it| plain(it)).then(|| Item { before, ..Item::new(kind, last, node) })
}

/// `require "a.b"` and `dofile("a.lua")`.
fn import(node: Node<'_>, place: &NodeContext<'_, '_>, out: &mut Vec<Import>) -> bool {
    let words = &place.text[node.start_byte()..];
    if !["require", "dofile", "loadfile"].iter().any(|it| words.starts_with(it)) {
        return false;
    }
    let Some(name) = field_text(node, "name", place.text) else { return false };
    let Some(arguments) = field_text(node, "arguments", place.text) else { return false };
    let what = arguments.trim_matches(['(', ')', ' ']).trim_matches(['\'', '"', '[', ']']);
    if !matches!(name, "require" | "dofile" | "loadfile") || what.is_empty() || what.contains(['(', '"', '\'', '\n']) {
        return false;
    }
    let kind = if name == "require" { ImportKind::Absolute } else { ImportKind::Relative };
    let last = what.rsplit(['.', '/']).next().unwrap_or_default();
    out.push(Import::new(what, &[last], node, kind));
    true
}
