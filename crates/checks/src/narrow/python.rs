//! pytest over the reached files; ruff and flake8 over the changed ones.

use super::change::{Change, Whole};
use crate::paths::words;

pub(super) fn form(change: &Change<'_>, of: &Whole<'_>) -> Option<String> {
    let (files, head) = match of.check.name.as_str() {
        "pytest" | "bin/test" => (change.tests_of(of, &[".py"], &is_test), of.command),
        "runtests.py" | "manage.py test" => {
            let files = change.tests_of(of, &[".py"], &|it| is_test(it) || it.ends_with("/tests.py"));
            let label = |it: &String| it.trim_end_matches(".py").replace('/', ".");
            (files.iter().map(label).collect(), of.command)
        }
        "ruff" => (change.files_of(of, &[".py", ".pyi"]), of.command.strip_suffix(" .")?),
        "flake8" => (change.files_of(of, &[".py"]), of.command),
        _ => return None,
    };
    (!files.is_empty()).then(|| format!("{head} {}", words(&files)))
}

/// The names under which pytest looks for tests unless it is told otherwise.
fn is_test(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    name.starts_with("test_") || name.ends_with("_test.py")
}
