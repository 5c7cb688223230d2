//! Ruby. Names are joined with `::` for methods of a class and of its objects alike; bodies have no braces and are not set
//! off. Constants and what `Struct.new` gives a name are values and types.

use tree_sitter::Node;

use super::grammar::{Grammar, Item, NodeContext, field_text};
use crate::definitions::SymbolKind;
use crate::facts::{Import, ImportKind};

pub(super) static GRAMMAR: Grammar = Grammar {
    name: "Ruby",
    language: || tree_sitter_ruby::LANGUAGE.into(),
    item,
    import,
    table: include_str!("ruby.txt"),
    test: |it| {
        let of_test = it.parent.is_some_and(|(_, head)| head.contains("Test"));
        it.kind == SymbolKind::Function && it.name.starts_with("test_") && (it.in_test_file || of_test)
    },
    ..Grammar::BASE
};

fn item<'t>(node: Node<'t>, place: &NodeContext<'t, '_>) -> Option<Item<'t>> {
    let text = place.text;
    match node.kind() {
        "module" => scoped(SymbolKind::Module, node, text),
        "class" => scoped(SymbolKind::Type, node, text),
        "method" => function(node, text),
        "singleton_method" => {
            let object = field_text(node, "object", text).filter(|it| *it != "self");
            let before = object.map(str::to_string).into_iter().collect();
            Some(Item { before, ..function(node, text)? })
        }
        "singleton_class" => {
            Some(Item { name: None, scope: Some(Vec::new()), ..Item::new(SymbolKind::Type, "", node) })
        }
        _ => constant(node, place),
    }
}

/// A module or class, perhaps named with those around it.
fn scoped<'t>(kind: SymbolKind, node: Node<'t>, text: &str) -> Option<Item<'t>> {
    let name = node.child_by_field_name("name")?;
    let mut before: Vec<String> = text[name.byte_range()].split("::").map(|it| it.trim().to_string()).collect();
    before.retain(|it| !it.is_empty());
    let last = before.pop()?;
    let end = node.child_by_field_name("superclass").unwrap_or(name).end_byte();
    Some(Item { before, head_end: Some(end), ..Item::new(kind, last, node) })
}

fn function<'t>(node: Node<'t>, text: &str) -> Option<Item<'t>> {
    let name = node.child_by_field_name("name")?;
    let end = node.child_by_field_name("parameters").unwrap_or(name).end_byte();
    Some(Item { head_end: Some(end), ..Item::new(SymbolKind::Function, &text[name.byte_range()], node) })
}

/// A constant of a file, module or class; one that is made from a block is a type.
fn constant<'t>(node: Node<'t>, place: &NodeContext<'t, '_>) -> Option<Item<'t>> {
    let left = node.child_by_field_name("left").filter(|it| it.kind() == "constant" && !place.in_function)?;
    let right = node.child_by_field_name("right")?;
    let made =
        ["Struct.new", "Class.new", "Data.define", "Module.new"].iter().any(|it| place.of(right).starts_with(it));
    let kind = if made { SymbolKind::Type } else { SymbolKind::Value };
    Some(Item::new(kind, place.of(left), node))
}

/// `require`, `require_relative`, `load` and `autoload` with a plain string.
fn import(node: Node<'_>, place: &NodeContext<'_, '_>, out: &mut Vec<Import>) -> bool {
    let head = &place.text[node.start_byte()..];
    let known = ["require_relative", "require", "load", "autoload"];
    let Some(word) = known.into_iter().find(|it| head.starts_with(it)) else { return false };
    if field_text(node, "method", place.text) != Some(word) || node.child_by_field_name("receiver").is_some() {
        return false;
    }
    let arguments = node.child_by_field_name("arguments");
    let count = arguments.map_or(0, |it| it.named_child_count());
    let last = arguments.and_then(|it| it.named_child(u32::try_from(count.checked_sub(1)?).ok()?));
    let Some(path) = last.filter(|it| it.kind() == "string") else { return false };
    let what = place.of(path).trim_matches(['\'', '"']);
    if what.contains("#{") || what.is_empty() {
        return false;
    }
    let kind = if word == "require_relative" { ImportKind::Relative } else { ImportKind::Absolute };
    out.push(Import::new(what, &[], node, kind));
    true
}
