//! The fixers that a project requires of a change. One is taken only where the project says so itself: in its CI, its
//! scripts, `lint-staged`, `pre-commit`, or by a file that a formatter has to itself. That a tool is installed says nothing.

use std::path::Path;

use ox_protocol::{Check, CheckKind, Fixer, FixerConfig};
use ox_repo::Tree;
use ox_syntax::yaml;
use serde_json::Value;
use toml::Table;

use super::ci::steps;
use super::project::{Project, limit_ms};
use super::{is_project, node, python};
use crate::command::tool;
use crate::run::unavailable;

const STAGED: [&str; 3] = [".lintstagedrc", ".lintstagedrc.json", ".lintstagedrc.yaml"];
const HOOKS: [&str; 2] = [".pre-commit-config.yaml", ".pre-commit-config.yml"];
const JS: &str = "*.{js,jsx,mjs,cjs,ts,tsx,mts,cts,vue,svelte}";
const TEXTS: &str = "*.{js,jsx,mjs,cjs,ts,tsx,mts,cts,vue,svelte,json,css,scss,less,html,md,yaml,yml}";

/// Who starts a tool.
#[derive(Clone, Copy)]
enum By {
    Itself,
    Node,
    Python,
    /// Its command depends on the edition of the code.
    Rust,
}
use By::{Itself, Node, Python, Rust};

/// A tool that fixes files.
struct Known {
    name: &'static str,
    /// The tool in a command of the project, and words of which that command has to have one.
    tool: &'static str,
    words: &'static str,
    by: By,
    command: &'static str,
    files: &'static str,
    /// A file that is there for this tool alone, or a section of one.
    config: &'static [(&'static str, &'static str)],
}

