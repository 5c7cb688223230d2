//! Every library that we build on may be built on: its licence is in deny.toml's list, its name is not among the bans.
//!
//! It reads the same deny.toml as cargo-deny, so that the answer is the same where that tool is not installed.

use anyhow::{Context, Result};
use cargo_metadata::MetadataCommand;
use toml::{Table, Value};

use super::{Breach, Rule};
use crate::workspace::Workspace;

pub const RULE: Rule =
    Rule { name: "licences", why: "whoever ships Ox must be able to fulfil every licence in it; see deny.toml", check };

fn check(workspace: &Workspace) -> Result<Vec<Breach>> {
    let rules: Table = workspace.text("deny.toml").parse().context("deny.toml")?;
    let allowed = strings(rules.get("licenses").and_then(|table| table.get("allow")));
    let banned = rules.get("bans").and_then(|table| table.get("deny")?.as_array()).cloned().unwrap_or_default();
    let metadata = MetadataCommand::new()
        .manifest_path(workspace.root.join("Cargo.toml"))
        .other_options(["--locked".to_owned()])
        .exec()
        .context("cargo metadata lists every dependency")?;
    let mut breaches = Vec::new();
    for package in metadata.packages.iter().filter(|package| package.source.is_some()) {
        let terms = package.license.as_deref().unwrap_or("no licence");
        if !permits(terms, &allowed) {
            breaches.push(Breach::of("Cargo.lock", format!("{} {} is under {terms}", package.name, package.version)));
        }
        let is_banned = banned.iter().any(|ban| name_of(ban) == Some(package.name.as_str()));
        if is_banned {
            breaches.push(Breach::of("Cargo.lock", format!("{} is banned", package.name)));
        }
    }
    Ok(breaches)
}

fn strings(value: Option<&Value>) -> Vec<String> {
    let list = value.and_then(Value::as_array).into_iter().flatten();
    list.filter_map(Value::as_str).map(str::to_owned).collect()
}

fn name_of(ban: &Value) -> Option<&str> {
    ban.as_str().or_else(|| ban.get("crate")?.as_str()).or_else(|| ban.get("name")?.as_str())
}

/// Whether an SPDX expression can be fulfilled with the allowed licences; `OR` binds weaker than `AND`.
fn permits(expression: &str, allowed: &[String]) -> bool {
    let spaced = expression.replace('(', " ( ").replace(')', " ) ").replace('/', " OR ");
    let words: Vec<&str> = spaced.split_whitespace().collect();
    let mut rest = words.as_slice();
    any_of(&mut rest, allowed) && rest.is_empty()
}

fn any_of(words: &mut &[&str], allowed: &[String]) -> bool {
    let mut holds = all_of(words, allowed);
    while words.first() == Some(&"OR") {
        *words = &words[1..];
        holds |= all_of(words, allowed);
    }
    holds
}

fn all_of(words: &mut &[&str], allowed: &[String]) -> bool {
    let mut holds = one(words, allowed);
    while words.first() == Some(&"AND") {
        *words = &words[1..];
        holds &= one(words, allowed);
    }
    holds
}

fn one(words: &mut &[&str], allowed: &[String]) -> bool {
    let Some((first, rest)) = words.split_first() else { return false };
    *words = rest;
    if *first == "(" {
        let holds = any_of(words, allowed);
        *words = words.get(1..).unwrap_or_default();
        return holds;
    }
    let mut name = (*first).to_owned();
    if let [with @ "WITH", exception, ..] = words {
        name = format!("{name} {with} {exception}");
        *words = &words[2..];
    }
    allowed.contains(&name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn holds() {
        super::super::assert_holds(&RULE);
    }

    #[test]
    fn expressions_are_read_as_spdx_means_them() {
        let allowed = ["MIT", "Apache-2.0", "Apache-2.0 WITH LLVM-exception", "Unicode-3.0"].map(String::from);
        for (expression, expected) in [
            ("MIT", true),
            ("GPL-3.0", false),
            ("GPL-3.0 OR MIT", true),
            ("MIT/Apache-2.0", true),
            ("GPL-3.0 AND MIT", false),
            ("(MIT OR GPL-3.0) AND Unicode-3.0", true),
            ("(MIT OR Apache-2.0) AND GPL-3.0", false),
            ("Apache-2.0 WITH LLVM-exception OR GPL-3.0", true),
            ("Apache-2.0 WITH Other", false),
            ("no licence", false),
        ] {
            assert_eq!(permits(expression, &allowed), expected, "{expression}");
        }
    }
}
