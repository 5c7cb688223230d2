//! Finding the checks of a project by its files. Nothing is run to find out.

mod cargo;
mod ci;
mod fixers;
mod go;
mod jvm;
mod native;
mod node;
mod own;
mod project;
mod python;
mod table;
mod unittest;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use ci::Step;
pub use fixers::fixers;
use ox_protocol::{Check, CheckConfig, CheckKind};
use ox_repo::{Tree, WalkOptions};
use project::{Project, limit_ms};

use crate::command::{family, tool};
use crate::run::unavailable;

/// Folders below the root whose checks are taken, how deep they lie, and the manifests that are looked at.
const FOLDERS: usize = 16;
const LEVELS: usize = 4;
const ENTRIES: usize = 1_000;

/// Files that make a folder a project.
const MANIFESTS: [&str; 24] = [
    "Cargo.toml",
    "package.json",
    "deno.json",
    "deno.jsonc",
    "pyproject.toml",
    "setup.py",
    "setup.cfg",
    "tox.ini",
    "pytest.ini",
    "requirements.txt",
    "manage.py",
    "go.mod",
    "pom.xml",
    "build.gradle",
    "build.gradle.kts",
    "CMakeLists.txt",
    "Gemfile",
    "Rakefile",
    "composer.json",
    "Package.swift",
    "mix.exs",
    "pubspec.yaml",
    "phpunit.xml",
    "phpunit.xml.dist",
];

/// Folders whose projects are material and not the project.
const MATERIAL: &str = "tests test testdata test_data fixtures fixture __fixtures__ __tests__ spec examples example samples \
    sample vendor third_party third-party external deps templates template node_modules target dist build out benchmarks fuzz contrib support";

/// One kind of project each. `native` comes last: its Makefile often only repeats what the others found.
const FAMILIES: [fn(&Project<'_>) -> Vec<Check>; 6] =
    [cargo::checks, node::checks, python::checks, go::checks, jvm::checks, table::checks];

/// The checks of the project at `tree`, cheap ones first. Where the configuration lists checks, those and no others.
///
/// Folders below are looked into too, for what none above them has: other ecosystems, and packages that are none of the
/// workspace's above.
pub fn discover(tree: &Tree, configured: &[CheckConfig]) -> Vec<Check> {
    match configured {
        [] => found(tree, &|program| unavailable::is_installed(tree, program)),
        some => by_kind(some.iter().map(from_config).collect()),
    }
}

fn found(tree: &Tree, installed: &dyn Fn(&str) -> bool) -> Vec<Check> {
    if !is_project(tree.root()) {
        return Vec::new();
    }
    let ci = ci::steps(tree.root());
    let at = |dir: &str| Project { tree, dir: dir.to_owned(), installed, ci: &ci };
    let mut checks = of_folder(&at(""));
    let mut seen: Vec<(String, Vec<(&str, CheckKind)>)> = vec![(String::new(), kinds(&checks))];
    let mut workspaces = cargo::Workspaces::default();
    for (dir, manifests) in folders(tree) {
        if seen.len() > FOLDERS {
            break;
        }
        let is_member = manifests.contains("Cargo.toml") && workspaces.have(tree, &dir);
        if is_member && manifests.len() == 1 {
            continue;
        }
        let project = at(&dir);
        let above = |it: &str| it.is_empty() || dir.strip_prefix(it).is_some_and(|rest| rest.starts_with('/'));
        let mut own = of_folder(&project);
        own.retain(|check| {
            let has = |it: &(String, Vec<(&str, CheckKind)>)| {
                above(&it.0) && it.1.contains(&(family(&check.command), check.kind))
            };
            let covered = seen.iter().any(has);
            match family(&check.command) {
                "go" => !covered || !project.tree.root().join("go.work").exists(),
                "cargo" => !is_member,
                _ => !covered,
            }
        });
        if !own.is_empty() {
            seen.push((dir.clone(), kinds(&own)));
        }
        checks.extend(own);
    }
    for check in &mut checks {
        check.evidence = evidence(check, &ci);
    }
    by_kind(checks)
}

fn kinds(checks: &[Check]) -> Vec<(&'static str, CheckKind)> {
    checks.iter().map(|it| (family(&it.command), it.kind)).collect()
}

/// The folders below the root that are projects, those above before those below, with what shows it.
fn folders(tree: &Tree) -> Vec<(String, BTreeSet<String>)> {
    let include = MANIFESTS.iter().map(|it| (*it).to_owned()).chain(["*.sln".into(), "*.csproj".into()]).collect();
    let exclude = MATERIAL.split_whitespace().map(str::to_owned).collect();
    let options = WalkOptions { depth: Some(LEVELS), include, exclude, limit: ENTRIES, ..WalkOptions::default() };
    let files = tree.walk(&options).unwrap_or_default().into_iter().filter(|it| !it.is_dir);
    let mut dirs: BTreeMap<(usize, String), BTreeSet<String>> = BTreeMap::new();
    for file in files {
        let Some((dir, name)) = file.rel.rsplit_once('/') else { continue };
        dirs.entry((dir.split('/').count(), dir.to_owned())).or_default().insert(name.to_owned());
    }
    dirs.into_iter().map(|((_, dir), names)| (dir, names)).collect()
}

/// The step of the CI that runs the same tool in the same folder.
fn evidence(check: &Check, ci: &[Step]) -> Option<String> {
    let (dir, tool) = (crate::command::folder(&check.command), tool(&check.command));
    let same = |it: &&Step| it.dir == dir && crate::command::tool(&it.command) == tool;
    ci.iter().find(same).map(|it| format!("{}: {}", it.file, it.command))
}

/// False for the user's home folder and for `/`: what lies there belongs to many things.
pub fn is_project(root: &Path) -> bool {
    let home = std::env::var_os("HOME").and_then(|it| std::path::PathBuf::from(it).canonicalize().ok());
    is_narrow(root, home.as_deref())
}

fn is_narrow(root: &Path, home: Option<&Path>) -> bool {
    root.parent().is_some() && home != Some(root)
}

/// Cheap ones first. Stable: within a kind the given order holds.
fn by_kind(mut checks: Vec<Check>) -> Vec<Check> {
    checks.sort_by_key(|it| it.kind);
    checks
}

fn of_folder(project: &Project<'_>) -> Vec<Check> {
    let mut checks: Vec<Check> = FAMILIES.iter().flat_map(|it| it(project)).collect();
    let lacks = |checks: &[Check], kind| !checks.iter().any(|it| it.kind == kind);
    let extra = native::checks(project);
    checks.extend(extra.into_iter().filter(|it| lacks(&checks, it.kind)).collect::<Vec<_>>());
    for kind in [CheckKind::Types, CheckKind::Lint, CheckKind::Test] {
        if lacks(&checks, kind) {
            checks.extend(own::workflow(project, kind));
        }
    }
    checks
}

fn from_config(config: &CheckConfig) -> Check {
    let kind = config.kind.unwrap_or(CheckKind::Test);
    let limit = config.timeout.map_or_else(|| limit_ms(kind), |it| it.saturating_mul(1000));
    Check::new(config.name.as_ref().unwrap_or(&config.command), kind, &config.command, limit, "config")
}

#[cfg(test)]
mod tests;
