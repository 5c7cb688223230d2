//! What a walk must know of each kind of node, by the kind's number: most nodes are passed over with one look.
//!
//! A language's own table is a text. Its first lines say a word about kinds of nodes (`function`, `type`, `value`, `module`:
//! a definition with a field for its name; `item`: one that the grammar's code reads; `comment`, `attribute`, `literal`,
//! `import`, `type_name`, `name`) or about the whole language (`separator`, `unchecked`, `takes_semicolon`,
//! `docs_in_body`). Behind an empty line stands what a name is in a field of a node: the node's kind, the field, the use; `-`
//! stands for all. It is read when a file of the language is met for the first time, and never for another.

use std::sync::OnceLock;

use tree_sitter::{Language, Node};

use super::ALL;
use super::grammar::{Grammar, Item, NodeContext};
use crate::definitions::SymbolKind;
use crate::facts::RefKind;

/// Something can be defined by nodes of this kind.
pub(crate) const ITEM: u16 = 1;
/// Nodes of this kind can be about what follows.
pub(crate) const LEADING: u16 = 2;
/// Nodes of this kind can import something.
pub(crate) const IMPORT: u16 = 4;
/// Nodes of this kind are names of types.
pub(crate) const TYPE: u16 = 8;
/// Nodes of this kind are names.
pub(crate) const NAME: u16 = 16;
/// Where nodes of this kind stand decides what the names in them are.
pub(crate) const CARRIER: u16 = 32;
/// Which field they stand in tells what names in nodes of this kind are.
pub(crate) const FIELDS: u16 = 64;
/// Nodes of this kind are no words about what follows, but an attribute or decorator of it.
pub(crate) const ATTRIBUTE: u16 = 128;
/// Nodes of this kind are literals whose inner lines must not be indented anew.
pub(crate) const LITERAL: u16 = 256;

/// The words of a table with the roles that they give, and what nodes of such a kind define by themselves.
const WORDS: [(&str, u16, Option<SymbolKind>); 11] = [
    ("function", ITEM, Some(SymbolKind::Function)),
    ("type", ITEM, Some(SymbolKind::Type)),
    ("value", ITEM, Some(SymbolKind::Value)),
    ("module", ITEM, Some(SymbolKind::Module)),
    ("item", ITEM, None),
    ("comment", LEADING, None),
    ("attribute", LEADING | ATTRIBUTE, None),
    ("literal", LITERAL, None),
    ("import", IMPORT, None),
    ("type_name", TYPE, None),
    ("name", NAME, None),
];

/// What nodes mean, by the number of their kind.
pub(crate) struct Table {
    grammar: &'static Grammar,
    roles: Vec<u16>,
    /// What nodes define that need no more than their name for it.
    kinds: Vec<Option<SymbolKind>>,
    places: Vec<Vec<(u16, NameUse)>>,
    /// What names are in fields of nodes that are not told of.
    elsewhere: Vec<(u16, NameUse)>,
}

impl Table {
    /// The table of a grammar.
    pub fn of(grammar: &'static Grammar) -> &'static Table {
        static TABLES: [OnceLock<Table>; ALL.len()] = [const { OnceLock::new() }; ALL.len()];
        let at = ALL.iter().position(|it| std::ptr::eq(*it, grammar)).expect("every grammar is in the list");
        TABLES[at].get_or_init(|| Table::new(grammar))
    }

    fn new(grammar: &'static Grammar) -> Table {
        let language: Language = (grammar.language)();
        let count = language.node_kind_count();
        let (roles, kinds) = (vec![0; count], vec![None; count]);
        let mut table = Table { grammar, roles, kinds, places: vec![Vec::new(); count], elsewhere: Vec::new() };
        let uses: Vec<(&str, &str, NameUse)> = uses(grammar.table).collect();
        for (_, field, what) in uses.iter().filter(|it| it.0.is_empty()) {
            table.elsewhere.extend(field_id(&language, field).map(|it| (it, *what)));
        }
        for id in (0..count).filter_map(|it| u16::try_from(it).ok()) {
            let named = language.node_kind_is_named(id) && language.node_kind_is_visible(id);
            let Some(kind) = language.node_kind_for_id(id).filter(|_| named) else { continue };
            let at = usize::from(id);
            for (word, _) in said(grammar.table).filter(|it| it.1.split(' ').any(|it| it == kind)) {
                let (_, role, defines) = WORDS.into_iter().find(|it| it.0 == word).unwrap_or_default();
                table.roles[at] |= role;
                table.kinds[at] = table.kinds[at].or(defines);
            }
            // The name of what is defined is no use of it.
            if table.roles[at] & ITEM != 0 {
                table.place(&language, at, "name", NameUse::Nothing);
            }
            for (_, field, what) in uses.iter().filter(|it| it.0 == kind) {
                table.place(&language, at, field, *what);
                if matches!(what, NameUse::Around | NameUse::Member | NameUse::Tail) {
                    table.roles[at] |= CARRIER;
                }
            }
            let reported = table.places[at].iter().chain(&table.elsewhere).any(|it| it.0 != 0);
            table.roles[at] |= if reported { FIELDS } else { 0 };
        }
        table
    }

    /// Says what names are in a field of a node; in all fields for an empty one. The last word counts.
    fn place(&mut self, language: &Language, at: usize, field: &str, what: NameUse) {
        let Some(field) = field_id(language, field) else { return };
        self.places[at].retain(|it| it.0 != field);
        self.places[at].push((field, what));
    }

    /// What the table says of the whole language by this word; none where it does not have it.
    pub fn says(&self, word: &str) -> Option<&'static str> {
        said(self.grammar.table).find(|it| it.0 == word).map(|it| it.1)
    }

