//! The workspace's lints hold everywhere: no `unwrap` outside tests, no leftovers, no unsafe code by accident.
//!
//! Clippy finds the breaches; this rule only makes sure that no crate has opted out of being looked at.

use anyhow::Result;
use toml::Table;

use super::{Breach, Rule};
use crate::workspace::Workspace;

pub const RULE: Rule =
    Rule { name: "lints", why: "a crate that does not inherit the lint table escapes the rules silently", check };

/// Lints that the root manifest must set.
const REQUIRED: &[(&str, &str)] = &[
    ("rust", "unsafe_code"),
    ("rust", "missing_docs"),
    ("clippy", "unwrap_used"),
    ("clippy", "todo"),
    ("clippy", "unimplemented"),
    ("clippy", "dbg_macro"),
];

fn check(workspace: &Workspace) -> Result<Vec<Breach>> {
    let mut breaches = Vec::new();
    let root: Table = workspace.text("Cargo.toml").parse()?;
    for (tool, lint) in REQUIRED {
        let level = root.get("workspace").and_then(|w| w.get("lints")?.get(tool)?.get(lint)).and_then(|l| l.as_str());
        if !matches!(level, Some("warn" | "deny" | "forbid")) {
            breaches.push(Breach::of("Cargo.toml", format!("the lint {tool}::{lint} is not set")));
        }
    }
    for file in workspace.files.iter().filter(|file| file.path.ends_with("/Cargo.toml")) {
        let manifest: Table = file.text.parse()?;
        let inherits = manifest.get("lints").and_then(|lints| lints.get("workspace")?.as_bool());
        // A folder with a workspace of its own, such as the fuzzer's, cannot inherit from ours.
        let own = manifest.contains_key("workspace");
        if manifest.contains_key("package") && inherits != Some(true) && is_member(&file.path) && !own {
            breaches.push(Breach::of(&file.path, "says no `[lints] workspace = true`"));
        }
    }
    let rust = workspace.sources().filter(|(_, source)| !source.is_test);
    for (file, source) in rust {
        for line in source.uses("allow(clippy::unwrap_used)") {
            breaches.push(Breach::at(
                &file.path,
                line,
                "allows `unwrap` outside tests; say `expect` and name the invariant",
            ));
        }
    }
    Ok(breaches)
}

/// Sample projects that tests and the demo carry are packages of their own.
fn is_member(path: &str) -> bool {
    let depth = path.split('/').count();
    (path.starts_with("crates/") && depth == 3) || (depth == 2 && !path.starts_with("crates/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn holds() {
        super::super::assert_holds(&RULE);
    }

    #[test]
    fn opting_out_is_found() {
        let root = "[workspace.lints.rust]\nunsafe_code = 'deny'\nmissing_docs = 'warn'\n\
                    [workspace.lints.clippy]\nunwrap_used = 'allow'\ntodo = 'warn'\nunimplemented = 'warn'\ndbg_macro = 'warn'\n";
        let files = [
            ("Cargo.toml", root),
            ("crates/a/Cargo.toml", "[package]\nname = 'a'\n[lints]\nworkspace = true\n"),
            ("crates/b/Cargo.toml", "[package]\nname = 'b'\n"),
            ("fuzz/Cargo.toml", "[package]\nname = 'fuzz'\n[workspace]\n"),
            ("crates/b/sample/Cargo.toml", "[package]\nname = 'sample'\n"),
            ("crates/b/src/c.rs", "#[allow(clippy::unwrap_used)]\nfn f() {}\n"),
        ];
        assert_eq!(
            super::super::breaches(&RULE, &files),
            [
                "Cargo.toml: the lint clippy::unwrap_used is not set",
                "crates/b/Cargo.toml: says no `[lints] workspace = true`",
                "crates/b/src/c.rs:1: allows `unwrap` outside tests; say `expect` and name the invariant",
            ]
        );
    }
}
