//! What is known of a language: what its nodes define and import, beside the table of their kinds.
//!
//! A grammar says nothing about how a tree is walked, and its parser is not touched before a file of the language is parsed.

use std::ops::Range;

use tree_sitter::{Language, Node, Tree};

use crate::definitions::{BodyForm, SymbolKind};
use crate::facts::Import;

/// What is known of one language: what is said of the kinds of its nodes, as data, and what no table tells.
pub(crate) struct Grammar {
    /// The language's name, as in `language`.
    pub name: &'static str,
    /// The parser's tables.
    pub language: fn() -> Language,
    /// What the kinds of nodes mean; see [`super::Table`].
    pub table: &'static str,
    /// The language to try where this one meets an error.
    pub fallback: Option<&'static Grammar>,
    /// What a node defines, if it does; only nodes of a kind that the table leaves to it are looked at.
    pub item: for<'t> fn(Node<'t>, &NodeContext<'t, '_>) -> Option<Item<'t>>,
    /// True for a node around a single definition that belongs to it, such as `export` and decorators.
    pub is_wrapper: fn(Node<'_>) -> bool,
    /// True for a comment or attribute that is about no definition.
    pub is_detached: fn(Node<'_>, &str) -> bool,
    /// Adds what a node imports. True where it was an import and nothing in it is to be looked at any more.
    pub import: fn(Node<'_>, &NodeContext<'_, '_>, &mut Vec<Import>) -> bool,
    /// True where other files can name a definition, as far as it tells by itself.
    pub exported: fn(&DefinitionContext<'_>) -> bool,
    /// True for a definition that is a test.
    pub test: fn(&DefinitionContext<'_>) -> bool,
    /// A fault that the parser lets pass.
    pub fault: for<'t> fn(&'t Tree, &str) -> Option<Node<'t>>,
    /// The package that the file says it is part of.
    pub package: fn(Node<'_>, &str) -> Option<String>,
}

impl Grammar {
    /// What most languages share.
    pub(super) const BASE: Grammar = Grammar {
        name: "",
        language: || -> Language { tree_sitter_c::LANGUAGE.into() },
        table: "",
        fallback: None,
        item: |_, _| None,
        is_wrapper: |_| false,
        is_detached: |node, text| node.start_byte() == 0 && text.starts_with("#!"),
        import: |_, _, _| false,
        exported: |_| true,
        test: |_| false,
        fault: |_, _| None,
        package: |_, _| None,
    };
}

/// What is seen of a definition where it stands.
pub(crate) struct DefinitionContext<'a> {
    /// The last part of its name.
    pub name: &'a str,
    pub kind: SymbolKind,
    /// Its signature.
    pub head: &'a str,
    /// Comments and attributes before the signature.
    pub before: &'a str,
    /// Kind and signature of the definition right around.
    pub parent: Option<(SymbolKind, &'a str)>,
    /// True where it is defined for a trait.
    pub via: bool,
    /// True in a file that is a test by its name.
    pub in_test_file: bool,
}

impl DefinitionContext<'_> {
    /// True where the signature has this word before its name.
    pub fn has(&self, word: &str) -> bool {
        let head = self.head.split(['(', '=', '{']).next().unwrap_or_default();
        head.split(|c: char| !(c.is_alphanumeric() || c == '_')).any(|it| it == word)
    }

    /// True where one of these marks stands in the comments and attributes before it.
    pub fn marked(&self, marks: &[&str]) -> bool {
        marks.iter().any(|it| self.before.contains(it))
    }
}

/// What a node defines.
pub(crate) struct Item<'t> {
    pub kind: SymbolKind,
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
    pub body: Option<(Range<usize>, BodyForm)>,
    /// Where the signature ends, if not right before the body.
    pub head_end: Option<usize>,
    /// True for an announcement whose definition is elsewhere.
    pub is_declaration: bool,
    /// True for a member of a list with commas between.
    pub listed: bool,
}

impl<'t> Item<'t> {
    /// A definition of this name.
    pub fn new(kind: SymbolKind, name: impl Into<String>, node: Node<'t>) -> Item<'t> {
        Item {
            kind,
            name: Some(name.into()),
            before: Vec::new(),
            scope: None,
            via: None,
            node,
            body: None,
            head_end: None,
            is_declaration: false,
            listed: false,
        }
    }

    /// A definition named by the field `name` of its node, with the braces of its field `body`.
    pub fn named(kind: SymbolKind, node: Node<'t>, text: &str) -> Option<Item<'t>> {
        let name = field_text(node, "name", text)?;
        Some(Item::new(kind, name, node).with_braces(node.child_by_field_name("body")))
    }

    /// With the inside of a node in braces as body.
    pub fn with_braces(mut self, block: Option<Node<'_>>) -> Item<'t> {
        self.body = block.and_then(braces).map(|span| (span, BodyForm::Braces));
        self
    }
}

/// Where a node stands.
pub(crate) struct NodeContext<'t, 'a> {
    pub text: &'a str,
    /// The nodes around, outermost first.
    pub above: &'a [Node<'t>],
    /// True inside a function, however deep.
    pub in_function: bool,
}

impl<'t> NodeContext<'t, '_> {
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

/// The package that the clause of this kind names.
pub(crate) fn package(root: Node<'_>, kind: &str, text: &str) -> Option<String> {
    let clause = child_of(root, &[kind])?;
    let last = || clause.named_child(u32::try_from(clause.named_child_count()).ok()?.checked_sub(1)?);
    let name = clause.child_by_field_name("name").or_else(last)?;
    Some(text[name.byte_range()].split_whitespace().collect())
}
