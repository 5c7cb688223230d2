//! Tools that take files as they are: the reached tests for a runner, the changed files for a linter.

use super::change::{Change, Whole};
use crate::paths::words;

/// What a tool takes.
enum Takes {
    /// Files of tests, known by these parts of their names.
    Tests(&'static [&'static str]),
    /// The same, and no more than one.
    OneTest(&'static [&'static str]),
    Changed,
}
use Takes::{Changed, OneTest, Tests};

/// A tool by the name of its check, the endings of its files, what of its command gives way to them, and what it takes.
const TOOLS: [(&str, &[&str], &str, Takes); 12] = [
    ("rspec", &[".rb"], "", Tests(&["_spec.rb"])),
    ("rails test", &[".rb"], "", Tests(&["_test.rb"])),
    ("rubocop", &[".rb"], "", Changed),
    ("standardrb", &[".rb"], "", Changed),
    ("phpunit", &[".php"], "", OneTest(&["Test.php"])),
    ("pest", &[".php"], "", OneTest(&["Test.php"])),
    ("phpcs", &[".php"], "", Changed),
    ("mix test", &[".exs"], "", Tests(&["_test.exs"])),
    ("dart test", &[".dart"], "", Tests(&["_test.dart"])),
    ("biome", &[".ts", ".tsx", ".js", ".jsx", ".mjs", ".cjs", ".json", ".css"], "", Changed),
    ("ava", &[".ts", ".js", ".mjs", ".cjs"], "", Tests(&[".test.", "test/", "-test."])),
    ("tests of the CI", &[".py"], "pytest", Tests(&["test_", "_test.py"])),
];

pub(super) fn form(change: &Change<'_>, of: &Whole<'_>) -> Option<String> {
    let (_, endings, end, takes) = TOOLS.iter().find(|it| it.0 == of.check.name)?;
    // A command that names files already would run those as well.
    if !end.is_empty() && !of.command.ends_with(end) {
        return None;
    }
    let named = |names: &'static [&'static str]| move |path: &str| names.iter().any(|it| path.contains(it));
    let files = match takes {
        Tests(names) => change.tests_of(of, endings, &named(names)),
        OneTest(names) => Some(change.tests_of(of, endings, &named(names))).filter(|it| it.len() == 1)?,
        Changed => change.files_of(of, endings),
    };
    (!files.is_empty()).then(|| format!("{} {}", of.command, words(&files)))
}
