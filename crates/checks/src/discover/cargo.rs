//! Rust projects.

use std::collections::BTreeMap;

use ox_protocol::{Check, CheckKind};
use ox_repo::Tree;
use toml::Table;

use super::project::Project;
use crate::command::tool;
use crate::paths::within;

const SOURCE: &str = "Cargo.toml";
const NEXTEST: &str = ".config/nextest.toml";

/// Type check and tests; clippy where the project configures it.
///
/// Both go on after a failure: what comes after the first would otherwise be missing from the baseline.
pub(super) fn checks(project: &Project<'_>) -> Vec<Check> {
    let Some(text) = project.text(SOURCE) else { return Vec::new() };
    // A manifest that cannot be read is still one: cargo will say what is wrong with it.
    let manifest = text.parse::<Table>().unwrap_or_default();
    let all = if manifest.contains_key("workspace") { " --workspace" } else { "" };
    let features = features(project);
    let all = format!("{all}{features}");
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
    let package = if manifest.contains_key("workspace") { " -p PACKAGE" } else { "" };
    // Where only nextest is missing, cargo runs the same tests.
    if project.has(NEXTEST) && (project.installed)("cargo-nextest") {
        let command = format!("cargo nextest run{all} --no-fail-fast");
        let one = format!("cargo nextest run{package}{features} NAME");
        checks.push(project.tests("cargo nextest", &command, NEXTEST, &one));
        return checks;
    }
    let one = format!("cargo test{package}{features} NAME");
    checks.push(project.tests("cargo test", &format!("cargo test{all} --no-fail-fast"), SOURCE, &one));
    checks
}

/// The features with which the project's CI first runs its tests, as flags.
fn features(project: &Project<'_>) -> String {
    let tests = project.ci().find(|it| {
        let tool = tool(&it.command);
        (tool == "cargo test" || tool == "cargo nextest") && !it.command.contains(['$', '|', ';', '`'])
    });
    let words: Vec<&str> = tests.map_or(Vec::new(), |it| it.command.split(' ').collect());
    let mut flags = String::new();
    for (at, word) in words.iter().enumerate() {
        match *word {
            "--all-features" | "--no-default-features" => flags += &format!(" {word}"),
            "--features" | "-F" => match words.get(at + 1).filter(|it| is_list(it)) {
                Some(list) => flags += &format!(" --features {list}"),
                None => return String::new(),
            },
            "--" => break,
            _ => {
                let list = word.strip_prefix("--features=").filter(|it| is_list(it));
                list.iter().for_each(|it| flags += &format!(" --features {it}"));
            }
        }
    }
    flags
}

fn is_list(word: &str) -> bool {
    word.chars().all(|it| it.is_ascii_alphanumeric() || "-_/,+".contains(it))
}

/// The workspaces of a tree with what they exclude, each manifest read once.
#[derive(Default)]
pub(super) struct Workspaces(BTreeMap<String, Option<Vec<String>>>);

impl Workspaces {
    /// True where a workspace above `dir` has the package there: every package beneath one is a member that is not excluded.
    pub(super) fn have(&mut self, tree: &Tree, dir: &str) -> bool {
        let mut above = dir;
        while !above.is_empty() {
            above = above.rsplit_once('/').map_or("", |it| it.0);
            let excluded = self.0.entry(above.to_owned()).or_insert_with(|| excluded(tree, above));
            let Some(excluded) = excluded else { continue };
            let inside = within(above, dir).unwrap_or(dir);
            return !excluded.iter().any(|it| inside == it || within(it, inside).is_some());
        }
        false
    }
}

/// What the workspace at `folder` excludes; none where there is no workspace.
fn excluded(tree: &Tree, folder: &str) -> Option<Vec<String>> {
    let manifest = std::fs::read_to_string(tree.root().join(folder).join(SOURCE)).ok()?;
    let table: Table = manifest.parse().ok()?;
    let names = table.get("workspace")?.get("exclude").and_then(toml::Value::as_array).into_iter().flatten();
    let plain = |it: &toml::Value| Some(it.as_str()?.trim_start_matches("./").trim_end_matches('/').to_owned());
    Some(names.filter_map(plain).collect())
}

fn lints_clippy(manifest: &Table) -> bool {
    let has = |it: Option<&toml::Value>| it.and_then(|it| it.get("lints")).is_some_and(|it| it.get("clippy").is_some());
    manifest.get("lints").is_some_and(|it| it.get("clippy").is_some()) || has(manifest.get("workspace"))
}