const fn known(
    (name, tool, words): (&'static str, &'static str, &'static str),
    (by, command): (By, &'static str),
    files: &'static str,
    config: &'static [(&'static str, &'static str)],
) -> Known {
    Known { name, tool, words, by, command, files, config }
}

/// In the order in which they run: what changes code before what lays it out.
const KNOWN: [Known; 13] = [
    // What it cannot fix it complains about, which is the checks' business.
    known(("eslint", "eslint", "--fix"), (Node, "eslint --fix {files} || [ $? -eq 1 ]"), JS, &[]),
    known(("ruff check", "ruff", "--fix"), (Python, "ruff check -q --fix --exit-zero {files}"), "*.{py,pyi}", &[]),
    known(("isort", "isort", ""), (Python, "isort -q {files}"), "*.{py,pyi}", &[("pyproject.toml", "[tool.isort]")]),
    known(
        ("ruff format", "ruff", "format"),
        (Python, "ruff format -q {files}"),
        "*.{py,pyi}",
        &[("pyproject.toml", "[tool.ruff.format]")],
    ),
    known(("black", "black", ""), (Python, "black -q {files}"), "*.{py,pyi}", &[("pyproject.toml", "[tool.black]")]),
    known(("biome", "biome", "format --write"), (Node, "biome format --write {files}"), JS, &[]),
    known(
        ("prettier", "prettier", "--write -w --check -c --list-different -l"),
        (Node, "prettier --write --ignore-unknown {files}"),
        TEXTS,
        &[],
    ),
    known(("rustfmt", "cargo fmt", ""), (Rust, ""), "*.rs", &[("rustfmt.toml", ""), (".rustfmt.toml", "")]),
    known(("gofmt", "gofmt", ""), (Itself, "gofmt -w {files}"), "*.go", &[]),
    known(("mix format", "mix format", ""), (Itself, "mix format {files}"), "*.{ex,exs}", &[]),
    known(("dart format", "dart format", ""), (Itself, "dart format {files}"), "*.dart", &[]),
    known(("terraform fmt", "terraform", "fmt"), (Itself, "terraform fmt {files}"), "*.tf", &[]),
    known(
        ("clang-format", "clang-format", "-i --dry-run"),
        (Itself, "clang-format -i {files}"),
        "*.{c,cc,cpp,cxx,h,hh,hpp}",
        &[],
    ),
];

/// A command of the project, the folder that it runs in, and where it stands.
struct Said {
    dir: String,
    command: String,
    source: String,
}

/// The fixers of the project at `tree`. Where the configuration lists fixers, those and no others.
pub fn fixers(tree: &Tree, configured: Option<&[FixerConfig]>) -> Vec<Fixer> {
    match configured {
        Some(some) => some.iter().map(from_config).collect(),
        None if is_project(tree.root()) => found(tree, &|program| unavailable::is_installed(tree, program)),
        None => Vec::new(),
    }
}

fn from_config(config: &FixerConfig) -> Fixer {
    Fixer {
        name: config.name.clone().unwrap_or_else(|| config.command.clone()),
        command: config.command.clone(),
        files: config.files.clone(),
        limit_ms: config.timeout.map_or_else(|| limit_ms(CheckKind::Lint), |it| it.saturating_mul(1000)),
        source: "config".to_owned(),
        lacks: None,
    }
}

fn found(tree: &Tree, installed: &dyn Fn(&str) -> bool) -> Vec<Fixer> {
    let at = |dir: &str| Project { tree, dir: dir.to_owned(), installed, ci: &[] };
    let said = said(tree.root(), &at(""));
    let mut fixers: Vec<Fixer> = Vec::new();
    for known in &KNOWN {
        let is_meant = |it: &&Said| runs(known, &it.command);
        let mut places: Vec<(String, String)> =
            said.iter().filter(is_meant).map(|it| (it.dir.clone(), it.source.clone())).collect();
        let has = |(file, section): &&(&str, &str)| {
            let root = at("");
            root.has(file) && (section.is_empty() || root.says(file, section))
        };
        places.extend(known.config.iter().find(has).map(|it| (String::new(), it.0.to_owned())));
        // What is said of the root holds for the folders below.
        places.sort_by_key(|it| !it.0.is_empty());
        let mut taken: Vec<String> = Vec::new();
        for (dir, source) in places {
            let covered = taken.iter().any(|it| it.is_empty() || *it == dir);
            if let Some(fixer) = (!covered).then(|| fixer(known, &at(&dir), source)).flatten() {
                taken.push(dir);
                fixers.push(fixer);
            }
        }
    }
    fixers
}

fn fixer(known: &Known, project: &Project<'_>, source: String) -> Option<Fixer> {
    let command = match known.by {
        Itself => known.command.to_owned(),
        Node => node::started(project, known.command)?,
        Python => python::started(project, known.command),
        Rust => format!("rustfmt --edition {} {{files}}", edition(project)?),
    };
    let command = project.here(&command);
    let limit_ms = limit_ms(CheckKind::Lint);
    let like = Check::new(known.name, CheckKind::Lint, &command, limit_ms, &source);
    Some(Fixer {
        name: known.name.to_owned(),
        lacks: unavailable::before(&like, project.tree),
        command,
        files: vec![known.files.to_owned()],
        limit_ms,
        source,
    })
}

/// The edition of a Rust project; none where its packages do not have one in common.
fn edition(project: &Project<'_>) -> Option<String> {
    let manifest: Table = project.text("Cargo.toml")?.parse().ok()?;
    let own = |it: Option<&toml::Value>| it?.get("edition")?.as_str().map(str::to_owned);
    let common = manifest.get("workspace").and_then(|it| it.get("package"));
    // Without one it is that of the first Rust.
    let oldest = || manifest.contains_key("package").then(|| "2015".to_owned());
    own(manifest.get("package")).or_else(|| own(common)).or_else(oldest)
}

/// True where some command of a line runs the tool in the way that is meant.
fn runs(known: &Known, line: &str) -> bool {
    let parts = line.split(['|', ';', '&', '(', ')', '`', '"', '$']).map(str::trim);
    let mut parts = parts.filter(|it| tool(it) == known.tool);
    parts.any(|it| {
        known.words.is_empty() || it.split_whitespace().any(|it| known.words.split(' ').any(|word| word == it))
    })
}

/// Everything that the project says it runs over its files.
fn said(root: &Path, project: &Project<'_>) -> Vec<Said> {
    let steps = steps(root).into_iter();
    let ci = steps.map(|it| Said { dir: it.dir, source: format!("{}: {}", it.file, it.command), command: it.command });
    let own = |(source, command): (String, String)| Said { dir: String::new(), command, source };
    let package: Value = project.text("package.json").and_then(|it| serde_json::from_str(&it).ok()).unwrap_or_default();
    let scripts = package.get("scripts").and_then(Value::as_object).into_iter().flatten();
    let scripts =
        scripts.filter_map(|(name, it)| Some((format!("package.json: script {name}"), it.as_str()?.to_owned())));
    let mut staged: Vec<(String, String)> = Vec::new();
    package.get("lint-staged").into_iter().for_each(|it| texts(it, "package.json: lint-staged", &mut staged));
    if let Some(file) = project.first(&STAGED) {
        texts(&yaml(&project.text(file).unwrap_or_default()).value, file, &mut staged);
    }
    let hooks = project.first(&HOOKS).map(|file| (file, project.text(file).unwrap_or_default()));
    let hooks: Vec<(String, String)> = hooks.map(|(file, text)| hooks_of(file, &text)).unwrap_or_default();
    ci.chain(scripts.chain(staged).chain(hooks).map(own)).collect()
}

/// Every text beneath a value.
fn texts(value: &Value, source: &str, found: &mut Vec<(String, String)>) {
    match value {
        Value::String(text) => found.push((source.to_owned(), text.clone())),
        Value::Array(items) => items.iter().for_each(|it| texts(it, source, found)),
        Value::Object(fields) => fields.values().for_each(|it| texts(it, source, found)),
        _ => {}
    }
}

/// The commands that the hooks of `pre-commit` stand for.
fn hooks_of(file: &str, text: &str) -> Vec<(String, String)> {
    let config = yaml(text).value;
    let list = |it: &Value, name: &str| it.get(name).and_then(Value::as_array).cloned().unwrap_or_default();
    let hooks = list(&config, "repos").into_iter().flat_map(|it| list(&it, "hooks"));
    let command = |hook: Value| {
        let id = hook.get("id")?.as_str()?;
        let entry = hook.get("entry").and_then(Value::as_str);
        let program = entry.unwrap_or(match id {
            "ruff-format" => "ruff format",
            "ruff-check" | "ruff" => "ruff check",
            "prettier" => "prettier --write",
            "clang-format" => "clang-format -i",
            "fmt" | "cargo-fmt" => "cargo fmt",
            "go-fmt" => "gofmt",
            "terraform_fmt" => "terraform fmt",
            other => other,
        });
        let args: Vec<String> = list(&hook, "args").iter().filter_map(Value::as_str).map(str::to_owned).collect();
        Some((format!("{file}: {id}"), format!("{program} {}", args.join(" "))))
    };
    hooks.filter_map(command).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Files of a project by their names.
    type Files<'a> = &'a [(&'a str, &'a str)];

    /// The fixers of a project with these files, and what shows each, where everything is installed.
    fn of(files: Files<'_>) -> Vec<String> {
        let dir = tempfile::tempdir().expect("a temporary folder can be made");
        for (path, text) in files {
            let path = dir.path().join(path);
            std::fs::create_dir_all(path.parent().expect("a file has a folder")).expect("folders can be made");
            std::fs::write(path, text).expect("files can be written");
        }
        let tree = Tree::open(dir.path(), &[]).expect("the folder exists");
        found(&tree, &|_| true).iter().map(|it| format!("{} [{}]", it.command, it.source)).collect()
    }

    #[test]
    fn a_project_says_which_fixers_it_wants() {
        const CARGO: (&str, &str) = ("Cargo.toml", "[package]\nname = \"a\"\nedition = \"2021\"\n");
        let ci = |text: &'static str| (".github/workflows/ci.yml", text);
        let table: [(Files<'_>, &[&str]); 11] = [
            (&[CARGO], &[]),
            (&[CARGO, ("rustfmt.toml", "")], &["rustfmt --edition 2021 {files} [rustfmt.toml]"]),
            (
                &[
                    ("Cargo.toml", "[workspace.package]\nedition = \"2024\"\n"),
                    ci("jobs: { a: { steps: [ { run: cargo fmt --all --check } ] } }"),
                ],
                &["rustfmt --edition 2024 {files} [.github/workflows/ci.yml: cargo fmt --all --check]"],
            ),
            (&[("Cargo.toml", "[workspace]\n"), ("rustfmt.toml", "")], &[]),
            (
                &[("go.mod", ""), ci("jobs: { a: { steps: [ { run: \"test -z $(gofmt -l .)\" } ] } }")],
                &["gofmt -w {files} [.github/workflows/ci.yml: test -z $(gofmt -l .)]"],
            ),
            (
                &[(
                    "package.json",
                    r#"{"scripts": {"lint": "eslint .", "format": "prettier --write src"}, "lint-staged": {"*.ts": ["eslint --fix"]}}"#,
                )],
                &[
                    "npx --no-install eslint --fix {files} || [ $? -eq 1 ] [package.json: lint-staged]",
                    "npx --no-install prettier --write --ignore-unknown {files} [package.json: script format]",
                ],
            ),
            (&[("package.json", r#"{"devDependencies": {"prettier": "3"}}"#), (".prettierrc", "{}")], &[]),
            (
                &[
                    ("pyproject.toml", ""),
                    (
                        ".pre-commit-config.yaml",
                        "repos:\n- repo: x\n  hooks:\n  - id: ruff\n    args: [--fix]\n  - id: ruff-format\n",
                    ),
                ],
                &[
                    "ruff check -q --fix --exit-zero {files} [.pre-commit-config.yaml: ruff]",
                    "ruff format -q {files} [.pre-commit-config.yaml: ruff-format]",
                ],
            ),
            (&[("pyproject.toml", "[tool.ruff]\nline-length = 90\n")], &[]),
            (&[("pyproject.toml", "[tool.black]\n")], &["black -q {files} [pyproject.toml]"]),
            (
                &[
                    ("web/package.json", "{}"),
                    ci("jobs: { a: { steps: [ { run: npx prettier --check ., working-directory: web } ] } }"),
                ],
                &[
                    "cd web && npx --no-install prettier --write --ignore-unknown {files} [.github/workflows/ci.yml: npx prettier --check .]",
                ],
            ),
        ];
        for (files, expected) in table {
            assert_eq!(of(files), expected, "{files:?}");
        }
    }
}
