//! No type is called after nothing: a name that fits everything says nothing about the one thing it names.

use anyhow::Result;

use super::{Breach, Rule};
use crate::workspace::Workspace;

pub const RULE: Rule = Rule {
    name: "names",
    why: "name a type after what it is; a word that fits any type tells the reader nothing",
    check,
};

const EMPTY_WORDS: &[&str] = &["Manager", "Helper", "Helpers", "Util", "Utils", "Service", "Handler"];

fn check(workspace: &Workspace) -> Result<Vec<Breach>> {
    let mut breaches = Vec::new();
    for (file, source) in workspace.sources() {
        for (name, line) in source.types() {
            if let Some(word) = EMPTY_WORDS.iter().find(|word| name.ends_with(**word)) {
                breaches.push(Breach::at(&file.path, line, format!("`{name}` ends in `{word}`")));
            }
        }
    }
    Ok(breaches)
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
}
