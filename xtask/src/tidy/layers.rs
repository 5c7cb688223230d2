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

/// Our crates by layer, the lowest first: each may use those of the layers below its own. One that is not here is one too many.
const LAYERS: &[&[&str]] = &[
    &["protocol"],
    &["core", "edit", "shell", "syntax"],
    &["extensions", "githost", "index", "lsp", "mcp", "model", "repo", "sandbox", "store", "text"],
    // Drawn a layer lower, because it needs only the protocol; none of the others needs it.
    &["context", "tools", "checks", "audit", "config", "client", "import"],
    &["agent", "telemetry"],
    &["app"],
    &["screen"],
    &["server", "ui", "scenario"],
    &["ox", "sdk"],
];

/// The crates that may use less than their layer would let them.
const NARROWER: &[(&str, &[&str])] = &[
    ("edit", &[]),
    ("shell", &["protocol"]),
    ("syntax", &[]),
    ("extensions", &["protocol", "syntax"]),
    ("githost", &["protocol"]),
    ("lsp", &["protocol"]),
    ("mcp", &["protocol"]),
    ("client", &["protocol"]),
    ("import", &["protocol", "syntax", "mcp", "store"]),
    ("text", &["protocol", "syntax"]),
    ("screen", &["protocol", "text", "client", "app"]),
    ("telemetry", &["protocol", "client", "model"]),
    ("ui", &["protocol", "text", "client", "app", "screen"]),
    ("server", &["protocol", "text", "client", "app", "screen", "config", "repo", "store"]),
    ("sdk", &["protocol", "text", "client", "app", "screen", "model", "server"]),
    ("bench", &["protocol", "model", "scenario"]),
    ("xtask", &[]),
];

/// What a crate may use; none for a crate that is not in the picture.
fn may_use(name: &str) -> Option<Vec<&'static str>> {
    if let Some((_, uses)) = NARROWER.iter().find(|(known, _)| *known == name) {
        return Some(uses.to_vec());
    }
    let layer = LAYERS.iter().position(|layer| layer.contains(&name))?;
    Some(LAYERS[..layer].concat())
}

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
    let Some(allowed) = may_use(name) else {
        return vec![format!("`{name}` is not in the picture; a new crate needs a place in LAYERS")];
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
    fn what_is_narrower_points_down_as_well() {
        for (name, uses) in NARROWER {
            let layer = |it: &str| LAYERS.iter().position(|layer| layer.contains(&it));
            // What stands beside the crates is in no layer, and nothing depends on it.
            let own = layer(name).unwrap_or(LAYERS.len());
            assert!(uses.iter().all(|used| layer(used).is_some_and(|it| it < own)), "{name}");
        }
    }
}
