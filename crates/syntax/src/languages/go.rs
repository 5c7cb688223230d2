//! Go. A method is `T.m` whether its receiver is a pointer or not.

use tree_sitter::Node;

use super::grammar::{Grammar, Item, NodeContext, children_of, field_text, package};
use crate::definitions::SymbolKind;
use crate::facts::{Import, ImportKind};

pub(super) static GRAMMAR: Grammar = Grammar {
    name: "Go",
    language: || tree_sitter_go::LANGUAGE.into(),
    item,
    is_wrapper: |node| {
        matches!(node.kind(), "type_declaration" | "const_declaration" | "var_declaration")
            && children_of(node, &["(", "var_spec_list"]) == 0
    },
    import,
    table: include_str!("go.txt"),
    exported: |it| it.name.starts_with(char::is_uppercase),
    test: |it| {
        let marks = ["Test", "Benchmark", "Fuzz", "Example"];
        it.in_test_file && it.kind == SymbolKind::Function && marks.iter().any(|mark| it.name.starts_with(mark))
    },
    package: |root, text| package(root, "package_clause", text),
    ..Grammar::BASE
};

fn item<'t>(node: Node<'t>, place: &NodeContext<'t, '_>) -> Option<Item<'t>> {
    let text = place.text;
    match node.kind() {
        "method_declaration" => {
            let receiver = receiver(field_text(node, "receiver", text)?)?;
            Some(Item { before: vec![receiver], ..Item::named(SymbolKind::Function, node, text)? })
        }
        "type_spec" | "type_alias" if !place.in_function => {
            let inner = node.child_by_field_name("type");
            let block = inner.and_then(|it| if it.kind() == "struct_type" { it.named_child(0) } else { Some(it) });
            Some(Item::named(SymbolKind::Type, node, text)?.with_braces(block))
        }
        "const_spec" | "var_spec" if !place.in_function => {
            let mut cursor = node.walk();
            let names: Vec<Node<'_>> = node.children_by_field_name("name", &mut cursor).collect();
            let name = names.first().map(|it| place.of(*it)).filter(|it| names.len() == 1 && *it != "_")?;
            Some(Item::new(SymbolKind::Value, name, node))
        }
        _ => None,
    }
}

/// The type's name in `(x *T[K])`.
fn receiver(text: &str) -> Option<String> {
    let inner = text.trim_start_matches('(').trim_end_matches(')').trim();
    let bare = inner.split('[').next()?.trim();
    let name = bare.rsplit([' ', '*', '\t']).next()?;
    (!name.is_empty()).then(|| name.to_string())
}

/// One line of an import; what the language brings has no dot in its first part.
fn import(node: Node<'_>, place: &NodeContext<'_, '_>, out: &mut Vec<Import>) -> bool {
    let Some(path) = field_text(node, "path", place.text) else { return true };
    let what = path.trim_matches(['"', '`']);
    let last = what.rsplit('/').next().unwrap_or_default();
    // The version at the end of a module's path is no part of its name.
    let is_version = last.len() > 1 && last.starts_with('v') && last[1..].bytes().all(|it| it.is_ascii_digit());
    let name = if is_version { what.rsplit('/').nth(1).unwrap_or(last) } else { last };
    let name = field_text(node, "name", place.text).unwrap_or(name);
    let name = if name == "." { "*" } else { name };
    let kind = match what {
        _ if what.starts_with('.') => ImportKind::Relative,
        _ if what.split('/').next().is_some_and(|it| it.contains('.')) => ImportKind::Absolute,
        _ => ImportKind::System,
    };
    out.push(Import::new(what, &[name], node, kind));
    true
}
