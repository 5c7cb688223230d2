//! No type is called after nothing: a name that fits everything says nothing about the one thing it names. And no identifier
//! is made of a word that Ox alone once used for what the field has a term for.

use anyhow::Result;

use super::{Breach, Rule};
use crate::workspace::Workspace;

pub const RULE: Rule = Rule {
    name: "names",
    why: "name a type after what it is; a word that fits any type tells the reader nothing",
    check,
};

/// Words of our own that gave way to the field's terms: sandbox, environment, fixture, report, request, hook.
const OWN_WORDS: &[&str] = &[
    "asker",
    "belief",
    "births",
    "desk",
    "heard",
    "keeping",
    "leash",
    "losses",
    "moments",
    "occasion",
    "senseless",
    "surroundings",
    "told",
    "unsay",
    "walls",
    "weather",
    "weigh",
    "wish",
    "world",
];

const EMPTY_WORDS: &[&str] = &["Manager", "Helper", "Helpers", "Util", "Utils", "Service", "Handler"];

fn check(workspace: &Workspace) -> Result<Vec<Breach>> {
    let mut breaches = Vec::new();
    for (file, source) in workspace.sources() {
        for (name, line) in source.types() {
            if let Some(word) = EMPTY_WORDS.iter().find(|word| name.ends_with(**word)) {
                breaches.push(Breach::at(&file.path, line, format!("`{name}` ends in `{word}`")));
            }
        }
        for (at, line) in source.code.lines().enumerate() {
            for word in line.split(|it: char| !it.is_ascii_alphabetic()).flat_map(humps).filter(|it| is_own(it)) {
                breaches.push(Breach::at(&file.path, at + 1, format!("an identifier has the word `{word}`")));
            }
        }
    }
    Ok(breaches)
}

/// The words that begin with a capital each: `HookInput` has two.
fn humps(name: &str) -> impl Iterator<Item = &str> {
    let starts = |(_, pair): &(usize, &[u8])| pair[0].is_ascii_lowercase() && pair[1].is_ascii_uppercase();
    let cuts = name.as_bytes().windows(2).enumerate().filter(starts).map(|(at, _)| at + 1);
    let mut from = 0;
    cuts.chain([name.len()]).map(move |to| &name[std::mem::replace(&mut from, to)..to])
}

fn is_own(word: &str) -> bool {
    OWN_WORDS.iter().any(|own| own.eq_ignore_ascii_case(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn holds() {
        super::super::assert_holds(&RULE);
    }

    #[test]
    fn an_empty_word_is_found_at_the_end_of_a_name_only() {
        let files = [("a.rs", "struct ServiceTax;\nenum ToolManager {}\n")];
        assert_eq!(super::super::breaches(&RULE, &files), ["a.rs:2: `ToolManager` ends in `Manager`"]);
    }

    #[test]
    fn a_word_of_our_own_is_found_in_any_identifier() {
        let files = [("a.rs", "struct TheWorld; // a world\nfn who_told(worldly: u8) { \"walls\"; }\n")];
        assert_eq!(
            super::super::breaches(&RULE, &files),
            ["a.rs:1: an identifier has the word `World`", "a.rs:2: an identifier has the word `told`"]
        );
    }
}
