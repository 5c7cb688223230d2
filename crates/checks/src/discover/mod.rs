//! Finding the checks of a project by its files. Nothing is run to find out.

mod cargo;
mod go;
mod jvm;
mod native;
mod node;
mod own;
mod project;
mod python;

use std::path::Path;

use ox_protocol::{Check, CheckConfig, CheckKind};
use ox_repo::{Tree, WalkOptions};
use ox_sandbox::on_path;
use project::{Project, limit_ms};

/// How many folders below the root are searched when the root itself has no checks.
const FOLDERS: usize = 12;

/// One kind of project each. `native` comes last: its Makefile often only repeats what the others found.
const FAMILIES: [fn(&Project<'_>) -> Vec<Check>; 5] =
    [cargo::checks, node::checks, python::checks, go::checks, jvm::checks];

/// The checks of the project at `tree`, cheap ones first. Where the configuration lists checks, those and no others.
///
/// A project whose root has none is searched one level down, as with `backend/` and `frontend/` side by side.
pub fn discover(tree: &Tree, configured: &[CheckConfig]) -> Vec<Check> {
    match configured {
        [] => found(tree, &|program| on_path(program).is_some()),
        some => by_kind(some.iter().map(from_config).collect()),
    }
}

fn found(tree: &Tree, installed: &dyn Fn(&str) -> bool) -> Vec<Check> {
    if !is_project(tree.root()) {
        return Vec::new();
    }
    let mut checks = of_folder(&Project { tree, dir: String::new(), installed });
    if checks.is_empty() {
        let options = WalkOptions { depth: Some(1), ..WalkOptions::default() };
        let folders = tree.walk(&options).unwrap_or_default().into_iter().filter(|it| it.is_dir).take(FOLDERS);
        checks = folders.flat_map(|it| of_folder(&Project { tree, dir: it.rel, installed })).collect();
    }
    by_kind(checks)
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
    let extra = native::checks(project);
    checks.extend(extra.into_iter().filter(|it| !checks.iter().any(|have| have.kind == it.kind)).collect::<Vec<_>>());
    if !checks.iter().any(|it| it.kind == CheckKind::Test) {
        checks.extend(own::workflow(project, "python3"));
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
