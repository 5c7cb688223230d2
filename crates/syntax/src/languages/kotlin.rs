//! Kotlin. What is in a companion object is named as if it were in the class. The grammar takes valid bodies on one line
//! for faulty, so faults are not looked for.

use tree_sitter::Node;

use super::grammar::{Grammar, Item, NodeContext, child_of, field_text, package};
use crate::definitions::{BodyForm, SymbolKind};
use crate::facts::{Import, ImportKind};

pub(super) static GRAMMAR: Grammar = Grammar {
    name: "Kotlin",
    language: || tree_sitter_kotlin_ng::LANGUAGE.into(),
    item,
    import,
    table: include_str!("kotlin.txt"),
    exported: |it| !it.has("private"),
    test: |it| it.kind == SymbolKind::Function && it.marked(&["@Test", "@ParameterizedTest"]),
    package: |root, text| package(root, "package_header", text),
    ..Grammar::BASE
};

fn item<'t>(node: Node<'t>, place: &NodeContext<'t, '_>) -> Option<Item<'t>> {
    let text = place.text;
    let name = || child_of(node, &["identifier"]).map(|it| place.of(it));
    match node.kind() {
        "class_declaration" | "object_declaration" => {
            let body = child_of(node, &["class_body", "enum_class_body"]);
            Some(Item::new(SymbolKind::Type, field_text(node, "name", text).or_else(name)?, node).with_braces(body))
        }
        "companion_object" => {
            Some(Item { name: None, scope: Some(Vec::new()), ..Item::new(SymbolKind::Type, "", node) })
        }
        "function_declaration" => {
            let item = Item::new(SymbolKind::Function, field_text(node, "name", text)?, node);
            Some(with_body(item, child_of(node, &["function_body"])))
        }
        "secondary_constructor" => {
            Some(Item::new(SymbolKind::Function, "constructor", node).with_braces(child_of(node, &["block"])))
        }
        "type_alias" => Some(Item::new(SymbolKind::Type, field_text(node, "type", text).or_else(name)?, node)),
        _ if place.in_function => None,
        _ => {
            let variable = child_of(node, &["variable_declaration"])?;
            Some(Item::new(SymbolKind::Value, place.of(child_of(variable, &["identifier"])?), node))
        }
    }
}

/// A body in braces, or the expression behind `=`.
fn with_body<'t>(item: Item<'t>, body: Option<Node<'t>>) -> Item<'t> {
    let Some(body) = body else { return item };
    match child_of(body, &["block"]) {
        Some(block) => item.with_braces(Some(block)),
        None => {
            let inner = body.named_child(0).map(|it| (it.byte_range(), BodyForm::Expression));
            Item { body: inner, head_end: Some(body.start_byte()), ..item }
        }
    }
}

/// `import a.b.C`, `import a.b.*`, `import a.b.C as D`.
fn import(node: Node<'_>, place: &NodeContext<'_, '_>, out: &mut Vec<Import>) -> bool {
    if node.kind() == "import" {
        let words = place.of(node).trim_start_matches("import").trim().trim_end_matches(';');
        let (path, alias) = words.split_once(" as ").map_or((words, None), |(path, alias)| (path, Some(alias.trim())));
        let what: String = path.split_whitespace().collect();
        let name = what.rsplit('.').next().unwrap_or_default().to_string();
        let kind = ImportKind::of(&what, &["java.", "javax.", "kotlin."]);
        let names: Vec<&str> = [Some(name.as_str()), alias].into_iter().flatten().collect();
        out.push(Import::new(&what, &names, node, kind));
    }
    true
}