    /// What a node defines, if it does.
    pub fn item<'t>(&self, node: Node<'t>, place: &NodeContext<'t, '_>) -> Option<Item<'t>> {
        match self.kinds[usize::from(node.kind_id())] {
            Some(kind) => Item::named(kind, node, place.text),
            None => (self.grammar.item)(node, place),
        }
    }

    /// The roles of nodes of a kind.
    pub fn role(&self, kind: u16) -> u16 {
        self.roles.get(usize::from(kind)).copied().unwrap_or_default()
    }

    /// What a name is in a field of a node of this kind, where that is told.
    pub fn used(&self, kind: u16, field: u16) -> Option<NameUse> {
        let own = self.places.get(usize::from(kind)).map(Vec::as_slice).unwrap_or_default();
        let in_field = |rows: &[(u16, NameUse)], field: u16| rows.iter().find(|it| it.0 == field).map(|it| it.1);
        let reported = in_field(own, field).or_else(|| in_field(own, 0));
        reported.or_else(|| in_field(&self.elsewhere, field)).or_else(|| in_field(&self.elsewhere, 0))
    }
}

/// The number of a field; 0 for an empty name, which stands for all.
fn field_id(language: &Language, field: &str) -> Option<u16> {
    if field.is_empty() { Some(0) } else { language.field_id_for_name(field).map(std::num::NonZeroU16::get) }
}

/// What a table says of kinds of nodes, or of the whole language.
fn said(table: &'static str) -> impl Iterator<Item = (&'static str, &'static str)> {
    table.lines().take_while(|it| !it.is_empty()).map(|it| it.split_once(' ').unwrap_or((it, "")))
}

/// What it says of names: kind of node, field, use. An empty kind or field stands for all.
fn uses(table: &'static str) -> impl Iterator<Item = (&'static str, &'static str, NameUse)> {
    table.lines().skip_while(|it| !it.is_empty()).skip(1).map(|line| {
        let mut words = line.split(' ').map(|it| if it == "-" { "" } else { it });
        let mut next = || words.next().unwrap_or_default();
        let (kind, field, name) = (next(), next(), next());
        let known = NAMES.iter().find(|it| it.0 == name);
        (kind, field, known.expect("a test reads every table").1)
    })
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_names_a_kind_and_a_field_of_a_grammar_that_has_the_table() {
        for grammar in ALL {
            let sharing = ALL.iter().filter(|it| it.table == grammar.table);
            let languages: Vec<Language> = sharing.map(|it| (it.language)()).collect();
            let has_kind = |kind: &str| languages.iter().any(|it| it.id_for_node_kind(kind, true) != 0);
            let has_field = |field: &str| languages.iter().any(|it| it.field_id_for_name(field).is_some());
            for (kind, field, _) in uses(grammar.table) {
                let known = (kind.is_empty() || has_kind(kind)) && (field.is_empty() || has_field(field));
                assert!(known, "{}: {kind} {field}", grammar.name);
            }
            for (word, what) in said(grammar.table) {
                let known = match word {
                    "unchecked" | "takes_semicolon" | "docs_in_body" => what.is_empty(),
                    "separator" => true,
                    _ => WORDS.iter().any(|it| it.0 == word) && what.split(' ').all(has_kind),
                };
                assert!(known, "{}: {word} {what}", grammar.name);
            }
        }
    }
}
