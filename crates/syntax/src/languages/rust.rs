//! Rust. A method is `Type::method` whichever implementation it is in; for which trait is told beside it.

use tree_sitter::Node;

use super::grammar::{DefinitionContext, Grammar, Item, NodeContext, field_text};
use crate::definitions::SymbolKind;
use crate::facts::{Import, ImportKind};

pub(super) static GRAMMAR: Grammar = Grammar {
    name: "Rust",
    language: || tree_sitter_rust::LANGUAGE.into(),
    item,
    is_detached: |node, text| text[node.byte_range()].starts_with("//!") || text[node.byte_range()].starts_with("/*!"),
    import,
    table: include_str!("rust.txt"),
    exported: |it| {
        it.kind == SymbolKind::Impl || it.has("pub") || it.via || it.head.starts_with("macro_rules!") || is_in_trait(it)
    },
    test: |it| {
        it.marked(&[
            "#[test]",
            "::test]",
            "::test(",
            "#[rstest",
            "#[bench]",
            "#[cfg(test)]",
            "#[quickcheck",
            "#[test_case",
        ])
    },
    ..Grammar::BASE
};

fn item<'t>(node: Node<'t>, place: &NodeContext<'t, '_>) -> Option<Item<'t>> {
    let text = place.text;
    match node.kind() {
        "const_item" | "static_item" if field_text(node, "name", text) != Some("_") => {
            Item::named(SymbolKind::Value, node, text)
        }
        "macro_definition" => Some(Item::named(SymbolKind::Value, node, text)?.with_braces(Some(node))),
        "impl_item" => implementation(node, text),
        _ => None,
    }
}

fn implementation<'t>(node: Node<'t>, text: &str) -> Option<Item<'t>> {
    let of = bare(node.child_by_field_name("type")?, text);
    let via = node.child_by_field_name("trait").map(|it| format!("{} for {of}", bare(it, text)));
    let name = format!("impl {}", via.as_deref().unwrap_or(&of));
    let item = Item::new(SymbolKind::Impl, name, node).with_braces(node.child_by_field_name("body"));
    Some(Item { scope: Some(vec![of]), via, ..item })
}

/// The name of a type without its path and its parameters.
fn bare(node: Node<'_>, text: &str) -> String {
    let inner = match node.kind() {
        "generic_type" | "reference_type" | "pointer_type" => node.child_by_field_name("type"),
        "scoped_type_identifier" => node.child_by_field_name("name"),
        "dynamic_type" => node.child_by_field_name("trait"),
        _ => None,
    };
    match inner {
        Some(inner) => bare(inner, text),
        None => text[node.byte_range()].split_whitespace().collect::<Vec<_>>().join(" "),
    }
}

fn is_in_trait(it: &DefinitionContext<'_>) -> bool {
    it.parent.is_some_and(|(kind, head)| {
        kind == SymbolKind::Type && head.split_whitespace().any(|word| word == "trait")
            || kind == SymbolKind::Impl && head.contains(" for ")
    })
}

/// Paths that one `use` names at most.
const MOST_PATHS: usize = 200;

fn import(node: Node<'_>, place: &NodeContext<'_, '_>, out: &mut Vec<Import>) -> bool {
    match node.kind() {
        "use_declaration" => {
            let first = out.len();
            let argument = node.child_by_field_name("argument");
            argument.into_iter().for_each(|it| paths(it, place.text, node, out));
            // In a module within the file, `super` leading to the module around and at last to the file itself.
            let depth = place.above.iter().filter(|it| it.kind() == "mod_item").count();
            out[first..].iter_mut().for_each(|it| outward(it, depth));
            out.retain(|it| it.what != "self::*");
            true
        }
        "extern_crate_declaration" => {
            let name = field_text(node, "name", place.text).unwrap_or_default();
            out.push(Import::new(name, &[name], node, kind_of(name)));
            true
        }
        "mod_item" => {
            if node.child_by_field_name("body").is_none() {
                module(node, place, out);
            }
            false
        }
        _ => {
            spelled_out(node, place, out);
            false
        }
    }
}

