//! Scala, of both syntaxes. An object and its class have the same name. Bodies that are set off by indentation alone are
//! part of the whole only. Newer syntax is taken for faulty by the grammar, so faults are not looked for.

use tree_sitter::Node;

use super::{CALL, Form, Grammar, Item, Kind, Lead, Place, Use, braces, field_text};
use crate::facts::{Import, ImportKind};

pub(super) static GRAMMAR: Grammar = Grammar {
    name: "Scala",
    endings: &["scala", "sc", "sbt"],
    language: || tree_sitter_scala::LANGUAGE.into(),
    checked: false,
    item,
    items: &[
        "class_definition",
        "object_definition",
        "trait_definition",
        "enum_definition",
        "package_object",
        "function_definition",
        "function_declaration",
        "val_definition",
        "var_definition",
        "val_declaration",
        "var_declaration",
        "type_definition",
        "given_definition",
    ],
    leads: &[("comment", Lead::Comment), ("block_comment", Lead::Comment)],
    literals: &["string", "interpolated_string"],
    import_kinds: &["import_declaration", "package_clause"],
    import,
    names: &["identifier"],
    uses: USES,
    exported: |it| !it.has("private"),
    test: |it| it.kind == Kind::Function && it.before.contains("@Test"),
    package: |root, text| {
        let mut cursor = root.walk();
        let clauses = root.children(&mut cursor).filter(|it| it.kind() == "package_clause");
        let names: Vec<&str> = clauses.filter_map(|it| field_text(it, "name", text)).collect();
        (!names.is_empty()).then(|| names.join(".").split_whitespace().collect())
    },
    ..Grammar::BASE
};

const USES: &[(&str, &str, Use)] = &[
    ("call_expression", "function", CALL),
    ("generic_function", "function", Use::Around),
    ("field_expression", "field", Use::Member),
    ("instance_expression", "", CALL),
    ("generic_type", "type", Use::Around),
    ("infix_expression", "operator", CALL),
    ("parameter", "name", Use::Bound),
    ("class_parameter", "name", Use::Bound),
    ("val_definition", "pattern", Use::Bound),
    ("var_definition", "pattern", Use::Bound),
    ("val_declaration", "name", Use::Nothing),
    ("var_declaration", "name", Use::Nothing),
    ("lambda_expression", "parameters", Use::Bound),
    ("binding", "name", Use::Bound),
    ("case_clause", "pattern", Use::Bound),
    ("enumerator", "", Use::Bound),
    ("type_parameters", "name", Use::BoundType),
    ("simple_enum_case", "name", Use::Nothing),
    ("full_enum_case", "name", Use::Nothing),
    ("package_identifier", "", Use::Nothing),
];

fn item<'t>(node: Node<'t>, place: &Place<'t, '_>) -> Option<Item<'t>> {
    let kind = match node.kind() {
        "class_definition" | "object_definition" | "trait_definition" | "enum_definition" => Kind::Type,
        "package_object" => Kind::Module,
        "type_definition" => Kind::Type,
        "function_definition" | "function_declaration" => Kind::Function,
        _ if place.in_function => return None,
        _ => Kind::Value,
    };
    let name = ["name", "pattern"].iter().find_map(|field| node.child_by_field_name(field))?;
    if !matches!(name.kind(), "identifier" | "type_identifier" | "operator_identifier") {
        return None;
    }
    let item = Item::new(kind, place.of(name).trim_matches('`'), node);
    let Some(body) = node.child_by_field_name("body") else { return Some(item) };
    if braces(body).is_some() {
        return Some(item.with_braces(Some(body)));
    }
    let head = place.text[..body.start_byte()].trim_end().trim_end_matches('=').trim_end().len();
    let plain = (kind == Kind::Function).then(|| (body.byte_range(), Form::Expression));
    Some(Item { body: plain, head_end: Some(head.max(name.end_byte())), ..item })
}

/// `import a.b.C`, `import a.{B, C => D}`, `import a.b._`, several with commas.
fn import(node: Node<'_>, place: &Place<'_, '_>, out: &mut Vec<Import>) -> bool {
    let line = node.start_position().row + 1;
    if node.kind() == "package_clause" {
        return node.child_by_field_name("body").is_none();
    }
    let words: String = place.of(node).trim_start_matches("import").split_whitespace().collect::<Vec<_>>().join(" ");
    let mut depth = 0usize;
    let clauses = words.split(|c: char| {
        depth = if c == '{' { depth + 1 } else { depth };
        depth = if c == '}' { depth.saturating_sub(1) } else { depth };
        c == ',' && depth == 0
    });
    for clause in clauses.map(str::trim).filter(|it| !it.is_empty()) {
        let (prefix, list) = match clause.split_once('{') {
            Some((prefix, list)) => (prefix.trim().trim_end_matches('.'), list.trim_end_matches('}')),
            None => clause.rsplit_once('.').unwrap_or(("", clause)),
        };
        for name in list.split(',').map(str::trim).filter(|it| !it.is_empty()) {
            selected(prefix, name, line, out);
        }
    }
    true
}

/// One name of an import, perhaps with another that stands for it.
fn selected(prefix: &str, name: &str, line: usize, out: &mut Vec<Import>) {
    let (name, alias) = match name.split_once("=>").or_else(|| name.split_once(" as ")) {
        Some((name, alias)) => (name.trim(), Some(alias.trim())),
        None => (name, None),
    };
    let name = if matches!(name, "_" | "given") { "*" } else { name };
    let what = if prefix.is_empty() { name.to_string() } else { format!("{prefix}.{name}") };
    let system = ["scala.", "java.", "javax."].iter().any(|it| what.starts_with(it));
    let kind = if system { ImportKind::System } else { ImportKind::Absolute };
    let names: Vec<&str> = [Some(name), alias.filter(|it| *it != "_")].into_iter().flatten().collect();
    out.push(Import::new(&what, &names, line, kind));
}
