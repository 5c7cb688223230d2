//! Python. A function is `Class.method`, `outer.inner` or its own name; assignments at the top level and in classes count
//! as definitions.

use tree_sitter::{Node, Tree};

use super::{Form, Grammar, Item, Kind, Place};

pub(super) static GRAMMAR: Grammar = Grammar {
    name: "Python",
    endings: &["py", "pyi"],
    language: || tree_sitter_python::LANGUAGE.into(),
    item,
    items: &["function_definition", "class_definition", "expression_statement"],
    wraps: |node| node.kind() == "decorated_definition",
    is_apart: |node, text| node.start_byte() == 0 && text.starts_with("#!"),
    literals: &["string"],
    fault: empty_block,
    ..Grammar::BASE
};

fn item<'t>(node: Node<'t>, place: &Place<'t, '_>) -> Option<Item<'t>> {
    match node.kind() {
        "function_definition" => block(Item::named(Kind::Function, node, place.text)?, place.text),
        "class_definition" => block(Item::named(Kind::Type, node, place.text)?, place.text),
        "expression_statement" if !place.in_function && is_statement(place) => assignment(node, place),
        _ => None,
    }
}

/// True right in a file, a class, or a condition in one.
fn is_statement(place: &Place<'_, '_>) -> bool {
    matches!(place.parent(), "module" | "block")
}

fn assignment<'t>(node: Node<'t>, place: &Place<'t, '_>) -> Option<Item<'t>> {
    let inner = node.named_child(0).filter(|it| it.kind() == "assignment" && node.named_child_count() == 1)?;
    let left = inner.child_by_field_name("left").filter(|it| it.kind() == "identifier")?;
    Some(Item::new(Kind::Value, place.of(left), node))
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
        item.body = Some((start..block.end_byte(), Form::Indented));
    }
    Some(item)
}

/// A block without a statement, which the parser accepts because somebody may be typing.
fn empty_block<'t>(tree: &'t Tree, _: &str) -> Option<Node<'t>> {
    let mut cursor = tree.walk();
    loop {
        let node = cursor.node();
        if node.kind() == "block" && node.named_child_count() == 0 {
            return Some(node);
        }
        if cursor.goto_first_child() {
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return None;
            }
        }
    }
}
