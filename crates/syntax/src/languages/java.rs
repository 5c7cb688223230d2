//! Java. A constructor has the name of its class: `Class.Class`.

use tree_sitter::Node;

use super::grammar::{Grammar, Item, Leading, NodeContext, children_of, field_text};
use crate::definitions::SymbolKind;
use crate::facts::{Import, ImportKind};

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
    leading: &[("line_comment", Leading::Comment), ("block_comment", Leading::Comment)],
    literals: &["string_literal"],
    import_kinds: &["import_declaration", "package_declaration"],
    import,
    uses: include_str!("uses/java.txt"),
    exported: |it| !it.has("private"),
    test: |it| {
        ["@Test", "@ParameterizedTest", "@RepeatedTest", "@TestFactory"].iter().any(|mark| it.before.contains(mark))
    },
    package: |root, text| {
        let mut cursor = root.walk();
        let clause = root.children(&mut cursor).find(|it| it.kind() == "package_declaration")?;
        Some(text[clause.named_child(clause.named_child_count().checked_sub(1)? as u32)?.byte_range()].to_string())
    },
    ..Grammar::BASE
};

fn item<'t>(node: Node<'t>, place: &NodeContext<'t, '_>) -> Option<Item<'t>> {
    let text = place.text;
    match node.kind() {
        "class_declaration"
        | "interface_declaration"
        | "enum_declaration"
        | "record_declaration"
        | "annotation_type_declaration" => Item::named(SymbolKind::Type, node, text),
        "method_declaration"
        | "constructor_declaration"
        | "compact_constructor_declaration"
        | "annotation_type_element_declaration" => Item::named(SymbolKind::Function, node, text),
        "field_declaration" | "constant_declaration" if children_of(node, &["variable_declarator"]) == 1 => {
            let name = field_text(node.child_by_field_name("declarator")?, "name", text)?;
            Some(Item::new(SymbolKind::Value, name, node))
        }
        _ => None,
    }
}

/// `import a.b.C;`, `import static a.b.C.m;`, `import a.b.*;`.
fn import(node: Node<'_>, place: &NodeContext<'_, '_>, out: &mut Vec<Import>) -> bool {
    if node.kind() == "import_declaration" {
        let words = place.of(node).trim_start_matches("import").trim().trim_end_matches(';').trim();
        let (is_static, path) = match words.strip_prefix("static ") {
            Some(rest) => (true, rest),
            None => (false, words),
        };
        let what: String = path.split_whitespace().collect();
        let name = what.rsplit('.').next().unwrap_or_default().to_string();
        let class = if is_static { what.rsplit('.').nth(1) } else { None };
        let system = ["java.", "javax.", "jdk."].iter().any(|it| what.starts_with(it));
        let kind = if system { ImportKind::System } else { ImportKind::Absolute };
        let names: Vec<&str> = class.into_iter().chain([name.as_str()]).collect();
        out.push(Import::new(&what, &names, node.start_position().row + 1, kind));
    }
    true
}
