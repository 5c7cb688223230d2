//! What a walk must know of each kind of node, by the kind's number: most nodes are passed over with one look.
//!
//! A table is made when a file of its language is met for the first time, and never for another.

use std::sync::OnceLock;

use tree_sitter::Language;

use super::ALL;
use super::grammar::{Grammar, NameUse};

/// Something can be defined by nodes of this kind.
pub(crate) const ITEM: u8 = 1;
/// Nodes of this kind can be about what follows.
pub(crate) const LEADING: u8 = 2;
/// Nodes of this kind can import something.
pub(crate) const IMPORT: u8 = 4;
/// Nodes of this kind are names of types.
pub(crate) const TYPE: u8 = 8;
/// Nodes of this kind are names.
pub(crate) const NAME: u8 = 16;
/// Where nodes of this kind stand decides what the names in them are.
pub(crate) const CARRIER: u8 = 32;

/// Which field they stand in tells what names in nodes of this kind are.
pub(crate) const FIELDS: u8 = 64;

/// What nodes mean, by the number of their kind.
pub(crate) struct Table {
    roles: Vec<u8>,
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

    fn new(grammar: &Grammar) -> Table {
        let language: Language = (grammar.language)();
        let count = language.node_kind_count();
        let mut table = Table { roles: vec![0; count], places: vec![Vec::new(); count], elsewhere: Vec::new() };
        let uses: Vec<(&str, &str, NameUse)> = NameUse::rows(grammar.uses).collect();
        for (_, field, what) in uses.iter().filter(|it| it.0.is_empty()) {
            table.elsewhere.extend(field_id(&language, field).map(|it| (it, *what)));
        }
        for id in (0..count).filter_map(|it| u16::try_from(it).ok()) {
            let named = language.node_kind_is_named(id) && language.node_kind_is_visible(id);
            let Some(kind) = language.node_kind_for_id(id).filter(|_| named) else { continue };
            let is = |list: &[&str], role: u8| if list.contains(&kind) { role } else { 0 };
            let at = usize::from(id);
            table.roles[at] |= is(grammar.items, ITEM) | is(grammar.import_kinds, IMPORT);
            table.roles[at] |= is(grammar.type_names, TYPE) | is(grammar.names, NAME);
            if grammar.leading.iter().any(|(it, _)| *it == kind) {
                table.roles[at] |= LEADING;
            }
            // The name of what is defined is no use of it.
            if grammar.items.contains(&kind) {
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

    /// The roles of nodes of a kind.
    pub fn role(&self, kind: u16) -> u8 {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_names_a_kind_and_a_field_of_a_grammar_that_has_the_table() {
        for grammar in ALL {
            let sharing = ALL.iter().filter(|it| it.uses == grammar.uses);
            let languages: Vec<Language> = sharing.map(|it| (it.language)()).collect();
            let has_kind = |kind: &str| languages.iter().any(|it| it.id_for_node_kind(kind, true) != 0);
            let has_field = |field: &str| languages.iter().any(|it| it.field_id_for_name(field).is_some());
            for (kind, field, _) in NameUse::rows(grammar.uses) {
                let known = (kind.is_empty() || has_kind(kind)) && (field.is_empty() || has_field(field));
                assert!(known, "{}: {kind} {field}", grammar.name);
            }
        }
    }
}
