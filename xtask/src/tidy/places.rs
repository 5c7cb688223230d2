//! What is in the repository works on any machine: no paths of one machine, no package source but each client's default.
//!
//! It looks at every text file, not only at code.

use anyhow::Result;

use super::{Breach, Rule};
use crate::workspace::{File, Workspace};

pub const RULE: Rule =
    Rule { name: "places", why: "a path or a package source of one machine makes the clone fail on all others", check };

/// Put together here, so that the list is not found by itself.
const MACHINE_PATHS: &[&str] = &[
    concat!("/wo", "rk/main"),
    concat!("/wo", "rk/shared"),
    concat!("/wo", "rk/."),
    concat!("../sha", "red/"),
    concat!("/ro", "ot/."),
    concat!("/tmp/bash", "_jobs"),
];

/// Settings that send a package client somewhere else.
const SOURCES: &[&str] = &[
    concat!("index", "-url"),
    concat!("index", "_url"),
    concat!("replace", "-with"),
    concat!("GO", "PROXY"),
    concat!("PIP_", "INDEX"),
    concat!("npm_config_", "registry"),
];

/// Where a lock file of cargo says packages come from by default.
const DEFAULT_SOURCE: &str = "registry+https://github.com/rust-lang/";

fn check(workspace: &Workspace) -> Result<Vec<Breach>> {
    Ok(workspace.files.iter().flat_map(of_file).collect())
}

/// The files that look at these settings, to learn which hosts they name; they choose none.
const READ_THEM: &[&str] = &["crates/sandbox/src/registries.rs", "crates/sandbox/src/tables/registries.txt"];

fn of_file(file: &File) -> Vec<Breach> {
    let mut breaches = Vec::new();
    for (number, line) in file.text.lines().enumerate() {
        let mut say = |what: String| breaches.push(Breach::at(&file.path, number + 1, what));
        for path in MACHINE_PATHS {
            if stands_alone(line, path) {
                say(format!("`{path}` is a place on one machine"));
            }
        }
        let reads = READ_THEM.iter().any(|it| file.path.ends_with(it));
        for setting in SOURCES.iter().filter(|setting| !reads && line.contains(**setting)) {
            say(format!("`{setting}` chooses a package source; leave that to each machine"));
        }
        if file.path.ends_with("Cargo.lock") && line.starts_with("source = ") && !line.contains(DEFAULT_SOURCE) {
            say("comes from another source than the default one".into());
        }
        if file.path.ends_with("package-lock.json") && line.contains("\"resolved\"") {
            say("records a download address; write the lock file with omit-lockfile-registry-resolved".into());
        }
    }
    breaches
}

/// Whether `path` begins a path in the line, and is not the middle of a longer one.
fn stands_alone(line: &str, path: &str) -> bool {
    line.match_indices(path)
        .any(|(at, _)| !line[..at].ends_with(|c: char| c.is_alphanumeric() || "_-.}/~*".contains(c)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn holds() {
        super::super::assert_holds(&RULE);
    }

    #[test]
    fn places_of_one_machine_are_found() {
        let text = format!("see {}\na/b{}c\n{} = 'x'\n", MACHINE_PATHS[0], MACHINE_PATHS[0], SOURCES[0]);
        let lock = format!("source = \"{DEFAULT_SOURCE}\"\nsource = \"git+https://example.com/a\"\n");
        let found = super::super::breaches(&RULE, &[("a.md", &text), ("Cargo.lock", &lock)]);
        assert_eq!(
            found,
            [
                format!("a.md:1: `{}` is a place on one machine", MACHINE_PATHS[0]),
                format!("a.md:3: `{}` chooses a package source; leave that to each machine", SOURCES[0]),
                "Cargo.lock:2: comes from another source than the default one".to_owned(),
            ]
        );
    }
}
