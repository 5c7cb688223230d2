//! The languages whose syntax is known: one file each, one line in the table here.
//!
//! A language's file says what its definitions are and nothing about how a text is walked; its tables are never touched
//! before a file of the language is parsed.

mod bash;
mod c;
mod cpp;
mod csharp;
mod go;
mod grammar;
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

pub(crate) use grammar::{DefinitionContext, Grammar, Item, Leading, NameUse, NodeContext};
pub(crate) use table::{CARRIER, FIELDS, IMPORT, ITEM, LEADING, NAME, TYPE, Table};

const ALL: [&Grammar; 18] = [
    &rust::GRAMMAR,
    &python::GRAMMAR,
    &javascript::GRAMMAR,
    &typescript::GRAMMAR,
    &typescript::GRAMMAR_WITH_TAGS,
    &go::GRAMMAR,
    &java::GRAMMAR,
    &c::GRAMMAR,
    &cpp::HEADER,
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
