//! The languages whose syntax is known: one file each, one line in the table here.
//!
//! A language's file says what its definitions are and nothing about how a text is walked; its tables are never touched
//! before a file of the language is parsed.

mod c;
mod cpp;
mod go;
mod java;
mod javascript;
mod python;
mod rust;
mod typescript;

use std::ops::Range;

use tree_sitter::{Language, Node, Tree};

/// What is known of one language.
pub(crate) struct Grammar {
    /// Endings of file names, in lower case.
    pub endings: &'static [&'static str],
    /// The parser's tables.
    pub language: fn() -> Language,
    /// The language to try where this one meets an error.
    pub otherwise: Option<&'static Grammar>,
    /// What stands between the parts of a qualified name.
    pub separator: &'static str,
    /// What a node defines, if it does.
    pub item: for<'t> fn(Node<'t>, &Place<'t, '_>) -> Option<Item<'t>>,
    /// True for a node around a single definition that belongs to it, such as `export` and decorators.
    pub wraps: fn(Node<'_>) -> bool,
    /// What a node before a definition is to it.
    pub lead: fn(Node<'_>, &str) -> Option<Lead>,
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
        endings: &[],
        language: || -> Language { tree_sitter_c::LANGUAGE.into() },
        otherwise: None,
        separator: ".",
        item: |_, _| None,
        wraps: |_| false,
        lead: |node, _| (node.kind() == "comment").then_some(Lead::Comment),
        literals: &[],
        takes_semicolon: false,
        fault: |_, _| None,
        package: |_, _| None,
    };
}

/// What a definition is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
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

/// How many children of these kinds a node has.
pub(crate) fn children_of(node: Node<'_>, kinds: &[&str]) -> usize {
    let mut cursor = node.walk();
    node.children(&mut cursor).filter(|it| kinds.contains(&it.kind())).count()
}

const ALL: &[&Grammar] = &[
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
];

/// The grammar for a file of that name.
pub(crate) fn of(path: &str) -> Option<&'static Grammar> {
    let name = path.rsplit('/').next()?;
    let ending = name.rsplit_once('.')?.1.to_ascii_lowercase();
    ALL.iter().copied().find(|it| it.endings.contains(&ending.as_str()))
}
