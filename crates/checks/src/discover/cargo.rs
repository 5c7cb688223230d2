//! Rust projects.

use ox_protocol::{Check, CheckKind};
use toml::Table;

use super::project::Project;

const SOURCE: &str = "Cargo.toml";

/// Type check and tests; clippy where the project configures it.
///
/// Both go on after a failure: what comes after the first would otherwise be missing from the baseline.
pub(super) fn checks(project: &Project<'_>) -> Vec<Check> {
    let Some(text) = project.text(SOURCE) else { return Vec::new() };
    // A manifest that cannot be read is still one: cargo will say what is wrong with it.
    let manifest = text.parse::<Table>().unwrap_or_default();
    let all = if manifest.contains_key("workspace") { " --workspace" } else { "" };
    let compile = "--all-targets --keep-going --message-format=json";
    let mut checks =
        vec![project.check("cargo check", CheckKind::Types, &format!("cargo check{all} {compile}"), SOURCE)];
    let clippy = match project.first(&["clippy.toml", ".clippy.toml"]) {
        None if lints_clippy(&manifest) => Some(SOURCE),
        file => file,
    };
    if let Some(source) = clippy {
        checks.push(project.check("cargo clippy", CheckKind::Lint, &format!("cargo clippy{all} {compile}"), source));
    }
    let one = if all.is_empty() { "cargo test NAME" } else { "cargo test -p PACKAGE NAME" };
    checks.push(project.tests("cargo test", &format!("cargo test{all} --no-fail-fast"), SOURCE, one));
    checks
}

fn lints_clippy(manifest: &Table) -> bool {
    let has = |it: Option<&toml::Value>| it.and_then(|it| it.get("lints")).is_some_and(|it| it.get("clippy").is_some());
    manifest.get("lints").is_some_and(|it| it.get("clippy").is_some()) || has(manifest.get("workspace"))
}
