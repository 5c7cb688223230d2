//! JavaScript and TypeScript, with and without tags. Functions that are values of constants, properties and fields count as
//! functions; `exports.f = …` is `f` and `T.prototype.m = …` is `T.m`. Each signature of an overloaded function is a definition.

use tree_sitter::Node;

use super::grammar::{DefinitionContext, Grammar, Item, NodeContext, children_of};
use super::script;
use crate::definitions::{BodyForm, SymbolKind};

/// What JavaScript and TypeScript share. What only one of them has is not met in the other.
const FAMILY: Grammar = Grammar {
    name: "TypeScript",
    table: include_str!("script.txt"),
    item,
    is_wrapper,
    import: script::import,
    exported,
    ..Grammar::BASE
};

pub(super) static JAVASCRIPT: Grammar =
    Grammar { name: "JavaScript", language: || tree_sitter_javascript::LANGUAGE.into(), ..FAMILY };
pub(super) static TYPESCRIPT: Grammar =
    Grammar { language: || tree_sitter_typescript::LANGUAGE_TYPESCRIPT.into(), ..FAMILY };
/// TypeScript with tags.
pub(super) static TSX: Grammar = Grammar { language: || tree_sitter_typescript::LANGUAGE_TSX.into(), ..FAMILY };

fn is_wrapper(node: Node<'_>) -> bool {
    match node.kind() {
        "export_statement" | "ambient_declaration" => true,
        "lexical_declaration" | "variable_declaration" => children_of(node, &["variable_declarator"]) == 1,
        "expression_statement" => node.named_child(0).is_some_and(|it| it.kind() == "internal_module"),
        _ => false,
    }
}

fn item<'t>(node: Node<'t>, place: &NodeContext<'t, '_>) -> Option<Item<'t>> {
    let text = place.text;
    match node.kind() {
        "type_alias_declaration" => {
            let value = node.child_by_field_name("value").filter(|it| it.kind() == "object_type");
            Some(Item::named(SymbolKind::Type, node, text)?.with_braces(value))
        }
        "internal_module" | "module" => {
            let item = Item::named(SymbolKind::Module, node, text)?;
            let name = item.name.as_deref().map(|it| it.trim_matches(['\'', '"']).to_string());
            Some(Item { name, ..item })
        }
        "method_definition" => {
            let item = Item::named(SymbolKind::Function, node, text)?;
            Some(Item { listed: place.parent() == "object", ..item })
        }
        "field_definition" => value(node, "property", place),
        "public_field_definition" => value(node, "name", place),
        "property_signature" if place.parent() == "interface_body" => Item::named(SymbolKind::Value, node, text),
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
fn value<'t>(node: Node<'t>, name: &str, place: &NodeContext<'t, '_>) -> Option<Item<'t>> {
    let name = node.child_by_field_name(name)?;
    if matches!(name.kind(), "object_pattern" | "array_pattern") {
        return None;
    }
    let item = Item::new(SymbolKind::Value, place.of(name).trim_matches(['\'', '"']), node);
    Some(match node.child_by_field_name("value") {
        Some(value) => function_of(item, value),
        None => item,
    })
}

/// A variable with a name. Inside of functions only those count that are functions themselves.
fn declarator<'t>(node: Node<'t>, place: &NodeContext<'t, '_>) -> Option<Item<'t>> {
    let alone = place.above.last().is_some_and(|it| is_wrapper(*it));
    // A variable of a `for` is none of the file's.
    let of_loop = place.above.iter().rev().nth(1).is_some_and(|it| it.kind().starts_with("for_"));
    let item = value(node, "name", place).filter(|_| alone && !of_loop)?;
    (!place.in_function || item.kind == SymbolKind::Function).then_some(item)
}

/// A property of an object that is a value of the file, if it is a function or has functions.
fn pair<'t>(node: Node<'t>, place: &NodeContext<'t, '_>) -> Option<Item<'t>> {
    let item = value(node, "key", place)?;
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
fn exported(it: &DefinitionContext<'_>) -> bool {
    let open = !it.name.starts_with('#') && !it.has("private") && !it.has("protected");
    let top = it.parent.is_none();
    open && (!top || it.has("export") || it.head.starts_with("exports.") || it.head.starts_with("module.exports"))
}
