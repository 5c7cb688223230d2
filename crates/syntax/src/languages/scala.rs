//! Scala, of both syntaxes. An object and its class have the same name. Bodies that are set off by indentation alone are
//! part of the whole only. Newer syntax is taken for faulty by the grammar, so faults are not looked for.

use tree_sitter::Node;

use super::grammar::{Grammar, Item, NodeContext, braces, field_text};
use crate::definitions::{BodyForm, SymbolKind};
use crate::facts::{Import, ImportKind};

pub(super) static GRAMMAR: Grammar = Grammar {
    name: "Scala",
    language: || tree_sitter_scala::LANGUAGE.into(),
    item,
    import,
    table: include_str!("scala.txt"),
    exported: |it| !it.has("private"),
    test: |it| it.kind == SymbolKind::Function && it.before.contains("@Test"),
    package: |root, text| {
        let mut cursor = root.walk();
        let clauses = root.children(&mut cursor).filter(|it| it.kind() == "package_clause");
        let names: Vec<&str> = clauses.filter_map(|it| field_text(it, "name", text)).collect();
        (!names.is_empty()).then(|| names.join(".").split_whitespace().collect())
    },
    ..Grammar::BASE
};

fn item<'t>(node: Node<'t>, place: &NodeContext<'t, '_>) -> Option<Item<'t>> {
    let kind = match node.kind() {
        "class_definition" | "object_definition" | "trait_definition" | "enum_definition" => SymbolKind::Type,
        "package_object" => SymbolKind::Module,
        "type_definition" => SymbolKind::Type,
        "function_definition" | "function_declaration" => SymbolKind::Function,
        _ if place.in_function => return None,
        _ => SymbolKind::Value,
    };
    let name = ["name", "pattern"].iter().find_map(|field| node.child_by_field_name(field))?;
    if !matches!(name.kind(), "identifier" | "type_identifier" | "operator_identifier") {
        return None;
    }
    let item = Item::new(kind, place.of(name).trim_matches('`'), node);
    let Some(body) = node.child_by_field_name("body") else { return Some(item) };
    if braces(body).is_some() {
        return Some(item.with_braces(Some(body)));
    }
    let head = place.text[..body.start_byte()].trim_end().trim_end_matches('=').trim_end().len();
    let plain = (kind == SymbolKind::Function).then(|| (body.byte_range(), BodyForm::Expression));
    Some(Item { body: plain, head_end: Some(head.max(name.end_byte())), ..item })
}

/// `import a.b.C`, `import a.{B, C => D}`, `import a.b._`, several with commas.
fn import(node: Node<'_>, place: &NodeContext<'_, '_>, out: &mut Vec<Import>) -> bool {
    if node.kind() == "package_clause" {
        return node.child_by_field_name("body").is_none();
    }
    let words: String = place.of(node).trim_start_matches("import").split_whitespace().collect::<Vec<_>>().join(" ");
    let mut depth = 0usize;
    let clauses = words.split(|c: char| {
        depth = if c == '{' { depth + 1 } else { depth };
        depth = if c == '}' { depth.saturating_sub(1) } else { depth };
        c == ',' && depth == 0
    });
    for clause in clauses.map(str::trim).filter(|it| !it.is_empty()) {
        let (prefix, list) = match clause.split_once('{') {
            Some((prefix, list)) => (prefix.trim().trim_end_matches('.'), list.trim_end_matches('}')),
            None => clause.rsplit_once('.').unwrap_or(("", clause)),
        };
        for name in list.split(',').map(str::trim).filter(|it| !it.is_empty()) {
            selected(prefix, name, node, out);
        }
    }
    true
}

/// One name of an import, perhaps with another that stands for it.
fn selected(prefix: &str, name: &str, at: Node<'_>, out: &mut Vec<Import>) {
    let (name, alias) = match name.split_once("=>").or_else(|| name.split_once(" as ")) {
        Some((name, alias)) => (name.trim(), Some(alias.trim())),
        None => (name, None),
    };
    let name = if matches!(name, "_" | "given") { "*" } else { name };
    let what = if prefix.is_empty() { name.to_string() } else { format!("{prefix}.{name}") };
    let kind = ImportKind::of(&what, &["scala.", "java.", "javax."]);
    let names: Vec<&str> = [Some(name), alias.filter(|it| *it != "_")].into_iter().flatten().collect();
    out.push(Import::new(&what, &names, at, kind));
}
