//! C#. A constructor has the name of its class, a finaliser `~Class`, an indexer is `this`; namespaces in braces are part of
//! the qualified names, one for the whole file is its package.

use tree_sitter::Node;

use super::{CALL, Grammar, Item, Kind, Place, TYPED, Use, child_of, children_of, field_text};
use crate::facts::{Import, ImportKind};

pub(super) static GRAMMAR: Grammar = Grammar {
    name: "C#",
    endings: &["cs", "csx"],
    language: || tree_sitter_c_sharp::LANGUAGE.into(),
    item,
    items: &[
        "namespace_declaration",
        "class_declaration",
        "interface_declaration",
        "struct_declaration",
        "record_declaration",
        "enum_declaration",
        "delegate_declaration",
        "method_declaration",
        "constructor_declaration",
        "destructor_declaration",
        "operator_declaration",
        "indexer_declaration",
        "property_declaration",
        "event_declaration",
        "field_declaration",
        "event_field_declaration",
        "local_function_statement",
    ],
    literals: &["verbatim_string_literal", "raw_string_literal", "interpolated_string_expression"],
    import_kinds: &["using_directive", "file_scoped_namespace_declaration"],
    import,
    names: &["identifier"],
    uses: USES,
    exported: |it| {
        let of_interface = it.parent.is_some_and(|(_, head)| head.split_whitespace().any(|word| word == "interface"));
        let top = it.kind == Kind::Module || it.parent.is_none_or(|(kind, _)| kind == Kind::Module);
        top || of_interface || it.has("public") || it.has("internal") || it.has("protected")
    },
    test: |it| {
        let marks = ["[Test", "[Fact", "[Theory", "[TestMethod", "[DataTestMethod"];
        it.kind == Kind::Function && marks.iter().any(|mark| it.before.contains(mark))
    },
    package: |root, text| {
        let clause = child_of(root, &["file_scoped_namespace_declaration"])?;
        Some(field_text(clause, "name", text)?.to_string())
    },
    ..Grammar::BASE
};

const USES: &[(&str, &str, Use)] = &[
    ("", "type", TYPED),
    ("", "returns", TYPED),
    ("invocation_expression", "function", CALL),
    ("member_access_expression", "name", Use::Member),
    ("member_binding_expression", "name", Use::Member),
    ("conditional_access_expression", "", Use::Around),
    ("generic_name", "", Use::Around),
    ("object_creation_expression", "type", CALL),
    ("qualified_name", "name", Use::Member),
    ("qualified_name", "qualifier", Use::Scope),
    ("base_list", "", TYPED),
    ("primary_constructor_base_type", "", TYPED),
    ("type_argument_list", "", TYPED),
    ("type_parameter", "name", Use::BoundType),
    ("type_parameter_constraints_clause", "", Use::Nothing),
    ("attribute", "name", TYPED),
    ("parameter", "name", Use::Bound),
    ("variable_declarator", "name", Use::Bound),
    ("foreach_statement", "left", Use::Bound),
    ("catch_declaration", "name", Use::Bound),
    ("declaration_pattern", "name", Use::Bound),
    ("declaration_expression", "name", Use::Bound),
    ("lambda_expression", "parameters", Use::Bound),
    ("argument", "name", Use::Nothing),
    ("enum_member_declaration", "name", Use::Nothing),
    ("labeled_statement", "", Use::Nothing),
];

fn item<'t>(node: Node<'t>, place: &Place<'t, '_>) -> Option<Item<'t>> {
    let text = place.text;
    match node.kind() {
        "namespace_declaration" => {
            let mut before: Vec<String> = field_text(node, "name", text)?.split('.').map(str::to_string).collect();
            let name = before.pop()?;
            let body = node.child_by_field_name("body");
            Some(Item { before, ..Item::new(Kind::Module, name, node).with_braces(body) })
        }
        "class_declaration"
        | "interface_declaration"
        | "struct_declaration"
        | "record_declaration"
        | "enum_declaration"
        | "delegate_declaration" => Item::named(Kind::Type, node, text),
        "method_declaration" | "constructor_declaration" | "local_function_statement" => function(node, node, text),
        "destructor_declaration" => {
            let item = Item::named(Kind::Function, node, text)?;
            Some(Item { name: item.name.as_ref().map(|it| format!("~{it}")), ..item })
        }
        "operator_declaration" => {
            let sign = field_text(node, "operator", text)?;
            let body = node.child_by_field_name("body");
            Some(Item::new(Kind::Function, format!("operator {sign}"), node).with_braces(body))
        }
        "indexer_declaration" => {
            let body = node.child_by_field_name("accessors");
            Some(Item::new(Kind::Function, "this", node).with_braces(body))
        }
        "property_declaration" | "event_declaration" => {
            let body = node.child_by_field_name("accessors");
            Some(Item::new(Kind::Value, field_text(node, "name", text)?, node).with_braces(body))
        }
        _ => field(node, place),
    }
}

/// A method; one whose body is an expression has none that can be set off.
fn function<'t>(node: Node<'t>, of: Node<'_>, text: &str) -> Option<Item<'t>> {
    let item = Item::named(Kind::Function, node, text)?;
    let arrow = of.child_by_field_name("body").filter(|it| it.kind() == "arrow_expression_clause");
    Some(Item { head_end: arrow.map(|it| it.start_byte()).or(item.head_end), ..item })
}

/// A field that declares one name.
fn field<'t>(node: Node<'t>, place: &Place<'t, '_>) -> Option<Item<'t>> {
    let declaration = child_of(node, &["variable_declaration"])?;
    if children_of(declaration, &["variable_declarator"]) != 1 {
        return None;
    }
    let declarator = child_of(declaration, &["variable_declarator"])?;
    let name = field_text(declarator, "name", place.text)?;
    Some(Item::new(Kind::Value, name, node))
}

/// `using A.B;`, `using static A.B;`, `using X = A.B;`.
fn import(node: Node<'_>, place: &Place<'_, '_>, out: &mut Vec<Import>) -> bool {
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
    out.push(Import::new(what, &[alias.unwrap_or("*")], node.start_position().row + 1, kind));
    true
}
