//! Java. A constructor has the name of its class: `Class.Class`.

use tree_sitter::Node;

use super::grammar::{Grammar, Item, NodeContext, children_of, field_text, package};
use crate::definitions::SymbolKind;
use crate::facts::{Import, ImportKind};

pub(super) static GRAMMAR: Grammar = Grammar {
    name: "Java",
    language: || tree_sitter_java::LANGUAGE.into(),
    item,
    import,
    table: include_str!("java.txt"),
    exported: |it| !it.has("private"),
    test: |it| it.marked(&["@Test", "@ParameterizedTest", "@RepeatedTest", "@TestFactory"]),
    package: |root, text| package(root, "package_declaration", text),
    ..Grammar::BASE
};

/// A field that declares one name.
fn item<'t>(node: Node<'t>, place: &NodeContext<'t, '_>) -> Option<Item<'t>> {
    let alone = children_of(node, &["variable_declarator"]) == 1;
    let declarator = node.child_by_field_name("declarator").filter(|_| alone)?;
    Some(Item::new(SymbolKind::Value, field_text(declarator, "name", place.text)?, node))
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
        let kind = ImportKind::of(&what, &["java.", "javax.", "jdk."]);
        let names: Vec<&str> = class.into_iter().chain([name.as_str()]).collect();
        out.push(Import::new(&what, &names, node, kind));
    }
    true
}
