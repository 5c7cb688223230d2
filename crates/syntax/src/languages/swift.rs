//! Swift. A method is `Type.method` whether it is in the type or in an extension of it. The grammar takes newer syntax for
//! faulty, so faults are not looked for.

use tree_sitter::Node;

use super::grammar::{Grammar, Item, NodeContext, child_of, field_text};
use crate::definitions::SymbolKind;
use crate::facts::{Import, ImportKind};

pub(super) static GRAMMAR: Grammar = Grammar {
    name: "Swift",
    language: || tree_sitter_swift::LANGUAGE.into(),
    item,
    import,
    table: include_str!("swift.txt"),
    exported: |it| !it.has("private") && !it.has("fileprivate"),
    test: |it| {
        let marked = it.before.contains("@Test") || it.head.starts_with("@Test");
        it.kind == SymbolKind::Function
            && (marked
                || (it.name.starts_with("test")
                    && (it.in_test_file || it.parent.is_some_and(|(_, head)| head.contains("XCTestCase")))))
    },
    ..Grammar::BASE
};

fn item<'t>(node: Node<'t>, place: &NodeContext<'t, '_>) -> Option<Item<'t>> {
    let text = place.text;
    let body = node.child_by_field_name("body");
    let of = |kind: SymbolKind, name: &str| Some(Item::new(kind, name, node).with_braces(body));
    match node.kind() {
        "class_declaration" => {
            let name = node.child_by_field_name("name")?;
            let words = place.of(name).split('<').next().unwrap_or_default().trim();
            if name.kind() != "user_type" {
                return of(SymbolKind::Type, words);
            }
            // An extension: what is inside belongs to the type.
            let item = of(SymbolKind::Impl, &format!("extension {words}"))?;
            Some(Item { scope: Some(words.split('.').map(str::to_string).collect()), ..item })
        }
        "protocol_declaration" | "typealias_declaration" | "associatedtype_declaration" => {
            of(SymbolKind::Type, field_text(node, "name", text)?)
        }
        "function_declaration" | "protocol_function_declaration" => {
            of(SymbolKind::Function, field_text(node, "name", text)?)
        }
        "init_declaration" => of(SymbolKind::Function, "init"),
        "deinit_declaration" => of(SymbolKind::Function, "deinit"),
        "subscript_declaration" => {
            let body = child_of(node, &["computed_property"]);
            Some(Item::new(SymbolKind::Function, "subscript", node).with_braces(body))
        }
        _ if place.in_function => None,
        _ => {
            let pattern = node.child_by_field_name("name")?;
            let name = field_text(pattern, "bound_identifier", text)?;
            Some(Item::new(SymbolKind::Value, name, node).with_braces(node.child_by_field_name("computed_value")))
        }
    }
}

/// `import A`, `import struct A.B`, `@testable import A`.
fn import(node: Node<'_>, place: &NodeContext<'_, '_>, out: &mut Vec<Import>) -> bool {
    const SYSTEM: [&str; 10] =
        ["Foundation", "UIKit", "SwiftUI", "Combine", "XCTest", "AppKit", "Swift", "Dispatch", "Darwin", "Testing"];
    let Some(path) = child_of(node, &["identifier"]) else { return true };
    let what = place.of(path);
    let module = what.split('.').next().unwrap_or_default();
    let kind = if SYSTEM.contains(&module) { ImportKind::System } else { ImportKind::Absolute };
    out.push(Import::new(what, &["*"], node, kind));
    true
}
