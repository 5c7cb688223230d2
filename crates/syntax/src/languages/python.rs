//! Python. A function is `Class.method`, `outer.inner` or its own name; assignments at the top level and in classes count
//! as definitions.

use tree_sitter::{Node, Tree};

use super::grammar::{Grammar, Item, NodeContext, field_text};
use crate::definitions::{BodyForm, SymbolKind};
use crate::facts::{Import, ImportKind};
use crate::parse::nodes;

pub(super) static GRAMMAR: Grammar = Grammar {
    name: "Python",
    language: || tree_sitter_python::LANGUAGE.into(),
    item,
    is_wrapper: |node| node.kind() == "decorated_definition",
    fault: empty_block,
    import,
    table: include_str!("python.txt"),
    exported: |it| !it.name.starts_with('_') || (it.name.starts_with("__") && it.name.ends_with("__")),
    test: |it| match it.kind {
        SymbolKind::Function => it.name.starts_with("test_") || (it.in_test_file && it.name.starts_with("test")),
        SymbolKind::Type => {
            it.in_test_file
                && (it.name.starts_with("Test") || it.name.ends_with("Test") || it.head.contains("TestCase"))
        }
        _ => false,
    },
    ..Grammar::BASE
};

fn item<'t>(node: Node<'t>, place: &NodeContext<'t, '_>) -> Option<Item<'t>> {
    match node.kind() {
        "function_definition" => block(Item::named(SymbolKind::Function, node, place.text)?, place.text),
        "class_definition" => block(Item::named(SymbolKind::Type, node, place.text)?, place.text),
        "expression_statement" if !place.in_function && is_statement(place) => assignment(node, place),
        _ => None,
    }
}

/// True right in a file, a class, or a condition in one.
fn is_statement(place: &NodeContext<'_, '_>) -> bool {
    matches!(place.parent(), "module" | "block")
}

fn assignment<'t>(node: Node<'t>, place: &NodeContext<'t, '_>) -> Option<Item<'t>> {
    let inner = node.named_child(0).filter(|it| it.kind() == "assignment" && node.named_child_count() == 1)?;
    let left = inner.child_by_field_name("left").filter(|it| it.kind() == "identifier")?;
    Some(Item::new(SymbolKind::Value, place.of(left), node))
}

/// With the lines after the colon as body, comments before the first statement included.
fn block<'t>(mut item: Item<'t>, text: &str) -> Option<Item<'t>> {
    let block = item.node.child_by_field_name("body")?;
    let mut cursor = item.node.walk();
    let colon = item.node.children(&mut cursor).filter(|it| it.kind() == ":").last()?.end_byte();
    item.head_end = Some(colon);
    let rest = &text[colon..block.end_byte().max(colon)];
    let first_line = rest.find('\n').map_or(rest, |end| &rest[..end]);
    let skipped = match first_line.trim_start() {
        "" => first_line.len(),
        words if words.starts_with('#') => first_line.len(),
        _ => 0,
    };
    let blanks = rest[skipped..].len() - rest[skipped..].trim_start().len();
    let start = colon + skipped + blanks;
    if start < block.end_byte() {
        item.body = Some((start..block.end_byte(), BodyForm::Indented));
    }
    Some(item)
}

/// A block without a statement, which the parser accepts because somebody may be typing.
fn empty_block<'t>(tree: &'t Tree, _: &str) -> Option<Node<'t>> {
    nodes(tree).find(|it| it.kind() == "block" && it.named_child_count() == 0)
}

/// `import a.b as c` and `from .a import b, c`.
fn import(node: Node<'_>, place: &NodeContext<'_, '_>, out: &mut Vec<Import>) -> bool {
    let mut cursor = node.walk();
    // Each with the name that it has here, where that is another one.
    let named = node.children_by_field_name("name", &mut cursor).map(|it| match it.kind() {
        "aliased_import" => {
            (field_text(it, "name", place.text).unwrap_or_default(), field_text(it, "alias", place.text))
        }
        _ => (place.of(it), None),
    });
    match node.kind() {
        "import_statement" => {
            for (what, alias) in named {
                let brought = alias.unwrap_or_else(|| what.split('.').next().unwrap_or_default());
                out.push(Import::new(what, &[brought], node, ImportKind::Absolute));
            }
        }
        "import_from_statement" => {
            let what = field_text(node, "module_name", place.text).unwrap_or_default();
            let mut names: Vec<&str> = named.flat_map(|(name, alias)| [Some(name), alias]).flatten().collect();
            let mut cursor = node.walk();
            if node.children(&mut cursor).any(|it| it.kind() == "wildcard_import") {
                names.push("*");
            }
            let kind = if what.starts_with('.') { ImportKind::Relative } else { ImportKind::Absolute };
            out.push(Import::new(&what.split_whitespace().collect::<String>(), &names, node, kind));
        }
        _ => {}
    }
    true
}
