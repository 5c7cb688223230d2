//! The languages whose syntax is known: one file each, one line in the table here.
//!
//! A language's file says what its definitions are and nothing about how a text is walked; its tables are never touched
//! before a file of the language is parsed.

mod bash;
mod c;
mod cpp;
mod csharp;
mod go;
mod java;
mod javascript;
mod kotlin;
mod lua;
mod php;
mod python;
mod ruby;
mod rust;
mod scala;
mod script;
mod swift;
mod table;
mod typescript;

use std::ops::Range;

use serde::{Deserialize, Serialize};
use tree_sitter::{Language, Node, Tree};

use crate::facts::{Import, RefKind};
pub(crate) use table::{CARRIER, FIELDS, IMPORT, ITEM, LEAD, NAME, TYPE, Table, Use};

/// What is known of one language.
pub(crate) struct Grammar {
    /// The language's name, as in `language`.
    pub name: &'static str,
    /// Endings of file names, in lower case.
    pub endings: &'static [&'static str],
    /// The parser's tables.
    pub language: fn() -> Language,
    /// False where the grammar takes valid texts for faulty so often that faults are not told.
    pub checked: bool,
    /// The language to try where this one meets an error.
    pub otherwise: Option<&'static Grammar>,
    /// What stands between the parts of a qualified name.
    pub separator: &'static str,
    /// What a node defines, if it does.
    pub item: for<'t> fn(Node<'t>, &Place<'t, '_>) -> Option<Item<'t>>,
    /// True for a node around a single definition that belongs to it, such as `export` and decorators.
    pub wraps: fn(Node<'_>) -> bool,
    /// The kinds of nodes that `item` looks at.
    pub items: &'static [&'static str],
    /// What nodes before a definition are to it.
    pub leads: &'static [(&'static str, Lead)],
    /// True for a node of these that is about no definition.
    pub is_apart: fn(Node<'_>, &str) -> bool,
    /// The kinds of nodes that `import` looks at.
    pub import_kinds: &'static [&'static str],
    /// Adds what a node imports. True where it was an import and nothing in it is to be looked at any more.
    pub import: fn(Node<'_>, &Place<'_, '_>, &mut Vec<Import>) -> bool,
    /// The kinds of nodes that are names of types.
    pub type_names: &'static [&'static str],
    /// The kinds of nodes that are other names.
    pub names: &'static [&'static str],
    /// What a name is in a field of a node; an empty field stands for all.
    pub uses: &'static [(&'static str, &'static str, Use)],
    /// True where other files can name a definition, as far as it tells by itself.
    pub exported: fn(&Seen<'_>) -> bool,
    /// True for a definition that is a test.
    pub test: fn(&Seen<'_>) -> bool,
    /// True where words about a definition are the first ones of its body.
    pub words_in_body: bool,
    /// Kinds of literals whose inner lines must not be indented anew.
    pub literals: &'static [&'static str],
    /// True where a `;` directly after a definition belongs to it.
    pub takes_semicolon: bool,
    /// A fault that the parser lets pass.
    pub fault: for<'t> fn(&'t Tree, &str) -> Option<Node<'t>>,
    /// The package that the file says it is part of.
    pub package: fn(Node<'_>, &str) -> Option<String>,
}

impl Grammar {
    /// What most languages share.
    const BASE: Grammar = Grammar {
        name: "",
        endings: &[],
        language: || -> Language { tree_sitter_c::LANGUAGE.into() },
        checked: true,
        otherwise: None,
        separator: ".",
        item: |_, _| None,
        wraps: |_| false,
        items: &[],
        leads: &[("comment", Lead::Comment)],
        is_apart: |_, _| false,
        import_kinds: &[],
        import: |_, _, _| false,
        type_names: &["type_identifier"],
        names: &["identifier", "field_identifier", "property_identifier"],
        uses: &[],
        exported: |_| true,
        test: |_| false,
        words_in_body: false,
        literals: &[],
        takes_semicolon: false,
        fault: |_, _| None,
        package: |_, _| None,
    };
}

/// What is seen of a definition where it stands.
pub(crate) struct Seen<'a> {
    /// The last part of its name.
    pub name: &'a str,
    pub kind: Kind,
    /// Its signature.
    pub head: &'a str,
    /// Comments and attributes before the signature.
    pub before: &'a str,
    /// Kind and signature of the definition right around.
    pub parent: Option<(Kind, &'a str)>,
    /// True where it is defined for a trait.
    pub via: bool,
    /// True in a file that is a test by its name.
    pub in_test_file: bool,
}

impl Seen<'_> {
    /// True where the signature has this word before its name.
    pub fn has(&self, word: &str) -> bool {
        let head = self.head.split(['(', '=', '{']).next().unwrap_or_default();
        head.split(|c: char| !(c.is_alphanumeric() || c == '_')).any(|it| it == word)
    }
}

/// What a definition is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Kind {
    /// A function or method.
    Function,
    /// A class, struct, interface or another type.
    Type,
    /// A constant, variable, field or macro.
    Value,
    /// A namespace or module.
    Module,
    /// An implementation of a type or trait.
    Impl,
}

/// What a node before a definition is to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Lead {
    /// Words about it.
    Comment,
    /// An attribute or decorator.
    Attribute,
}

