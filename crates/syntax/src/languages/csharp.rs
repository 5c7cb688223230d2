//! C#. A constructor has the name of its class, a finaliser `~Class`, an indexer is `this`; namespaces in braces are part of
//! the qualified names, one for the whole file is its package.

use tree_sitter::Node;

use super::grammar::{Grammar, Item, NodeContext, child_of, children_of, field_text, package};
use crate::definitions::SymbolKind;
use crate::facts::{Import, ImportKind};

pub(super) static GRAMMAR: Grammar = Grammar {
    name: "C#",
    language: || tree_sitter_c_sharp::LANGUAGE.into(),
    item,
    import,
    table: include_str!("csharp.txt"),
    exported: |it| {
        let of_interface = it.parent.is_some_and(|(_, head)| head.split_whitespace().any(|word| word == "interface"));
        let top = it.kind == SymbolKind::Module || it.parent.is_none_or(|(kind, _)| kind == SymbolKind::Module);
        top || of_interface || it.has("public") || it.has("internal") || it.has("protected")
    },
    test: |it| {
        let marks = ["[Test", "[Fact", "[Theory", "[TestMethod", "[DataTestMethod"];
        it.kind == SymbolKind::Function && it.marked(&marks)
    },
    package: |root, text| package(root, "file_scoped_namespace_declaration", text),
    ..Grammar::BASE
};

fn item<'t>(node: Node<'t>, place: &NodeContext<'t, '_>) -> Option<Item<'t>> {
    let text = place.text;
    match node.kind() {
        "namespace_declaration" => {
            let mut before: Vec<String> = field_text(node, "name", text)?.split('.').map(str::to_string).collect();
            let name = before.pop()?;
            let body = node.child_by_field_name("body");
            Some(Item { before, ..Item::new(SymbolKind::Module, name, node).with_braces(body) })
        }
        "method_declaration" | "constructor_declaration" | "local_function_statement" => function(node, text),
        "destructor_declaration" => {
            let item = Item::named(SymbolKind::Function, node, text)?;
            Some(Item { name: item.name.as_ref().map(|it| format!("~{it}")), ..item })
        }
        "operator_declaration" => {
            let sign = field_text(node, "operator", text)?;
            let body = node.child_by_field_name("body");
            Some(Item::new(SymbolKind::Function, format!("operator {sign}"), node).with_braces(body))
        }
        "indexer_declaration" => {
            let body = node.child_by_field_name("accessors");
            Some(Item::new(SymbolKind::Function, "this", node).with_braces(body))
        }
        "property_declaration" | "event_declaration" => {
            let body = node.child_by_field_name("accessors");
            Some(Item::new(SymbolKind::Value, field_text(node, "name", text)?, node).with_braces(body))
        }
        _ => field(node, place),
    }
}

/// A method; one whose body is an expression has none that can be set off.
fn function<'t>(node: Node<'t>, text: &str) -> Option<Item<'t>> {
    let item = Item::named(SymbolKind::Function, node, text)?;
    let arrow = node.child_by_field_name("body").filter(|it| it.kind() == "arrow_expression_clause");
    Some(Item { head_end: arrow.map(|it| it.start_byte()).or(item.head_end), ..item })
}

/// A field that declares one name.
fn field<'t>(node: Node<'t>, place: &NodeContext<'t, '_>) -> Option<Item<'t>> {
    let declaration = child_of(node, &["variable_declaration"])?;
    if children_of(declaration, &["variable_declarator"]) != 1 {
        return None;
    }
    let declarator = child_of(declaration, &["variable_declarator"])?;
    let name = field_text(declarator, "name", place.text)?;
    Some(Item::new(SymbolKind::Value, name, node))
}

/// `using A.B;`, `using static A.B;`, `using X = A.B;`.
fn import(node: Node<'_>, place: &NodeContext<'_, '_>, out: &mut Vec<Import>) -> bool {
    if node.kind() == "file_scoped_namespace_declaration" {
        // With some versions of the grammar what follows is inside; only the name is no use of anything.
        return node.child_by_field_name("body").is_none() && children_of(node, &["class_declaration"]) == 0;
    }
    let words = place.of(node).trim_end_matches(';').trim();
    let words = words.trim_start_matches("global ").trim_start_matches("using ").trim_start();
    let words = words.trim_start_matches("static ").trim_start();
    let (alias, what) = words.split_once('=').map_or((None, words), |(alias, what)| (Some(alias.trim()), what.trim()));
    let system = what == "System" || what.starts_with("System.") || what.starts_with("Microsoft.");
    let kind = if system { ImportKind::System } else { ImportKind::Absolute };
    out.push(Import::new(what, &[alias.unwrap_or("*")], node, kind));
    true
}
