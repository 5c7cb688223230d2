//! Go. A method is `T.m` whether its receiver is a pointer or not.

use tree_sitter::Node;

use super::{Grammar, Item, Kind, Place, children_of, field_text};

pub(super) static GRAMMAR: Grammar = Grammar {
    name: "Go",
    endings: &["go"],
    language: || tree_sitter_go::LANGUAGE.into(),
    item,
    items: &[
        "function_declaration",
        "method_declaration",
        "method_elem",
        "method_spec",
        "type_spec",
        "type_alias",
        "const_spec",
        "var_spec",
    ],
    wraps: |node| {
        matches!(node.kind(), "type_declaration" | "const_declaration" | "var_declaration")
            && children_of(node, &["(", "var_spec_list"]) == 0
    },
    literals: &["raw_string_literal"],
    package: |root, text| {
        let mut cursor = root.walk();
        let clause = root.children(&mut cursor).find(|it| it.kind() == "package_clause")?;
        Some(text[clause.named_child(0)?.byte_range()].to_string())
    },
    ..Grammar::BASE
};

fn item<'t>(node: Node<'t>, place: &Place<'t, '_>) -> Option<Item<'t>> {
    let text = place.text;
    match node.kind() {
        "function_declaration" => Item::named(Kind::Function, node, text),
        "method_declaration" => {
            let receiver = receiver(field_text(node, "receiver", text)?)?;
            Some(Item { before: vec![receiver], ..Item::named(Kind::Function, node, text)? })
        }
        "method_elem" | "method_spec" => Item::named(Kind::Function, node, text),
        "type_spec" | "type_alias" if !place.in_function => {
            let inner = node.child_by_field_name("type");
            let block = inner.and_then(|it| if it.kind() == "struct_type" { it.named_child(0) } else { Some(it) });
            Some(Item::named(Kind::Type, node, text)?.with_braces(block))
        }
        "const_spec" | "var_spec" if !place.in_function => {
            let mut cursor = node.walk();
            let names: Vec<Node<'_>> = node.children_by_field_name("name", &mut cursor).collect();
            let name = names.first().map(|it| place.of(*it)).filter(|it| names.len() == 1 && *it != "_")?;
            Some(Item::new(Kind::Value, name, node))
        }
        _ => None,
    }
}

/// The type's name in `(x *T[K])`.
fn receiver(text: &str) -> Option<String> {
    let inner = text.trim_start_matches('(').trim_end_matches(')').trim();
    let bare = inner.split('[').next()?.trim();
    let name = bare.rsplit([' ', '*', '\t']).next()?;
    (!name.is_empty()).then(|| name.to_string())
}