/// A path in the middle of the program that starts at the crate or at the module around.
fn spelled_out(node: Node<'_>, place: &NodeContext<'_, '_>, out: &mut Vec<Import>) {
    let text = place.of(node);
    let rooted = text.starts_with("crate::") || text.starts_with("super::");
    if !rooted || place.parent().starts_with("scoped_") || text.contains(char::is_whitespace) || text.contains('<') {
        return;
    }
    let known = out.iter().rev().take(50).any(|it| it.what == text);
    if !known && !place.above.iter().any(|it| it.kind() == "mod_item" && text.starts_with("super::")) {
        out.push(Import::new(text, &[], node, ImportKind::Relative));
    }
}

/// `mod name;`, perhaps with the path of its file.
fn module(node: Node<'_>, place: &NodeContext<'_, '_>, out: &mut Vec<Import>) {
    let Some(name) = field_text(node, "name", place.text) else { return };
    let mut before = node.prev_sibling();
    while let Some(it) = before.filter(|it| matches!(it.kind(), "attribute_item" | "line_comment" | "block_comment")) {
        let words = place.of(it);
        if let Some(path) = words.strip_prefix("#[path").and_then(|it| it.split('"').nth(1)) {
            out.push(Import::new(path, &[name], node, ImportKind::Relative));
            return;
        }
        before = it.prev_sibling();
    }
    let inline = place.above.iter().filter(|it| it.kind() == "mod_item");
    let inline = inline.filter_map(|it| field_text(*it, "name", place.text));
    let what = inline.fold(String::from("self::"), |path, it| path + it + "::") + name;
    out.push(Import::new(&what, &[name], node, ImportKind::Relative));
}

/// The paths of a `use`, each on its own; a stack takes the place of recursion.
fn paths(argument: Node<'_>, text: &str, at: Node<'_>, out: &mut Vec<Import>) {
    let mut stack = vec![(argument, String::new())];
    let most = out.len() + MOST_PATHS;
    while let Some((node, prefix)) = stack.pop() {
        if out.len() >= most {
            return;
        }
        let own = |field: &str| field_text(node, field, text).unwrap_or_default();
        match node.kind() {
            "scoped_use_list" => {
                let path = join(&prefix, own("path"));
                stack.extend(node.child_by_field_name("list").map(|it| (it, path)));
            }
            "use_list" => {
                let mut cursor = node.walk();
                let inner: Vec<Node<'_>> = node.named_children(&mut cursor).collect();
                stack.extend(inner.into_iter().rev().map(|it| (it, prefix.clone())));
            }
            "use_as_clause" => {
                let path = join(&prefix, own("path"));
                let name = path.rsplit("::").next().unwrap_or_default();
                out.push(Import::new(&path, &[name, own("alias")], at, kind_of(&path)));
            }
            "use_wildcard" => {
                let path = join(&prefix, &text[node.byte_range()]);
                out.push(Import::new(&path, &["*"], at, kind_of(&path)));
            }
            "line_comment" | "block_comment" => {}
            _ => {
                let path = join(&prefix, &text[node.byte_range()]);
                let path = path.strip_suffix("::self").unwrap_or(&path);
                let name = path.rsplit("::").next().unwrap_or_default();
                out.push(Import::new(path, &[name], at, kind_of(path)));
            }
        }
    }
}

fn join(prefix: &str, path: &str) -> String {
    let path: String = path.split_whitespace().collect();
    let path = path.trim_start_matches("::");
    if prefix.is_empty() || path.is_empty() { format!("{prefix}{path}") } else { format!("{prefix}::{path}") }
}

fn kind_of(path: &str) -> ImportKind {
    match path.split("::").next().unwrap_or_default() {
        "crate" | "self" | "super" => ImportKind::Relative,
        "std" | "core" | "alloc" | "proc_macro" | "test" => ImportKind::System,
        _ => ImportKind::Absolute,
    }
}

/// A path as it reads outside of so many modules within the file.
fn outward(import: &mut Import, depth: usize) {
    for _ in 0..depth {
        match import.what.strip_prefix("super::") {
            Some(rest) if rest.starts_with("super") => import.what = rest.to_string(),
            Some(rest) => import.what = format!("self::{rest}"),
            None => return,
        }
    }
}
