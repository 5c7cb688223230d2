//! The commands that a project's CI runs: evidence for what the project itself takes for its checks. Workflows of GitHub
//! and the file of GitLab are read; nothing is run, and a command with values that are known only there is left alone.

use std::path::Path;

use ox_core::test_runs::runs_tests;
use ox_protocol::CheckKind;
use ox_syntax::yaml;
use serde_json::Value;

use crate::command::tool;
use crate::paths::joined;

const WORKFLOWS: &str = ".github/workflows";
const GITLAB: &str = ".gitlab-ci.yml";
/// Files that are looked through, and the most bytes of one.
const MOST: usize = 12;
const LARGEST: u64 = 256 << 10;

/// One command of a workflow.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Step {
    /// The file that has it.
    pub(super) file: String,
    /// The folder that it runs in; empty for the root.
    pub(super) dir: String,
    /// One line of shell.
    pub(super) command: String,
}

/// All commands of the CI of the project at `root`, in order.
pub(super) fn steps(root: &Path) -> Vec<Step> {
    let folder = std::fs::read_dir(root.join(WORKFLOWS)).into_iter().flatten().flatten();
    let mut files: Vec<String> =
        folder.map(|it| format!("{WORKFLOWS}/{}", it.file_name().to_string_lossy())).filter(|it| is_yaml(it)).collect();
    files.sort_unstable();
    files.truncate(MOST);
    files.push(GITLAB.to_owned());
    files.iter().flat_map(|it| in_file(root, it)).collect()
}

fn is_yaml(name: &str) -> bool {
    name.ends_with(".yml") || name.ends_with(".yaml")
}

fn in_file(root: &Path, file: &str) -> Vec<Step> {
    let path = root.join(file);
    let readable = std::fs::metadata(&path).is_ok_and(|it| it.is_file() && it.len() <= LARGEST);
    let text = if readable { std::fs::read_to_string(&path).unwrap_or_default() } else { String::new() };
    let mut steps = Vec::new();
    collect(&yaml(&text).value, "", &mut |dir, script| {
        steps.extend(lines(script).filter_map(|it| step(file, dir, &it)).filter(|it| is_there(root, it)));
    });
    steps
}

/// Every `run` and `script` beneath a value, with the folder that is set for it.
fn collect(value: &Value, dir: &str, found: &mut impl FnMut(&str, &str)) {
    match value {
        Value::Array(items) => items.iter().for_each(|it| collect(it, dir, found)),
        Value::Object(fields) => {
            let own = |it: &Value| it.get("working-directory").and_then(Value::as_str).map(str::to_owned);
            let defaults = value.get("defaults").and_then(|it| it.get("run")).and_then(&own);
            let dir = own(value).or(defaults).unwrap_or_else(|| dir.to_owned());
            for (name, field) in fields {
                match (name.as_str(), field) {
                    ("defaults" | "env" | "on" | "with", _) => {}
                    ("run" | "script", Value::String(text)) => found(&dir, text),
                    ("script", Value::Array(items)) => {
                        items.iter().filter_map(Value::as_str).for_each(|it| found(&dir, it));
                    }
                    _ => collect(field, &dir, found),
                }
            }
        }
        _ => {}
    }
}

/// The command lines of a block, those joined that a backslash continues.
fn lines(script: &str) -> impl Iterator<Item = String> {
    let joined = script.replace("\\\n", " ");
    let lines: Vec<String> = joined.lines().map(|it| it.trim().to_owned()).collect();
    lines.into_iter().filter(|it| !it.is_empty() && !it.starts_with('#'))
}

fn step(file: &str, dir: &str, line: &str) -> Option<Step> {
    let (dir, command) = match line.strip_prefix("cd ").and_then(|it| it.split_once(" && ")) {
        Some((inner, rest)) => (joined(dir.trim_end_matches('/'), inner.trim()), rest),
        None => (dir.to_owned(), line),
    };
    let dir = dir.trim_start_matches("./").trim_end_matches('/').trim_matches('.').to_owned();
    let is_known = !dir.contains(['$', '{', '*', '~']);
    is_known.then(|| Step {
        file: file.to_owned(),
        dir,
        command: command.split_whitespace().collect::<Vec<_>>().join(" "),
    })
}

/// False for a program by a path that only the CI has, such as what an earlier step of it downloads.
fn is_there(root: &Path, step: &Step) -> bool {
    let program = step.command.split(' ').next().unwrap_or_default();
    !program.contains('/') || root.join(&step.dir).join(program).exists()
}

