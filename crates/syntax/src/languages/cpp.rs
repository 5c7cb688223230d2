//! C++: C's definitions, with namespaces, templates, and members that are defined outside of their class.

use tree_sitter::Node;

use super::c;
use super::grammar::{Grammar, Item, NodeContext, children_of, field_text};
use crate::definitions::SymbolKind;

pub(super) static GRAMMAR: Grammar = Grammar {
    name: "C++",
    endings: &["cc", "cpp", "cxx", "hh", "hpp", "hxx", "ipp", "inl", "cu", "cuh"],
    language: || tree_sitter_cpp::LANGUAGE.into(),
    separator: "::",
    item,
    items: &[
        "function_definition",
        "declaration",
        "field_declaration",
        "struct_specifier",
        "union_specifier",
        "enum_specifier",
        "class_specifier",
        "type_definition",
        "preproc_def",
        "preproc_function_def",
        "namespace_definition",
        "alias_declaration",
        "concept_definition",
    ],
    is_wrapper: |node| match node.kind() {
        "template_declaration" => true,
        "linkage_specification" => children_of(node, &["declaration_list"]) == 0,
        _ => false,
    },
    takes_semicolon: true,
    import_kinds: &["preproc_include"],
    import: c::import,
    names: &["identifier", "field_identifier", "namespace_identifier"],
    uses: include_str!("uses/c.txt"),
    exported: c::exported,
    test: c::test,
    literals: &["string_literal", "raw_string_literal"],
    ..Grammar::BASE
};

/// A header may be of either language.
pub(super) static HEADER: Grammar = Grammar {
    name: "C",
    endings: &["h"],
    language: || tree_sitter_c::LANGUAGE.into(),
    separator: "::",
    item: c::item,
    items: c::ITEMS,
    is_wrapper: c::is_wrapper,
    takes_semicolon: true,
    import_kinds: &["preproc_include"],
    import: c::import,
    uses: include_str!("uses/c.txt"),
    exported: c::exported,
    test: c::test,
    literals: &["string_literal"],
    fallback: Some(&GRAMMAR),
    ..Grammar::BASE
};

fn item<'t>(node: Node<'t>, place: &NodeContext<'t, '_>) -> Option<Item<'t>> {
    match node.kind() {
        "namespace_definition" => namespace(node, place.text),
        "alias_declaration" | "concept_definition" => Item::named(SymbolKind::Type, node, place.text),
        _ => c::item(node, place),
    }
}

/// A namespace without a name gives none to what is inside.
fn namespace<'t>(node: Node<'t>, text: &str) -> Option<Item<'t>> {
    let name = field_text(node, "name", text);
    let item = Item::new(SymbolKind::Module, "", node).with_braces(node.child_by_field_name("body"));
    Some(match name {
        Some(name) => {
            let (before, name) = c::path(name);
            Item { name: Some(name), before, ..item }
        }
        None => Item { name: None, scope: Some(Vec::new()), ..item },
    })
}
