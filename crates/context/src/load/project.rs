//! What kind of project this is, in three lines: languages and manifests, where it begins to run, the checks that must pass.

use std::collections::BTreeMap;

use ox_protocol::Check;
use ox_repo::Tree;

use super::entries;
use super::survey::Survey;

/// Files that say how a project is built; what they are called is enough to know the tools.
const MANIFESTS: &[&str] = &[
    "Cargo.toml",
    "package.json",
    "pyproject.toml",
    "setup.py",
    "requirements.txt",
    "go.mod",
    "pom.xml",
    "build.gradle",
    "build.gradle.kts",
    "CMakeLists.txt",
    "Makefile",
    "Gemfile",
    "composer.json",
    "mix.exs",
    "Package.swift",
];
/// The most languages that are named.
const LANGUAGES: usize = 3;

pub(super) fn describe(tree: &Tree, survey: &Survey, checks: &[Check]) -> String {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for language in survey.files.iter().filter_map(|it| ox_syntax::language(it)) {
        *counts.entry(language).or_default() += 1;
    }
    let mut languages: Vec<(&str, usize)> = counts.into_iter().collect();
    languages.sort_by_key(|(name, count)| (std::cmp::Reverse(*count), *name));
    let counted =
        |(name, count): &(&str, usize)| format!("{name} ({count} {})", if *count == 1 { "file" } else { "files" });
    let mut known: Vec<String> = languages.iter().take(LANGUAGES).map(counted).collect();
    let manifests = MANIFESTS.iter().filter(|it| survey.files.iter().any(|file| file == *it));
    known.extend(manifests.map(|it| (*it).to_owned()));
    let mut text = if known.is_empty() { String::new() } else { format!("{}\n", known.join(", ")) };
    let entries = entries::describe(tree, survey);
    if !entries.is_empty() {
        text += &format!("{entries}\n");
    }
    text += &checked_by(checks);
    text.trim_end().to_owned()
}

/// The checks that can run here, those that cannot and why, and how one test is run.
fn checked_by(checks: &[Check]) -> String {
    let quoted = |it: &&Check| format!("`{}`", it.command);
    let (here, not): (Vec<&Check>, Vec<&Check>) = checks.iter().partition(|it| it.lacks.is_none());
    let mut text = match (here.is_empty(), not.is_empty()) {
        (true, true) => return String::new(),
        (true, false) => format!("None of the {} checks can run here", not.len()),
        (false, _) => format!("Checks: {}", here.iter().map(quoted).collect::<Vec<_>>().join(", ")),
    };
    if !not.is_empty() {
        text += if here.is_empty() { ": " } else { "\nCannot run here: " };
        text += &lacking(&not);
    }
    let one = checks.iter().filter(|it| it.lacks.is_none()).find_map(|it| it.one.as_ref());
    text + &one.map_or(String::new(), |it| format!("\nOne test: `{it}`"))
}

/// Checks with why they cannot run, those for the same reason together.
fn lacking(checks: &[&Check]) -> String {
    let mut reasons: Vec<(&str, Vec<String>)> = Vec::new();
    for check in checks {
        let why = check.lacks.as_ref().map_or("", |it| it.why.as_str());
        let command = format!("`{}`", check.command);
        match reasons.iter_mut().find(|it| it.0 == why) {
            Some((_, commands)) => commands.push(command),
            None => reasons.push((why, vec![command])),
        }
    }
    let one = |(why, commands): &(&str, Vec<String>)| {
        format!("{} ({})", commands.join(", "), why.lines().collect::<Vec<_>>().join("; "))
    };
    reasons.iter().map(one).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use ox_protocol::{CheckKind, CheckStatus, Lack};

    use super::*;

    #[test]
    fn checks_that_lack_the_same_are_explained_once() {
        let lack = |command: &str, why: &str| Check {
            lacks: Some(Lack { status: CheckStatus::NotInstalled, why: why.to_owned() }),
            ..Check::new(command, CheckKind::Test, command, 1, "")
        };
        let all =
            [lack("npm test", "no node_modules"), lack("mypy", "no mypy"), lack("npm run lint", "no node_modules")];
        let expected =
            "None of the 3 checks can run here: `npm test`, `npm run lint` (no node_modules), `mypy` (no mypy)";
        assert_eq!(checked_by(&all), expected);
    }
}
