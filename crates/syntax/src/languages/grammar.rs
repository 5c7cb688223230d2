//! What is known of a language: which nodes define something, which import, and what a name is where it stands.
//!
//! A grammar says nothing about how a tree is walked, and its parser is not touched before a file of the language is parsed.

use std::ops::Range;

use tree_sitter::{Language, Node, Tree};

use crate::definitions::{BodyForm, SymbolKind};
use crate::facts::{Import, RefKind};

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
    pub fallback: Option<&'static Grammar>,
    /// What stands between the parts of a qualified name.
    pub separator: &'static str,
    /// What a node defines, if it does.
    pub item: for<'t> fn(Node<'t>, &NodeContext<'t, '_>) -> Option<Item<'t>>,
    /// True for a node around a single definition that belongs to it, such as `export` and decorators.
    pub is_wrapper: fn(Node<'_>) -> bool,
    /// The kinds of nodes that `item` looks at.
    pub items: &'static [&'static str],
    /// What nodes before a definition are to it.
    pub leading: &'static [(&'static str, Leading)],
    /// True for a node of these that is about no definition.
    pub is_detached: fn(Node<'_>, &str) -> bool,
    /// The kinds of nodes that `import` looks at.
    pub import_kinds: &'static [&'static str],
    /// Adds what a node imports. True where it was an import and nothing in it is to be looked at any more.
    pub import: fn(Node<'_>, &NodeContext<'_, '_>, &mut Vec<Import>) -> bool,
    /// The kinds of nodes that are names of types.
    pub type_names: &'static [&'static str],
    /// The kinds of nodes that are other names.
    pub names: &'static [&'static str],
    /// What a name is in a field of a node: lines of the node's kind, the field and the use; `-` stands for all.
    pub uses: &'static str,
    /// True where other files can name a definition, as far as it tells by itself.
    pub exported: fn(&DefinitionContext<'_>) -> bool,
    /// True for a definition that is a test.
    pub test: fn(&DefinitionContext<'_>) -> bool,
    /// True where words about a definition are the first ones of its body.
    pub docs_in_body: bool,
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
    pub(super) const BASE: Grammar = Grammar {
        name: "",
        endings: &[],
        language: || -> Language { tree_sitter_c::LANGUAGE.into() },
        checked: true,
        fallback: None,
        separator: ".",
        item: |_, _| None,
        is_wrapper: |_| false,
        items: &[],
        leading: &[("comment", Leading::Comment)],
        is_detached: |_, _| false,
        import_kinds: &[],
        import: |_, _, _| false,
        type_names: &["type_identifier"],
        names: &["identifier", "field_identifier", "property_identifier"],
        uses: "",
        exported: |_| true,
        test: |_| false,
        docs_in_body: false,
        literals: &[],
        takes_semicolon: false,
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
    /// SymbolKind and signature of the definition right around.
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
}

/// What a node before a definition is to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Leading {
    /// Words about it.
    Comment,
    /// An attribute or decorator.
    Attribute,
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

/// What a name is where it stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NameUse {
    /// A use of this kind.
    Reference(RefKind),
    /// The file binds it: a parameter, a variable.
    Bound,
    /// It is the name of what is defined, a label, a key: no use at all.
    Nothing,
    /// A scope in front of a name: a type if it begins with a capital letter, else nothing.
    Scope,
    /// What the node around is where that stands.
    Around,
    /// As `Around`, with something in front of the name.
    Member,
    /// As `Member` at the end of the node around, else a value.
    Tail,
    /// The file binds it as a type parameter.
    BoundType,
    /// A component if it begins with a capital letter, else a plain tag.
    Component,
    /// The name of a type, used unless the node around has a body.
    Tag,
    /// A word that no syntax tells about: what follows it does.
    Token,
}

impl NameUse {
    /// Each use by its name in the tables.
    const NAMES: [(&str, NameUse); 13] = [
        ("call", NameUse::Reference(RefKind::Call)),
        ("type", NameUse::Reference(RefKind::Type)),
        ("other", NameUse::Reference(RefKind::Other)),
        ("bound", NameUse::Bound),
        ("nothing", NameUse::Nothing),
        ("scope", NameUse::Scope),
        ("around", NameUse::Around),
        ("member", NameUse::Member),
        ("tail", NameUse::Tail),
        ("bound_type", NameUse::BoundType),
        ("component", NameUse::Component),
        ("tag", NameUse::Tag),
        ("token", NameUse::Token),
    ];

    /// The rows of a grammar's `uses`: kind of node, field, use. An empty kind or field stands for all.
    pub fn rows(table: &'static str) -> impl Iterator<Item = (&'static str, &'static str, NameUse)> {
        table.lines().filter(|it| !it.starts_with('#')).map(|line| {
            let mut words = line.split(' ').map(|it| if it == "-" { "" } else { it });
            let mut next = || words.next().unwrap_or_default();
            let (kind, field, name) = (next(), next(), next());
            let known = NameUse::NAMES.iter().find(|it| it.0 == name);
            (kind, field, known.expect("a test reads every table").1)
        })
    }
}
