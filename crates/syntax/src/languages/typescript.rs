//! TypeScript, with and without tags: JavaScript's definitions, and its own for types. Each signature of an overloaded
//! function is a definition.

use tree_sitter::Node;

use super::grammar::{Grammar, Item, NodeContext};
use super::javascript;
use super::script;
use crate::definitions::SymbolKind;

pub(super) static GRAMMAR: Grammar = Grammar {
    name: "TypeScript",
    endings: &["ts", "mts", "cts"],
    language: || tree_sitter_typescript::LANGUAGE_TYPESCRIPT.into(),
    item,
    is_wrapper: |node| {
        javascript::is_wrapper(node)
            || (node.kind() == "expression_statement"
                && node.named_child(0).is_some_and(|it| it.kind() == "internal_module"))
    },
    items: ITEMS,
    leading: javascript::LEADS,
    literals: &["template_string"],
    takes_semicolon: true,
    import_kinds: script::IMPORTS,
    import: script::import,
    names: script::NAMES,
    uses: include_str!("uses/script.txt"),
    exported: javascript::exported,
    ..Grammar::BASE
};

pub(super) static GRAMMAR_WITH_TAGS: Grammar = Grammar {
    name: "TypeScript",
    endings: &["tsx"],
    language: || tree_sitter_typescript::LANGUAGE_TSX.into(),
    item,
    is_wrapper: javascript::is_wrapper,
    items: ITEMS,
    leading: javascript::LEADS,
    literals: &["template_string"],
    takes_semicolon: true,
    import_kinds: script::IMPORTS,
    import: script::import,
    names: script::NAMES,
    uses: include_str!("uses/script.txt"),
    exported: javascript::exported,
    ..Grammar::BASE
};

const ITEMS: &[&str] = &[
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
    "interface_declaration",
    "enum_declaration",
    "abstract_class_declaration",
    "type_alias_declaration",
    "function_signature",
    "abstract_method_signature",
    "method_signature",
    "internal_module",
    "module",
    "public_field_definition",
    "property_signature",
];

fn item<'t>(node: Node<'t>, place: &NodeContext<'t, '_>) -> Option<Item<'t>> {
    let text = place.text;
    match node.kind() {
        "interface_declaration" | "enum_declaration" | "abstract_class_declaration" => {
            Item::named(SymbolKind::Type, node, text)
        }
        "type_alias_declaration" => {
            let value = node.child_by_field_name("value").filter(|it| it.kind() == "object_type");
            Some(Item::named(SymbolKind::Type, node, text)?.with_braces(value))
        }
        "function_signature" | "abstract_method_signature" | "method_signature" => {
            Item::named(SymbolKind::Function, node, text)
        }
        "internal_module" | "module" => {
            let item = Item::named(SymbolKind::Module, node, text)?;
            let name = item.name.as_deref().map(|it| it.trim_matches(['\'', '"']).to_string());
            Some(Item { name, ..item })
        }
        "public_field_definition" => javascript::value(SymbolKind::Value, node, "name", "value", place),
        "property_signature" if place.parent() == "interface_body" => Item::named(SymbolKind::Value, node, text),
        _ => javascript::item(node, place),
    }
}
