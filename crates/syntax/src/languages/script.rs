//! What JavaScript and TypeScript import: by `import`, `export … from`, `require()` and `import()`.

use tree_sitter::Node;

use super::grammar::{NodeContext, child_of, field_text};
use crate::facts::{Import, ImportKind};

pub(super) fn import(node: Node<'_>, place: &NodeContext<'_, '_>, out: &mut Vec<Import>) -> bool {
    let text = place.text;
    match node.kind() {
        "call_expression" => {
            called(node, place, out);
            false
        }
        "import_statement" => {
            let source = node.child_by_field_name("source").or_else(|| required(node));
            if let Some(what) = source.map(|it| unquoted(place.of(it))) {
                out.push(Import { names: names(node, text), ..Import::new(what, &[], node, kind_of(what)) });
            }
            true
        }
        _ => {
            let Some(source) = node.child_by_field_name("source") else { return false };
            let what = unquoted(place.of(source));
            let mut names = names(node, text);
            if names.is_empty() {
                names.push("*".into());
            }
            out.push(Import { names, ..Import::new(what, &[], node, kind_of(what)) });
            true
        }
    }
}

/// `import x = require('y')`.
fn required(node: Node<'_>) -> Option<Node<'_>> {
    child_of(node, &["import_require_clause"])?.child_by_field_name("source")
}

/// `require('y')`, `import('y')` and what test runners have like them.
fn called(node: Node<'_>, place: &NodeContext<'_, '_>, out: &mut Vec<Import>) {
    let known = ["require(", "import(", "jest.mock(", "vi.mock(", "require.resolve(", "jest.requireActual("];
    let head = &place.text[node.start_byte()..];
    if !known.iter().any(|it| head.starts_with(it)) {
        return;
    }
    let arguments = node.child_by_field_name("arguments");
    let Some(first) = arguments.and_then(|it| it.named_child(0)).filter(|it| it.kind() == "string") else { return };
    let what = unquoted(place.of(first));
    let names = place.above.last().filter(|it| it.kind() == "variable_declarator");
    let mut import = Import::new(what, &[], node, kind_of(what));
    if let Some(name) = names.and_then(|it| it.child_by_field_name("name")) {
        import.names = match name.kind() {
            "identifier" => vec![place.of(name).to_string()],
            _ => gathered(name, place.text),
        };
    }
    out.push(import);
}

/// The names between the braces of an import or export, and the one before them.
fn names(node: Node<'_>, text: &str) -> Vec<String> {
    let mut cursor = node.walk();
    let clauses = node.named_children(&mut cursor).filter(|it| {
        matches!(it.kind(), "import_clause" | "export_clause" | "namespace_export" | "import_require_clause")
    });
    clauses.flat_map(|it| gathered(it, text)).collect()
}

/// The names in a clause, aliases after what they stand for; two levels are all that a clause has.
fn gathered(clause: Node<'_>, text: &str) -> Vec<String> {
    let mut out = Vec::new();
    let mut stack = vec![clause];
    while let Some(node) = stack.pop() {
        match node.kind() {
            "import_specifier" | "export_specifier" => {
                let parts = ["name", "alias"].iter().filter_map(|field| field_text(node, field, text));
                out.extend(parts.filter(|it| *it != "default").map(str::to_string));
            }
            "identifier" | "shorthand_property_identifier_pattern" | "property_identifier" => {
                out.push(text[node.byte_range()].to_string());
            }
            "string" => {}
            _ => {
                let mut cursor = node.walk();
                let inner: Vec<Node<'_>> = node.named_children(&mut cursor).collect();
                stack.extend(inner.into_iter().rev());
            }
        }
    }
    out
}

fn unquoted(text: &str) -> &str {
    text.trim_matches(['\'', '"', '`'])
}

fn kind_of(what: &str) -> ImportKind {
    match what {
        _ if what.starts_with('.') => ImportKind::Relative,
        _ if what.starts_with("node:") => ImportKind::System,
        _ => ImportKind::Absolute,
    }
}