/// How the inside of a definition is set off.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// Between braces, which are not part of it.
    Braces,
    /// By its indentation.
    Indented,
    /// Not at all: it is an expression.
    Expression,
}

/// What a node defines.
pub(crate) struct Item<'t> {
    pub kind: Kind,
    /// Its own name; none for what only gives a scope to others.
    pub name: Option<String>,
    /// Parts that come between the scope around and the name, as in `Type::method` outside of its class.
    pub before: Vec<String>,
    /// The parts that what is inside gets in front of its names, if they are not the name.
    pub scope: Option<Vec<String>>,
    /// For which trait the inside is, as in `Trait for Type`.
    pub via: Option<String>,
    /// The node that is defined, inside its wrappers.
    pub node: Node<'t>,
    pub body: Option<(Range<usize>, Form)>,
    /// Where the signature ends, if not right before the body.
    pub head_end: Option<usize>,
    /// True for an announcement whose definition is elsewhere.
    pub announces: bool,
    /// True for a member of a list with commas between.
    pub listed: bool,
}

impl<'t> Item<'t> {
    /// A definition of this name.
    pub fn new(kind: Kind, name: impl Into<String>, node: Node<'t>) -> Item<'t> {
        Item {
            kind,
            name: Some(name.into()),
            before: Vec::new(),
            scope: None,
            via: None,
            node,
            body: None,
            head_end: None,
            announces: false,
            listed: false,
        }
    }

    /// A definition named by the field `name` of its node, with the braces of its field `body`.
    pub fn named(kind: Kind, node: Node<'t>, text: &str) -> Option<Item<'t>> {
        let name = field_text(node, "name", text)?;
        Some(Item::new(kind, name, node).with_braces(node.child_by_field_name("body")))
    }

    /// With the inside of a node in braces as body.
    pub fn with_braces(mut self, block: Option<Node<'_>>) -> Item<'t> {
        self.body = block.and_then(braces).map(|span| (span, Form::Braces));
        self
    }
}

/// Where a node stands.
pub(crate) struct Place<'t, 'a> {
    pub text: &'a str,
    /// The nodes around, outermost first.
    pub above: &'a [Node<'t>],
    /// True inside a function, however deep.
    pub in_function: bool,
}

impl<'t> Place<'t, '_> {
    /// The text of a node.
    pub fn of(&self, node: Node<'_>) -> &str {
        &self.text[node.byte_range()]
    }

    /// The kind of the node right around.
    pub fn parent(&self) -> &'t str {
        match self.above.last() {
            Some(node) => node.kind(),
            None => "",
        }
    }
}

/// The text of a node's field.
pub(crate) fn field_text<'a>(node: Node<'_>, field: &str, text: &'a str) -> Option<&'a str> {
    Some(&text[node.child_by_field_name(field)?.byte_range()])
}

/// The inside of a node's own braces.
pub(crate) fn braces(node: Node<'_>) -> Option<Range<usize>> {
    let mut cursor = node.walk();
    let mut open = None;
    let mut close = None;
    for child in node.children(&mut cursor) {
        match child.kind() {
            "{" if open.is_none() => open = Some(child.end_byte()),
            "}" if !child.is_missing() => close = Some(child.start_byte()),
            _ => {}
        }
    }
    Some(open?..close?).filter(|it| it.start <= it.end)
}

/// The first child of one of these kinds.
pub(crate) fn child_of<'t>(node: Node<'t>, kinds: &[&str]) -> Option<Node<'t>> {
    let mut cursor = node.walk();
    node.children(&mut cursor).find(|it| kinds.contains(&it.kind()))
}

/// How many children of these kinds a node has.
pub(crate) fn children_of(node: Node<'_>, kinds: &[&str]) -> usize {
    let mut cursor = node.walk();
    node.children(&mut cursor).filter(|it| kinds.contains(&it.kind())).count()
}

/// Shorthands for tables of uses.
pub(crate) const CALL: Use = Use::Is(RefKind::Call);
pub(crate) const TYPED: Use = Use::Is(RefKind::Type);
pub(crate) const OTHER: Use = Use::Is(RefKind::Other);

const ALL: [&Grammar; 18] = [
    &rust::GRAMMAR,
    &python::GRAMMAR,
    &javascript::GRAMMAR,
    &typescript::GRAMMAR,
    &typescript::GRAMMAR_WITH_TAGS,
    &go::GRAMMAR,
    &java::GRAMMAR,
    &c::GRAMMAR,
    &c::HEADER,
    &cpp::GRAMMAR,
    &csharp::GRAMMAR,
    &ruby::GRAMMAR,
    &php::GRAMMAR,
    &bash::GRAMMAR,
    &kotlin::GRAMMAR,
    &swift::GRAMMAR,
    &scala::GRAMMAR,
    &lua::GRAMMAR,
];

/// The grammar for a file of that name.
pub(crate) fn of(path: &str) -> Option<&'static Grammar> {
    let name = path.rsplit('/').next()?;
    let ending = name.rsplit_once('.')?.1.to_ascii_lowercase();
    ALL.iter().copied().find(|it| it.endings.contains(&ending.as_str()))
}
