//! C++: C's definitions, with namespaces, templates, and members that are defined outside of their class.

use tree_sitter::Node;

use super::c;
use super::grammar::{Grammar, Item, NodeContext, children_of, field_text};
use crate::definitions::SymbolKind;

pub(super) static GRAMMAR: Grammar = Grammar {
    name: "C++",
    language: || tree_sitter_cpp::LANGUAGE.into(),
    item,
    is_wrapper: |node| match node.kind() {
        "template_declaration" => true,
        "linkage_specification" => children_of(node, &["declaration_list"]) == 0,
        _ => false,
    },
    ..c::FAMILY
};

/// A header may be of either language.
pub(super) static HEADER: Grammar = Grammar { fallback: Some(&GRAMMAR), ..c::FAMILY };

fn item<'t>(node: Node<'t>, place: &NodeContext<'t, '_>) -> Option<Item<'t>> {
    match node.kind() {
        "namespace_definition" => namespace(node, place.text),
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
