//! Java. A constructor has the name of its class: `Class.Class`.

use tree_sitter::Node;

use super::{Grammar, Item, Kind, Lead, Place, children_of, field_text};

pub(super) static GRAMMAR: Grammar = Grammar {
    name: "Java",
    endings: &["java"],
    language: || tree_sitter_java::LANGUAGE.into(),
    item,
    items: &[
        "class_declaration",
        "interface_declaration",
        "enum_declaration",
        "record_declaration",
        "annotation_type_declaration",
        "method_declaration",
        "constructor_declaration",
        "compact_constructor_declaration",
        "annotation_type_element_declaration",
        "field_declaration",
        "constant_declaration",
    ],
    leads: &[("line_comment", Lead::Comment), ("block_comment", Lead::Comment)],
    literals: &["string_literal"],
    package: |root, text| {
        let mut cursor = root.walk();
        let clause = root.children(&mut cursor).find(|it| it.kind() == "package_declaration")?;
        Some(text[clause.named_child(clause.named_child_count().checked_sub(1)? as u32)?.byte_range()].to_string())
    },
    ..Grammar::BASE
};

fn item<'t>(node: Node<'t>, place: &Place<'t, '_>) -> Option<Item<'t>> {
    let text = place.text;
    match node.kind() {
        "class_declaration"
        | "interface_declaration"
        | "enum_declaration"
        | "record_declaration"
        | "annotation_type_declaration" => Item::named(Kind::Type, node, text),
        "method_declaration"
        | "constructor_declaration"
        | "compact_constructor_declaration"
        | "annotation_type_element_declaration" => Item::named(Kind::Function, node, text),
        "field_declaration" | "constant_declaration" if children_of(node, &["variable_declarator"]) == 1 => {
            let name = field_text(node.child_by_field_name("declarator")?, "name", text)?;
            Some(Item::new(Kind::Value, name, node))
        }
        _ => None,
    }
}
