//! Each crate carries a short `.ac.mod.md`: purpose, entry point, invariants, how to test.
//!
//! Presence and length are checked here, truth by whoever reads it.

use anyhow::Result;

use super::{Breach, Rule};
use crate::workspace::Workspace;

pub const RULE: Rule =
    Rule { name: "module-docs", why: "whoever enters a crate, person or model, reads its `.ac.mod.md` first", check };

/// Lines of a module document: one screen.
const LINES: usize = 60;

fn check(workspace: &Workspace) -> Result<Vec<Breach>> {
    let crates = workspace.crates().into_iter().map(|name| format!("crates/{name}"));
    let mut breaches = Vec::new();
    for folder in crates.chain(["scenario".into(), "xtask".into()]) {
        let path = format!("{folder}/.ac.mod.md");
        let lines = workspace.text(&path).trim().lines().count();
        if lines == 0 {
            breaches.push(Breach::of(path, "is missing or empty"));
        } else if lines > LINES {
            breaches.push(Breach::of(path, format!("has {lines} lines, {LINES} at most")));
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
    fn a_crate_without_its_document_is_found() {
        let long = "a\n".repeat(61);
        let files = [
            ("crates/a/Cargo.toml", ""),
            ("crates/b/Cargo.toml", ""),
            ("crates/b/.ac.mod.md", "Purpose.\n"),
            ("scenario/.ac.mod.md", long.as_str()),
            ("xtask/.ac.mod.md", "Purpose.\n"),
        ];
        assert_eq!(
            super::super::breaches(&RULE, &files),
            ["crates/a/.ac.mod.md: is missing or empty", "scenario/.ac.mod.md: has 61 lines, 60 at most"]
        );
    }
}