/// Tools that look at types, and those that look at style; with formatters only where they are told to change nothing.
const TYPES: &str = "mypy pyright basedpyright tsc vue-tsc svelte-check phpstan psalm sorbet srb ty";
const LINT: &str = "ruff flake8 pylint eslint biome oxlint rubocop standardrb golangci-lint staticcheck phpcs shellcheck stylelint \
    markdownlint credo checkstyle cpplint clang-tidy hadolint yamllint";
const TWO_WORDS: [(&str, CheckKind); 7] = [
    ("cargo check", CheckKind::Types),
    ("cargo clippy", CheckKind::Lint),
    ("go vet", CheckKind::Types),
    ("mix credo", CheckKind::Lint),
    ("deno check", CheckKind::Types),
    ("deno lint", CheckKind::Lint),
    ("cargo deny", CheckKind::Security),
];
const WRITES: [&str; 8] = ["--fix", "--write", "-w", "-i", "--in-place", "--auto-correct", "-A", "--watch"];

/// What a command line of the CI checks, where that is known; nothing for one that writes.
pub(super) fn kind(command: &str) -> Option<CheckKind> {
    let tool = tool(command);
    let first = tool.split(' ').next().unwrap_or_default();
    let is = |list: &str| list.split_whitespace().any(|it| it == first);
    if command.split_whitespace().any(|it| WRITES.contains(&it)) || command.starts_with("ruff format") {
        return None;
    }
    match TWO_WORDS.iter().find(|it| it.0 == tool) {
        Some((_, kind)) => Some(*kind),
        None if is(TYPES) => Some(CheckKind::Types),
        None if is(LINT) => Some(CheckKind::Lint),
        None => runs_tests(command).then_some(CheckKind::Test),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_of_workflows() {
        let dir = tempfile::tempdir().expect("a temporary folder can be made");
        std::fs::create_dir_all(dir.path().join(WORKFLOWS)).expect("folders can be made");
        let ci = r#"
name: CI
on: { push: { branches: [main] } }
defaults: { run: { working-directory: ./api } }
jobs:
  test:
    strategy: { matrix: { os: [a, b] } }
    steps:
      - uses: actions/checkout@v4
      - name: Test
        run: |
          # comment
          go test \
            ./...
          cd tools && go vet ./...
      - run: npm test
        working-directory: web/
      - run: pytest
        working-directory: ${{ matrix.dir }}
  lint:
    defaults:
      run:
        working-directory: "."
    steps:
      - { run: "cargo clippy -- -D warnings" }
"#;
        std::fs::write(dir.path().join(WORKFLOWS).join("ci.yaml"), ci).expect("files can be written");
        let gitlab = "image: x\nunit:\n  script:\n    - mix test\n    - [a, b]\nbroken: [\n";
        std::fs::write(dir.path().join(GITLAB), gitlab).expect("files can be written");
        let found: Vec<String> =
            steps(dir.path()).iter().map(|it| format!("{} [{}] {}", it.file, it.dir, it.command)).collect();
        let expected = [
            ".github/workflows/ci.yaml [api] go test ./...",
            ".github/workflows/ci.yaml [api/tools] go vet ./...",
            ".github/workflows/ci.yaml [web] npm test",
            ".github/workflows/ci.yaml [] cargo clippy -- -D warnings",
            ".gitlab-ci.yml [] mix test",
        ];
        assert_eq!(found, expected);
    }

    #[test]
    fn a_file_that_would_grow_does_not() {
        let mut text = "a0: &a0 [x, x]\n".to_owned();
        (1..40).for_each(|it| text += &format!("a{it}: &a{it} [*a{0}, *a{0}]\n", it - 1));
        assert!(yaml(&text).value.to_string().len() < 2_000);
        let deep = "[".repeat(100_000);
        assert!(yaml(&deep).value.to_string().len() < 200);
    }

    #[test]
    fn what_a_command_of_the_ci_checks() {
        let table = [
            ("ruff check .", Some(CheckKind::Lint)),
            ("uv run mypy src", Some(CheckKind::Types)),
            ("npx eslint . --fix", None),
            ("cargo clippy --all-targets", Some(CheckKind::Lint)),
            ("bundle exec rspec", Some(CheckKind::Test)),
            ("ruff format .", None),
            ("pip install .", None),
        ];
        for (command, expected) in table {
            assert_eq!(kind(command), expected, "{command}");
        }
    }
}
