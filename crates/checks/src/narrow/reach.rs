//! Which checks a change can reach at all: a project in another language beside it, and an audit of dependencies that did not
//! change, are not. Whatever is not certain is reached.

use ox_protocol::{Check, CheckKind};

use crate::command::{family, folder};
use crate::paths::within;

/// Endings of files that are code of one ecosystem and of no other; a schema or a configuration may reach anything.
const CODE: [(&str, &str); 12] = [
    ("cargo", "rs"),
    ("go", "go"),
    ("jvm", "java kt kts groovy scala"),
    ("node", "ts tsx mts cts js jsx mjs cjs vue svelte css scss"),
    ("python", "py pyi"),
    ("ruby", "rb erb"),
    ("php", "php"),
    ("swift", "swift"),
    ("elixir", "ex exs heex"),
    ("dotnet", "cs fs vb"),
    ("dart", "dart"),
    ("text", "md rst adoc"),
];
/// What audits of dependencies look at.
const DEPENDENCIES: &str = "Cargo.toml Cargo.lock deny.toml Gemfile Gemfile.lock requirements.txt go.mod go.sum package.json \
    package-lock.json pnpm-lock.yaml yarn.lock composer.json composer.lock pyproject.toml uv.lock poetry.lock";

/// For each check whether a change of the files `changed` can reach it.
pub fn reached(checks: &[Check], changed: &[String]) -> Vec<bool> {
    checks.iter().map(|it| changed.is_empty() || changed.iter().any(|file| reaches(file, it, checks))).collect()
}

fn reaches(file: &str, check: &Check, all: &[Check]) -> bool {
    if check.source == "config" {
        return true;
    }
    let name = file.rsplit('/').next().unwrap_or(file);
    if check.kind == CheckKind::Security {
        return DEPENDENCIES.split_whitespace().any(|it| it == name);
    }
    let own = family(&check.command);
    let ending = name.rsplit_once('.').map_or("", |it| it.1);
    let Some((code, _)) = CODE.iter().find(|it| it.1.split(' ').any(|it| it == ending)) else { return true };
    if own == "native" || *code == own {
        return true;
    }
    // The innermost project that has the file, and whether its language is one that it is checked in there.
    let holds = |it: &&Check| within(folder(&it.command), file).is_some();
    let Some(owner) = all.iter().filter(holds).map(|it| folder(&it.command)).max_by_key(|it| it.len()) else {
        return true;
    };
    let known = *code == "text" || all.iter().any(|it| folder(&it.command) == owner && family(&it.command) == *code);
    // Documents lie in the project that they are about, and some of its tests read them.
    !known || *code == "text" && owner == folder(&check.command)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_does_not_reach_the_project_in_another_language_beside_it() {
        let check = |kind, command: &str| Check::new("c", kind, command, 1, "x");
        let checks = [
            check(CheckKind::Test, "cargo test"),
            check(CheckKind::Test, "cd web && npm test"),
            check(CheckKind::Lint, "cd api && ../.venv/bin/python -m ruff check ."),
            check(CheckKind::Security, "cargo audit --no-fetch"),
            check(CheckKind::Test, "make test"),
        ];
        let table: [(&[&str], [bool; 5]); 8] = [
            (&["src/a.rs"], [true, false, false, false, true]),
            (&["web/a.ts"], [false, true, false, false, true]),
            (&["web/build.rs"], [true, true, true, false, true]),
            (&["api/a.py", "web/b.css"], [false, true, true, false, true]),
            (&["schema.graphql"], [true, true, true, false, true]),
            (&["scripts/gen.py"], [true, true, true, false, true]),
            (&["Cargo.lock"], [true, true, true, true, true]),
            (&[], [true; 5]),
        ];
        for (changed, expected) in table {
            let changed: Vec<String> = changed.iter().map(|it| (*it).to_owned()).collect();
            assert_eq!(reached(&checks, &changed), expected, "{changed:?}");
        }
    }
}
