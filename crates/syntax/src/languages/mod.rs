//! The languages whose syntax is known: a table of the kinds of nodes and a file for what no table tells each, one line
//! in the list here.
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

use crate::language;

pub(crate) use grammar::{DefinitionContext, Grammar, Item, NodeContext};
pub(crate) use table::{ATTRIBUTE, CARRIER, FIELDS, IMPORT, ITEM, LEADING, LITERAL, NAME, NameUse, TYPE, Table};

const ALL: [&Grammar; 18] = [
    &rust::GRAMMAR,
    &python::GRAMMAR,
    &javascript::JAVASCRIPT,
    &javascript::TYPESCRIPT,
    &javascript::TSX,
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
    let (_, ending) = language::parts(path)?;
    match ending.as_str() {
        "h" => Some(&cpp::HEADER),
        "tsx" => Some(&javascript::TSX),
        _ => {
            let name = language::of_ending(&ending)?;
            ALL.iter().copied().find(|it| it.name == name)
        }
    }
}
