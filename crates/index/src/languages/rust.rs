//! Rust. A method is `Type::method` whichever implementation it is in; for which trait is told beside it.

use tree_sitter::Node;

use super::{Grammar, Item, Kind, Lead, Place, field_text};

pub(super) static GRAMMAR: Grammar = Grammar {
    name: "Rust",
    endings: &["rs"],
    language: || tree_sitter_rust::LANGUAGE.into(),
    separator: "::",
    item,
    items: &[
        "function_item",
        "function_signature_item",
        "struct_item",
        "enum_item",
        "union_item",
        "trait_item",
        "type_item",
        "associated_type",
        "mod_item",
        "const_item",
        "static_item",
        "macro_definition",
        "impl_item",
    ],
    leads: &[("attribute_item", Lead::Attribute), ("line_comment", Lead::Comment), ("block_comment", Lead::Comment)],
    is_apart: |node, text| text[node.byte_range()].starts_with("//!") || text[node.byte_range()].starts_with("/*!"),
    literals: &["string_literal", "raw_string_literal"],
    ..Grammar::BASE
};

fn item<'t>(node: Node<'t>, place: &Place<'t, '_>) -> Option<Item<'t>> {
    let text = place.text;
    match node.kind() {
        "function_item" => Item::named(Kind::Function, node, text),
        "function_signature_item" => Item::named(Kind::Function, node, text),
        "struct_item" | "enum_item" | "union_item" | "trait_item" | "type_item" | "associated_type" => {
            Item::named(Kind::Type, node, text)
        }
        "mod_item" => Item::named(Kind::Module, node, text),
        "const_item" | "static_item" if field_text(node, "name", text) != Some("_") => {
            Item::named(Kind::Value, node, text)
        }
        "macro_definition" => Some(Item::named(Kind::Value, node, text)?.with_braces(Some(node))),
        "impl_item" => implementation(node, text),
        _ => None,
    }
}

fn implementation<'t>(node: Node<'t>, text: &str) -> Option<Item<'t>> {
    let of = bare(node.child_by_field_name("type")?, text);
    let via = node.child_by_field_name("trait").map(|it| format!("{} for {of}", bare(it, text)));
    let name = format!("impl {}", via.as_deref().unwrap_or(&of));
    let item = Item::new(Kind::Impl, name, node).with_braces(node.child_by_field_name("body"));
    Some(Item { scope: Some(vec![of]), via, ..item })
}

/// The name of a type without its path and its parameters.
fn bare(node: Node<'_>, text: &str) -> String {
    let inner = match node.kind() {
        "generic_type" => node.child_by_field_name("type"),
        "reference_type" | "pointer_type" => node.child_by_field_name("type"),
        "scoped_type_identifier" => node.child_by_field_name("name"),
        "dynamic_type" => node.child_by_field_name("trait"),
        _ => None,
    };
    match inner {
        Some(inner) => bare(inner, text),
        None => text[node.byte_range()].split_whitespace().collect::<Vec<_>>().join(" "),
    }
}
