//! Which checks a change can reach at all: a project in another language beside it, and an audit of dependencies that did not
//! change, are not. Whatever is not certain is reached.

use ox_protocol::{Check, CheckKind, CheckResult, CheckStatus};

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
    let Some(code) = language(file) else { return true };
    if own == "native" || code == own {
        return true;
    }
    // The innermost project that has the file, and whether its language is one that it is checked in there.
    let holds = |it: &&Check| within(folder(&it.command), file).is_some();
    let Some(owner) = all.iter().filter(holds).map(|it| folder(&it.command)).max_by_key(|it| it.len()) else {
        return true;
    };
    let known = code == "text" || all.iter().any(|it| folder(&it.command) == owner && family(&it.command) == code);
    // Documents lie in the project that they are about, and some of its tests read them.
    !known || code == "text" && owner == folder(&check.command)
}

/// The ecosystem whose code `file` is; none where it may be anybody's.
fn language(file: &str) -> Option<&'static str> {
    let name = file.rsplit('/').next().unwrap_or(file);
    let ending = name.rsplit_once('.').map_or("", |it| it.1);
    CODE.iter().find(|it| it.1.split(' ').any(|it| it == ending)).map(|it| it.0)
}

/// Notes in the result of each test check that could not run the changed files that it alone looks after. A goal that passed
/// is all that the user wants to see.
pub(crate) fn note_untested(results: &mut [CheckResult], changed: &[String]) {
    if results.iter().any(|it| it.check.is_goal() && it.status == CheckStatus::Passed) {
        return;
    }
    for file in changed {
        let tests = testers(results, file);
        if let Some(first) = tests.first().filter(|_| tests.iter().all(|at| results[*at].status.is_missing())) {
            results[*first].untested.push(file.clone());
        }
    }
}

/// The whole test checks that look after `file`, by their places in `results`: those of its language, or of no language known,
/// in the innermost folder around it that has any. Documents, and files of any kind outside of such folders, are nobody's.
fn testers(results: &[CheckResult], file: &str) -> Vec<usize> {
    let language = language(file);
    let fits = |it: &CheckResult| {
        let (own, place) = (family(&it.check.command), folder(&it.check.command));
        let is_test = it.check.kind == CheckKind::Test && it.check.part_of.is_none() && !it.check.is_goal();
        let is_own = language.map_or(!place.is_empty(), |it| own == "native" || own == it);
        (is_test && is_own && language != Some("text") && within(place, file).is_some()).then_some(place.len())
    };
    let depths: Vec<Option<usize>> = results.iter().map(fits).collect();
    let innermost = depths.iter().max().copied().flatten();
    (0..results.len()).filter(|at| innermost.is_some() && depths[*at] == innermost).collect()
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

    #[test]
    fn a_changed_file_whose_only_tests_could_not_run_is_untested() {
        use CheckStatus::{CouldNotStart, Failed, Hidden, NotInstalled, NotReached, Passed};
        type Ran<'a> = &'a [(&'a str, CheckStatus)];
        let (rust, web) = (("cargo test", Passed), ("cd web && npm test", NotInstalled));
        let table: [(Ran<'_>, &[&str], &[&str]); 16] = [
            (&[rust, web], &["src/a.rs"], &[]),
            (&[rust, web], &["src/a.rs", "web/a.ts"], &["web/a.ts"]),
            (&[rust, web], &["web/a.ts", "web/b.json"], &["web/a.ts", "web/b.json"]),
            (&[rust, web], &["web/README.md", "web/build.rs"], &[]),
            (&[rust, ("cd web && npm test", NotReached)], &["web/a.ts"], &[]),
            (&[rust, ("npm test", CouldNotStart)], &["Dockerfile"], &[]),
            (&[rust, ("npm test", CouldNotStart)], &["a.js"], &["a.js"]),
            (&[("cd a && npm test", Passed), ("cd b && npm test", Hidden)], &["a/x.js"], &[]),
            (&[("cd a && npm test", Passed), ("cd b && npm test", Hidden)], &["b/x.js"], &["b/x.js"]),
            (&[("npm test", Passed), ("cd b && npm test", Hidden)], &["b/x.js"], &["b/x.js"]),
            (&[("npm test", Hidden), ("cd b && npm test", Passed)], &["b/x.js"], &[]),
            (&[("tox", NotInstalled), ("python3 -m pytest", Passed)], &["a.py"], &[]),
            (&[("make test", Passed), ("python3 -m pytest", CouldNotStart)], &["a.py"], &[]),
            (&[("python3 -m pytest", Failed)], &["a.py"], &[]),
            (&[("tox", NotInstalled), ("python3 -m pytest", Hidden)], &["a.py"], &["a.py"]),
            (&[("python3 -m pytest", Hidden)], &[], &[]),
        ];
        let result =
            |it: &(&str, CheckStatus)| CheckResult::ended(Check::new("c", CheckKind::Test, it.0, 1, "x"), it.1);
        for (ran, changed, expected) in table {
            let mut results: Vec<CheckResult> = ran.iter().map(result).collect();
            let changed: Vec<String> = changed.iter().map(|it| (*it).to_owned()).collect();
            note_untested(&mut results, &changed);
            let untested: Vec<&String> = results.iter().flat_map(|it| &it.untested).collect();
            assert_eq!(untested, expected, "{ran:?} {changed:?}");
            results.iter_mut().for_each(|it| it.untested.clear());
            results.push(CheckResult::ended(Check::goal("./all", 1), Passed));
            note_untested(&mut results, &changed);
            assert!(results.iter().all(|it| it.untested.is_empty()), "what the user made the goal passed: {ran:?}");
        }
    }
}
