//! No test is switched off: what cannot run on a machine says so when it runs, and is counted.
//!
//! It looks at attributes only; a test that returns early is found by reviewers.

use anyhow::Result;

use super::{Breach, Rule};
use crate::workspace::Workspace;

pub const RULE: Rule =
    Rule { name: "ignored", why: "a test that nobody runs is believed all the same; mend it or remove it", check };

fn check(workspace: &Workspace) -> Result<Vec<Breach>> {
    let mut breaches = Vec::new();
    for (file, source) in workspace.sources() {
        for (number, line) in source.code.lines().enumerate() {
            if line.trim_start().starts_with("#[ignore") {
                breaches.push(Breach::at(&file.path, number + 1, "an ignored test"));
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
    fn an_ignored_test_is_found_and_a_quoted_one_is_not() {
        let files = [("a.rs", "const A: &str = \"\n#[ignore]\";\n#[test]\n#[ignore]\nfn f() {}\n")];
        assert_eq!(super::super::breaches(&RULE, &files), ["a.rs:4: an ignored test"]);
    }
}
