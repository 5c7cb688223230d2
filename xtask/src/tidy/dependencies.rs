//! One version and one feature set of each dependency, said once in the root manifest.
//!
//! Also the other way round: what the root manifest lists, somebody uses.

use std::collections::BTreeSet;

use anyhow::Result;
use toml::{Table, Value};

use super::{Breach, Rule};
use crate::workspace::{File, Workspace};

pub const RULE: Rule = Rule {
    name: "dependencies",
    why: "two versions of one library cost build time and make types that look alike differ",
    check,
};

const KINDS: &[&str] = &["dependencies", "dev-dependencies", "build-dependencies"];

fn check(workspace: &Workspace) -> Result<Vec<Breach>> {
    let mut breaches = Vec::new();
    let mut used = BTreeSet::new();
    for file in members(workspace) {
        let manifest: Table = file.text.parse()?;
        // A folder with a workspace of its own, such as the fuzzer's, cannot inherit from ours.
        if manifest.contains_key("workspace") {
            continue;
        }
        let targets = manifest.get("target").and_then(Value::as_table).into_iter().flat_map(Table::values);
        let tables = std::iter::once(&manifest).chain(targets.filter_map(Value::as_table));
        for dependencies in tables.flat_map(|table| KINDS.iter().filter_map(|kind| table.get(*kind)?.as_table())) {
            for (name, spec) in dependencies {
                used.insert(name.clone());
                if spec.get("workspace").and_then(Value::as_bool) != Some(true) {
                    breaches
                        .push(Breach::of(&file.path, format!("`{name}` has its own version; say `workspace = true`")));
                }
            }
        }
    }
    let root: Table = workspace.text("Cargo.toml").parse()?;
    let listed = root.get("workspace").and_then(|workspace| workspace.get("dependencies")?.as_table());
    for name in listed.into_iter().flat_map(Table::keys).filter(|name| !used.contains(*name)) {
        if !name.starts_with("ox") {
            breaches.push(Breach::of("Cargo.toml", format!("nobody uses `{name}`; remove it")));
        }
    }
    Ok(breaches)
}

fn members(workspace: &Workspace) -> impl Iterator<Item = &File> {
    workspace.files.iter().filter(|file| {
        let depth = file.path.split('/').count();
        file.path.ends_with("/Cargo.toml") && depth == if file.path.starts_with("crates/") { 3 } else { 2 }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn holds() {
        super::super::assert_holds(&RULE);
    }

    #[test]
    fn a_private_version_and_an_unused_entry_are_found() {
        let files = [
            ("Cargo.toml", "[workspace.dependencies]\nserde = '1'\nregex = '1'\n"),
            ("crates/a/Cargo.toml", "[dependencies]\nserde.workspace = true\n[dev-dependencies]\ntoml = '1'\n"),
        ];
        assert_eq!(
            super::super::breaches(&RULE, &files),
            [
                "crates/a/Cargo.toml: `toml` has its own version; say `workspace = true`",
                "Cargo.toml: nobody uses `regex`; remove it",
            ]
        );
    }
}
