//! A change without its code: its tests over the project as it was.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use ox_protocol::ChangedTest;

use crate::change::Changed;
use crate::pair::{Pair, is_sample};
use crate::reading::Reading;

/// The tests that a change adds or alters, and what else it changed as it was before.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct TestsAlone {
    /// The tests, by file and line.
    pub tests: Vec<ChangedTest>,
    /// The texts of the other files as they were, none where there was no such file. A file that has both, as Rust's may, has
    /// its code as it was and its tests as they are.
    pub before: BTreeMap<String, Option<String>>,
}

/// Names of files that say what a project needs: a test may need what the change adds there.
const MANIFESTS: [&str; 14] = [
    "Cargo.toml",
    "package.json",
    "pyproject.toml",
    "setup.py",
    "setup.cfg",
    "go.mod",
    "go.sum",
    "pom.xml",
    "build.gradle",
    "build.gradle.kts",
    "Gemfile",
    "composer.json",
    "mix.exs",
    "Package.swift",
];

/// The tests of a change without the rest of it; none where it has no tests, or nothing else.
pub fn tests_alone(changes: &[Changed]) -> Option<TestsAlone> {
    let mut found = TestsAlone::default();
    for change in changes.iter().filter(|it| !is_sample(&it.path)) {
        let pair = Pair::of(change);
        found.tests.extend(changed_tests(&pair));
        if pair.after.is_test() || pair.before.is_test() || is_manifest(&change.path) {
            continue;
        }
        let tests = test_lines(&pair.after);
        let before = match &change.before {
            Some(_) if !tests.is_empty() => Some(with_tests(&pair.before, pair.after.text, &tests)),
            Some(before) => Some(before.clone()),
            None if !tests.is_empty() => continue,
            None => None,
        };
        if before != change.after {
            found.before.insert(change.path.clone(), before);
        }
        if let Some(from) = change.from.as_ref().filter(|it| **it != change.path) {
            found.before.insert(from.clone(), change.before.clone());
        }
    }
    let is_code = |it: &String| ox_syntax::language(it).is_some();
    (!found.tests.is_empty() && found.before.keys().any(is_code)).then_some(found)
}

fn is_manifest(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    MANIFESTS.contains(&name) || name.ends_with(".lock") || name.contains("-lock.") || name.starts_with("requirements")
}

/// The tests of a file that are new or have another text.
fn changed_tests(pair: &Pair<'_>) -> Vec<ChangedTest> {
    let known: BTreeSet<&str> = pair.before.tests.iter().map(|it| it.name.as_str()).collect();
    let same: BTreeSet<&str> = pair.before.tests.iter().map(|it| it.text.trim()).collect();
    let changed = pair.after.tests.iter().filter(|it| !same.contains(it.text.trim()));
    let one = |it: &crate::reading::Test| ChangedTest {
        file: pair.path().to_owned(),
        name: it.name.clone(),
        line: it.line,
        is_new: !known.contains(it.name.as_str()),
    };
    changed.map(one).collect()
}

/// The lines of a file of code that are its tests, from 0: whole modules that are only compiled for tests, and tests beside them.
/// Those within another module are none, since they mean its names.
fn test_lines(reading: &Reading<'_>) -> BTreeSet<usize> {
    let Some(code) = reading.code.as_ref().filter(|_| reading.language() == "Rust") else { return BTreeSet::new() };
    let modules = code.plain.match_indices("#[cfg(test)]").filter_map(|(start, _)| {
        let open = start + code.plain[start..].find(['{', ';'])?;
        Some(start..block_end(&code.plain, open)?)
    });
    let tests = reading.tests.iter().map(|it| it.span.start..it.span.end.saturating_sub(1));
    let line = |byte: usize| code.line_at(byte) as usize - 1;
    let begins_a_line = |it: &Range<usize>| code.plain[..it.start].is_empty() || code.plain[..it.start].ends_with('\n');
    modules.chain(tests).filter(begins_a_line).flat_map(|it| line(it.start)..=line(it.end)).collect()
}

/// Where the block that opens at `open` ends; a mere `;` is no block.
fn block_end(plain: &str, open: usize) -> Option<usize> {
    let mut depth = 0_usize;
    for (at, c) in plain[open..].char_indices() {
        match c {
            '{' => depth += 1,
            '}' if depth <= 1 => return Some(open + at),
            '}' => depth -= 1,
            ';' if depth == 0 => return None,
            _ => {}
        }
    }
    None
}

