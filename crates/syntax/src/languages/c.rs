//! C, and what C++ shares with it. A prototype is an announcement: the definition is meant where the file has both.

use tree_sitter::Node;

use super::grammar::{DefinitionContext, Grammar, Item, NodeContext, field_text};
use crate::definitions::SymbolKind;
use crate::facts::{Import, ImportKind};

/// What C, its headers and C++ share.
pub(super) const FAMILY: Grammar = Grammar {
    name: "C",
    language: || tree_sitter_c::LANGUAGE.into(),
    table: include_str!("c.txt"),
    item,
    is_wrapper,
    import,
    exported,
    test,
    ..Grammar::BASE
};

pub(super) static GRAMMAR: Grammar = FAMILY;

fn is_wrapper(node: Node<'_>) -> bool {
    node.kind() == "linkage_specification"
        && node.child_by_field_name("body").is_some_and(|it| it.kind() != "declaration_list")
}

pub(super) fn item<'t>(node: Node<'t>, place: &NodeContext<'t, '_>) -> Option<Item<'t>> {
    let text = place.text;
    match node.kind() {
        "function_definition" => {
            let item = declared(SymbolKind::Function, node.child_by_field_name("declarator")?, node, text)?;
            Some(item.with_braces(node.child_by_field_name("body")))
        }
        "declaration" | "field_declaration" => declaration(node, place),
        "struct_specifier" | "union_specifier" | "enum_specifier" | "class_specifier" => specifier(node, place),
        "type_definition" if !place.in_function => {
            let inner = node.child_by_field_name("type");
            let block = inner.and_then(|it| it.child_by_field_name("body"));
            Some(declared(SymbolKind::Type, node.child_by_field_name("declarator")?, node, text)?.with_braces(block))
        }
        _ => None,
    }
}

/// A type that is defined for itself, not as part of a variable's declaration.
fn specifier<'t>(node: Node<'t>, place: &NodeContext<'t, '_>) -> Option<Item<'t>> {
    let around =
        matches!(place.parent(), "declaration" | "field_declaration" | "type_definition" | "parameter_declaration");
    let body = node.child_by_field_name("body")?;
    let alone = !around || place.above.last()?.child_by_field_name("declarator").is_none();
    if !alone || place.in_function {
        return None;
    }
    let (before, name) = path(field_text(node, "name", place.text)?);
    Some(Item { before, ..Item::new(SymbolKind::Type, name, node).with_braces(Some(body)) })
}

/// A prototype, a variable or a field; one that declares several names is none.
fn declaration<'t>(node: Node<'t>, place: &NodeContext<'t, '_>) -> Option<Item<'t>> {
    let mut cursor = node.walk();
    let names: Vec<Node<'_>> = node.children_by_field_name("declarator", &mut cursor).collect();
    let [declarator] = names.as_slice() else { return None };
    if place.in_function {
        return None;
    }
    let is_declaration = is_function(*declarator);
    let kind = if is_declaration { SymbolKind::Function } else { SymbolKind::Value };
    Some(Item { is_declaration, ..declared(kind, *declarator, node, place.text)? })
}

/// True where what is declared takes parameters and is no pointer to something that does.
fn is_function(declarator: Node<'_>) -> bool {
    match declarator.kind() {
        "function_declarator" => {
            declarator.child_by_field_name("declarator").is_some_and(|it| it.kind() != "parenthesized_declarator")
        }
        "operator_cast" => true,
        "pointer_declarator" | "reference_declarator" => {
            let last = declarator.named_child(declarator.named_child_count().saturating_sub(1) as u32);
            last.is_some_and(is_function)
        }
        _ => false,
    }
}

/// The item that a declarator names, through its pointers, arrays and parameters.
fn declared<'t>(kind: SymbolKind, declarator: Node<'_>, node: Node<'t>, text: &str) -> Option<Item<'t>> {
    let mut inner = declarator;
    loop {
        match inner.kind() {
            "identifier"
            | "field_identifier"
            | "type_identifier"
            | "qualified_identifier"
            | "destructor_name"
            | "operator_name"
            | "template_function"
            | "primitive_type" => break,
            "operator_cast" => {
                let kind_of = field_text(inner, "type", text)?;
                return Some(Item::new(kind, format!("operator {kind_of}"), node));
            }
            _ => {}
        }
        inner = match inner.child_by_field_name("declarator") {
            Some(next) => next,
            None => {
                let mut cursor = inner.walk();
                inner.named_children(&mut cursor).find(|it| {
                    it.kind().ends_with("declarator")
                        || it.kind().ends_with("identifier")
                        || it.kind() == "operator_name"
                })?
            }
        };
    }
    let (before, name) = path(&text[inner.byte_range()]);
    Some(Item { before, ..Item::new(kind, name, node) })
}

/// `operator  bool() const` as `operator bool`; calling is an operator too.
fn operator(name: &str) -> String {
    let words = name.split_whitespace().collect::<Vec<_>>().join(" ");
    match words.find('(').filter(|_| !words.starts_with("operator()") && !words.starts_with("operator ()")) {
        Some(at) => words[..at].trim_end().to_string(),
        None => words,
    }
}

/// `a::B<T>::f` as `[a, B]` and `f`.
pub(super) fn path(name: &str) -> (Vec<String>, String) {
    let (scope, last) = match name.find("operator").filter(|at| name[..*at].ends_with("::") || *at == 0) {
        Some(at) => (&name[..at], operator(&name[at..])),
        None => {
            let plain_end = name.rfind("::").map_or(0, |at| at + 2);
            (&name[..plain_end], name[plain_end..].to_string())
        }
    };
    let last = if last.starts_with("operator") { last } else { last.split('<').next().unwrap_or_default().to_string() };
    let mut depth = 0usize;
    let plain: String = scope
        .chars()
        .filter(|c| {
            let opens = *c == '<';
            depth = if opens { depth + 1 } else { depth };
            let keep = depth == 0 && !c.is_whitespace();
            depth = if *c == '>' { depth.saturating_sub(1) } else { depth };
            keep
        })
        .collect();
    (plain.split("::").filter(|it| !it.is_empty()).map(str::to_string).collect(), last)
}

/// `#include "a.h"` and `#include <a.h>`.
fn import(node: Node<'_>, place: &NodeContext<'_, '_>, out: &mut Vec<Import>) -> bool {
    let Some(path) = node.child_by_field_name("path") else { return true };
    let words = place.of(path);
    let what = words.trim_matches(['"', '<', '>']);
    let kind = if words.starts_with('<') { ImportKind::System } else { ImportKind::Relative };
    if matches!(path.kind(), "string_literal" | "system_lib_string") {
        out.push(Import::new(what, &["*"], node, kind));
    }
    true
}

/// True where the linker may hear of it.
fn exported(it: &DefinitionContext<'_>) -> bool {
    !it.has("static") || it.parent.is_some_and(|(kind, _)| kind == SymbolKind::Type)
}

/// True for the macros of the common test frameworks, which read like functions.
fn test(it: &DefinitionContext<'_>) -> bool {
    let marks = ["TEST", "TEST_F", "TEST_P", "TYPED_TEST", "TEST_CASE", "SCENARIO", "BOOST_AUTO_TEST_CASE"];
    marks.contains(&it.name) || (it.in_test_file && it.kind == SymbolKind::Function && it.name.starts_with("test"))
}
