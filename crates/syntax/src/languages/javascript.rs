//! JavaScript, and what TypeScript shares with it. Functions that are values of constants, properties and fields count as
//! functions; `exports.f = …` is `f` and `T.prototype.m = …` is `T.m`.

use tree_sitter::Node;

use super::grammar::{DefinitionContext, Grammar, Item, Leading, NodeContext, children_of};
use super::script;
use crate::definitions::{BodyForm, SymbolKind};

pub(super) static GRAMMAR: Grammar = Grammar {
    name: "JavaScript",
    endings: &["js", "jsx", "mjs", "cjs"],
    language: || tree_sitter_javascript::LANGUAGE.into(),
    item,
    items: ITEMS,
    is_wrapper,
    leading: LEADS,
    literals: &["template_string"],
    takes_semicolon: true,
    import_kinds: script::IMPORTS,
    import: script::import,
    names: script::NAMES,
    uses: include_str!("uses/script.txt"),
    exported,
    ..Grammar::BASE
};

pub(super) fn is_wrapper(node: Node<'_>) -> bool {
    match node.kind() {
        "export_statement" | "ambient_declaration" => true,
        "lexical_declaration" | "variable_declaration" => children_of(node, &["variable_declarator"]) == 1,
        _ => false,
    }
}

pub(super) const LEADS: &[(&str, Leading)] = &[("comment", Leading::Comment), ("decorator", Leading::Attribute)];
pub(super) const ITEMS: &[&str] = &[
    "function_declaration",
    "generator_function_declaration",
    "class_declaration",
    "method_definition",
    "field_definition",
    "variable_declarator",
    "pair",
    "expression_statement",
    "function_expression",
    "arrow_function",
    "class",
    "object",
];

pub(super) fn item<'t>(node: Node<'t>, place: &NodeContext<'t, '_>) -> Option<Item<'t>> {
    let text = place.text;
    match node.kind() {
        "function_declaration" | "generator_function_declaration" => Item::named(SymbolKind::Function, node, text),
        "class_declaration" => Item::named(SymbolKind::Type, node, text),
        "method_definition" => {
            let item = Item::named(SymbolKind::Function, node, text)?;
            Some(Item { listed: place.parent() == "object", ..item })
        }
        "field_definition" => value(SymbolKind::Value, node, "property", "value", place),
        "variable_declarator" => declarator(node, place),
        "pair" => pair(node, place),
        "expression_statement" => assigned(node, place),
        // The default export may have no name of its own.
        "function_expression" | "arrow_function" | "class" | "object" if place.parent() == "export_statement" => {
            Some(function_of(Item::new(SymbolKind::Function, "default", node), node))
        }
        _ => None,
    }
}

/// A name and its value; of functions the body is theirs.
pub(super) fn value<'t>(
    kind: SymbolKind,
    node: Node<'t>,
    name: &str,
    value: &str,
    place: &NodeContext<'t, '_>,
) -> Option<Item<'t>> {
    let name = node.child_by_field_name(name)?;
    if matches!(name.kind(), "object_pattern" | "array_pattern") {
        return None;
    }
    let item = Item::new(kind, place.of(name).trim_matches(['\'', '"']), node);
    Some(match node.child_by_field_name(value) {
        Some(value) => function_of(item, value),
        None => item,
    })
}

/// A variable with a name. Inside of functions only those count that are functions themselves.
fn declarator<'t>(node: Node<'t>, place: &NodeContext<'t, '_>) -> Option<Item<'t>> {
    let alone = place.above.last().is_some_and(|it| is_wrapper(*it));
    // A variable of a `for` is none of the file's.
    let of_loop = place.above.iter().rev().nth(1).is_some_and(|it| it.kind().starts_with("for_"));
    let item = value(SymbolKind::Value, node, "name", "value", place).filter(|_| alone && !of_loop)?;
    (!place.in_function || item.kind == SymbolKind::Function).then_some(item)
}

/// A property of an object that is a value of the file, if it is a function or has functions.
fn pair<'t>(node: Node<'t>, place: &NodeContext<'t, '_>) -> Option<Item<'t>> {
    let item = value(SymbolKind::Value, node, "key", "value", place)?;
    let worth = item.kind == SymbolKind::Function || (item.body.is_some() && !place.in_function);
    let object = place.above.iter().rev().nth(1).map_or("", |it| it.kind());
    let defines = matches!(object, "variable_declarator" | "pair" | "assignment_expression" | "export_statement");
    (worth && defines).then_some(Item { listed: true, ..item })
}

/// `a.b = function …` as a statement of the file.
fn assigned<'t>(node: Node<'t>, place: &NodeContext<'t, '_>) -> Option<Item<'t>> {
    let inner = node.named_child(0).filter(|it| it.kind() == "assignment_expression")?;
    let left = inner.child_by_field_name("left").filter(|it| it.kind() == "member_expression")?;
    let parts: Vec<&str> = place.of(left).split('.').map(str::trim).collect();
    let is_name = |it: &&str| !it.is_empty() && it.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '$'));
    if place.in_function || !parts.iter().all(is_name) {
        return None;
    }
    let known = ["module", "exports", "prototype", "window", "globalThis"];
    let mut parts: Vec<String> = parts.into_iter().filter(|it| !known.contains(it)).map(str::to_string).collect();
    let name = parts.pop().unwrap_or_else(|| "exports".into());
    let item = function_of(Item::new(SymbolKind::Value, name, node), inner.child_by_field_name("right")?);
    Some(Item { before: parts, ..item })
}

/// The item with the kind and body of its value.
fn function_of<'t>(item: Item<'t>, value: Node<'t>) -> Item<'t> {
    match value.kind() {
        "function_expression" | "generator_function" => {
            Item { kind: SymbolKind::Function, ..item.with_braces(value.child_by_field_name("body")) }
        }
        "arrow_function" => {
            let body = value.child_by_field_name("body");
            let braced = item.with_braces(body.filter(|it| it.kind() == "statement_block"));
            let plain = body.map(|it| (it.byte_range(), BodyForm::Expression));
            Item { kind: SymbolKind::Function, body: braced.body.clone().or(plain), ..braced }
        }
        "class" => Item { kind: SymbolKind::Type, ..item.with_braces(value.child_by_field_name("body")) },
        "object" => Item { kind: SymbolKind::Value, ..item.with_braces(Some(value)) },
        _ => item,
    }
}

/// True for what others may name: privacy is by a mark or a word, all else of an exported thing is open.
pub(super) fn exported(it: &DefinitionContext<'_>) -> bool {
    let open = !it.name.starts_with('#') && !it.has("private") && !it.has("protected");
    let top = it.parent.is_none();
    open && (!top || it.has("export") || it.head.starts_with("exports.") || it.head.starts_with("module.exports"))
}