/// The code before the change, and the lines `tests` of the text after it.
fn with_tests(before: &Reading<'_>, after: &str, tests: &BTreeSet<usize>) -> String {
    let old = test_lines(before);
    let lines = |text: &str, wanted: &dyn Fn(usize) -> bool| -> String {
        text.split_inclusive('\n').enumerate().filter(|it| wanted(it.0)).map(|it| it.1).collect()
    };
    let mut text = lines(before.text, &|it| !old.contains(&it));
    if !text.ends_with('\n') {
        text.push('\n');
    }
    text + &lines(after, &|it| tests.contains(&it))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(changes: &[Changed]) -> String {
        let Some(alone) = tests_alone(changes) else { return "-".to_owned() };
        let tests: Vec<String> = alone
            .tests
            .iter()
            .map(|it| format!("{}:{} {}{}", it.file, it.line, it.name, if it.is_new { " new" } else { "" }))
            .collect();
        let files: Vec<String> = alone.before.iter().map(|(path, text)| format!("{path}={text:?}")).collect();
        format!("{}\n{}", tests.join("; "), files.join("\n"))
    }

    #[test]
    fn a_change_without_its_code_has_its_tests_and_the_earlier_files() {
        let fixed = Changed::new("a.py", Some("def f():\n    return 1\n"), Some("def f():\n    return 2\n"));
        let added = Changed::new("helper.py", None, Some("X = 1\n"));
        let old = "def test_f():\n    assert f() == 1\n";
        let new = "def test_f():\n    assert f() == 2\n\n\ndef test_g():\n    assert f() > 1\n";
        let test = Changed::new("test_a.py", Some(old), Some(new));
        let notes = Changed::new("NOTES.md", Some("a\n"), Some("b\n"));
        let manifest = Changed::new("pyproject.toml", Some("a = 1\n"), Some("a = 2\n"));
        expect_test::expect![[r#"
            test_a.py:1 test_f; test_a.py:5 test_g new
            NOTES.md=Some("a\n")
            a.py=Some("def f():\n    return 1\n")
            helper.py=None"#]]
        .assert_eq(&shown(&[fixed.clone(), added, test.clone(), notes.clone(), manifest]));
        assert_eq!(shown(std::slice::from_ref(&fixed)), "-", "no test");
        assert_eq!(shown(&[test.clone(), notes]), "-", "no code");
        let same = Changed::new("test_a.py", Some(old), Some(&format!("import os\n\n\n{old}")));
        assert_eq!(shown(&[fixed, same]), "-", "no test that is another");
    }

    #[test]
    fn a_file_with_code_and_tests_keeps_its_tests() {
        let before = "fn f() -> u8 {\n    1\n}\n\nfn old() {}\n\n#[cfg(test)]\nmod tests {\n    use super::*;\n\n    #[test]\n    fn one() {\n        assert_eq!(f(), 1);\n    }\n}\n";
        let after = "fn f() -> u8 {\n    2\n}\n\n#[cfg(test)]\nmod tests {\n    use super::*;\n    use std::fmt;\n\n    #[test]\n    fn two() {\n        assert_eq!(f(), 2);\n    }\n}\n";
        let alone = tests_alone(&[Changed::new("src/a.rs", Some(before), Some(after))]).expect("it has tests");
        assert_eq!(
            alone.tests.iter().map(|it| (it.name.as_str(), it.is_new)).collect::<Vec<_>>(),
            [("tests::two", true)]
        );
        let tests = &after[after.find("#[cfg(test)]").expect("it has tests")..];
        let expected = format!("fn f() -> u8 {{\n    1\n}}\n\nfn old() {{}}\n\n{tests}");
        assert_eq!(alone.before["src/a.rs"].as_deref(), Some(expected.as_str()));
        let without = "fn f() -> u8 {\n    1\n}\n";
        let alone = tests_alone(&[Changed::new("src/a.rs", Some(without), Some(after))]).expect("it has tests");
        let expected = format!("{without}{tests}");
        assert_eq!(alone.before["src/a.rs"].as_deref(), Some(expected.as_str()), "tests that came with the change");
    }
}
