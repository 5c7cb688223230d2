//! PHP. Members are `Class::member`; a namespace is the package of its file, properties are named without their `$`.

use tree_sitter::Node;

use super::grammar::{Grammar, Item, NodeContext, child_of, children_of, field_text};
use crate::definitions::SymbolKind;
use crate::facts::{Import, ImportKind};

pub(super) static GRAMMAR: Grammar = Grammar {
    name: "PHP",
    language: || tree_sitter_php::LANGUAGE_PHP.into(),
    item,
    is_wrapper: |node| match node.kind() {
        "const_declaration" => children_of(node, &["const_element"]) == 1,
        "property_declaration" => children_of(node, &["property_element"]) == 1,
        _ => false,
    },
    import,
    table: include_str!("php.txt"),
    exported: |it| !it.has("private"),
    test: |it| {
        let mark = it.marked(&["@test", "#[Test"]);
        let of_test = it.in_test_file || it.parent.is_some_and(|(_, head)| head.contains("TestCase"));
        it.kind == SymbolKind::Function && (mark || (of_test && it.name.starts_with("test")))
    },
    package: |root, text| Some(field_text(child_of(root, &["namespace_definition"])?, "name", text)?.to_string()),
    ..Grammar::BASE
};

/// A constant or a property.
fn item<'t>(node: Node<'t>, place: &NodeContext<'t, '_>) -> Option<Item<'t>> {
    let name = match node.kind() {
        "const_element" => place.of(child_of(node, &["name"])?),
        _ => field_text(node, "name", place.text)?.trim_start_matches('$'),
    };
    Some(Item::new(SymbolKind::Value, name, node))
}

/// `use A\B;`, `use A\{B, C as D};` and `require __DIR__ . '/x.php';`.
fn import(node: Node<'_>, place: &NodeContext<'_, '_>, out: &mut Vec<Import>) -> bool {
    match node.kind() {
        // A namespace in braces holds the rest of the file.
        "namespace_definition" => node.child_by_field_name("body").is_none(),
        "namespace_use_declaration" => {
            used(place.of(node), node, out);
            true
        }
        _ => {
            let words = place.of(node);
            let mut parts = words.split(['\'', '"']);
            let path = parts.nth(1).filter(|it| !it.contains('$') && it.contains('.'));
            if let Some(path) = path {
                out.push(Import::new(path.trim_start_matches('/'), &[], node, ImportKind::Relative));
            }
            path.is_some()
        }
    }
}

fn used(words: &str, at: Node<'_>, out: &mut Vec<Import>) {
    let words = words.trim_start_matches("use").trim().trim_end_matches(';');
    let words = words.trim_start_matches("function ").trim_start_matches("const ").trim();
    let (prefix, list) = match words.split_once('{') {
        Some((prefix, list)) => (prefix.trim(), list.trim_end_matches('}')),
        None => ("", words),
    };
    for clause in list.split(',').map(str::trim).filter(|it| !it.is_empty()) {
        let clause = clause.trim_start_matches("function ").trim_start_matches("const ").trim();
        let (path, alias) = clause.split_once(" as ").map_or((clause, None), |(path, alias)| (path, Some(alias)));
        let what = format!("{prefix}{}", path.trim());
        let what = what.trim_start_matches('\\');
        let name = what.rsplit('\\').next().unwrap_or_default();
        let names: Vec<&str> = [Some(name), alias.map(str::trim)].into_iter().flatten().collect();
        out.push(Import::new(what, &names, at, ImportKind::Absolute));
    }
}
