//! Dependencies point down: each crate may use exactly the crates that the picture in ARCHITECTURE.md puts below it.
//!
//! Reads manifests through cargo; dependencies of tests and build scripts are free.

use anyhow::{Context, Result};
use cargo_metadata::{DependencyKind, MetadataCommand};

use super::{Breach, Rule};
use crate::workspace::Workspace;

pub const RULE: Rule = Rule {
    name: "layers",
    why: "a dependency that points sideways or up makes two rooms into one; move the shared part down instead",
    check,
};

/// Which of our crates each of our crates may use. A crate that is not here is one too many.
const MAY_USE: &[(&str, &[&str])] = &[
    ("protocol", &[]),
    ("core", &["protocol"]),
    ("edit", &[]),
    ("index", LAYER_1),
    ("model", LAYER_1),
    ("repo", LAYER_1),
    ("sandbox", LAYER_1),
    ("store", LAYER_1),
    ("client", &["protocol"]),
    ("context", LAYER_2),
    ("tools", LAYER_2),
    (
        "agent",
        &["protocol", "core", "edit", "index", "model", "repo", "sandbox", "store", "context", "tools", "client"],
    ),
    ("server", SERVER),
    ("ui", &["protocol", "client"]),
    ("ox", OX),
    ("scenario", SERVER),
    ("xtask", &[]),
];

const LAYER_1: &[&str] = &["protocol", "core", "edit"];
const LAYER_2: &[&str] = &["protocol", "core", "edit", "index", "model", "repo", "sandbox", "store"];
const SERVER: &[&str] =
    &["protocol", "core", "edit", "index", "model", "repo", "sandbox", "store", "context", "tools", "client", "agent"];
const OX: &[&str] = &[
    "protocol", "core", "edit", "index", "model", "repo", "sandbox", "store", "context", "tools", "client", "agent",
    "server", "ui",
];

fn check(workspace: &Workspace) -> Result<Vec<Breach>> {
    let metadata = MetadataCommand::new()
        .manifest_path(workspace.root.join("Cargo.toml"))
        .no_deps()
        .exec()
        .context("cargo metadata lists the workspace's packages")?;
    let mut breaches = Vec::new();
    for package in &metadata.packages {
        let name = short(&package.name);
        let uses = package
            .dependencies
            .iter()
            .filter(|dependency| dependency.kind == DependencyKind::Normal && dependency.path.is_some())
            .map(|dependency| short(&dependency.name));
        let manifest = package.manifest_path.strip_prefix(&workspace.root).unwrap_or(&package.manifest_path);
        breaches.extend(wrong(name, uses).into_iter().map(|what| Breach::of(manifest.as_str(), what)));
    }
    Ok(breaches)
}

fn wrong<'a>(name: &str, uses: impl Iterator<Item = &'a str>) -> Vec<String> {
    let Some((_, allowed)) = MAY_USE.iter().find(|(known, _)| *known == name) else {
        return vec![format!(
            "`{name}` is not in the picture; a new crate needs a new kind of I/O and a line in MAY_USE"
        )];
    };
    uses.filter(|used| !allowed.contains(used)).map(|used| format!("`{name}` may not depend on `{used}`")).collect()
}

/// A package's name without the project's prefix.
fn short(name: &str) -> &str {
    name.strip_prefix("ox-").unwrap_or(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn holds() {
        super::super::assert_holds(&RULE);
    }

    #[test]
    fn sideways_and_upwards_are_refused() {
        assert!(wrong("tools", ["repo", "edit"].into_iter()).is_empty());
        assert_eq!(wrong("repo", ["store"].into_iter()), ["`repo` may not depend on `store`"]);
        assert_eq!(wrong("ui", ["client", "agent"].into_iter()), ["`ui` may not depend on `agent`"]);
        assert_eq!(wrong("extra", [].into_iter()).len(), 1);
    }

    #[test]
    fn the_table_has_no_cycle() {
        for (name, uses) in MAY_USE {
            for used in *uses {
                let (_, back) = MAY_USE.iter().find(|(known, _)| known == used).expect("only known crates are used");
                assert!(!back.contains(name), "{name} and {used} may use each other");
            }
        }
    }
}
