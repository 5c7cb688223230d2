//! Which command lines run a project's tests, and what of a run that passed is worth reading.

/// Programs that do nothing but run tests, and scripts that are a project's own runner of them.
const RUNNERS: &str =
    "pytest py.test tox nox nosetests vitest jest mocha ava ctest phpunit rspec cargo-nextest testthat";
const OWN: &str = "runtests.py runtests runtest run_tests.py run-tests.sh run_tests.sh";
/// Words before a command that is then run.
const BEFORE: &str = "env time poetry uv pipenv hatch pdm run bundle exec npx bunx xvfb-run --no-install";
/// Arguments with which a runner only tells what it would do.
const SHOWS: &str = "--collect-only --co --version --help -h --list --no-run -n";

fn lists(words: &str, word: &str) -> bool {
    words.split(' ').any(|it| it == word)
}

/// True where a simple command runs tests, and not only lists or builds them.
pub fn runs_tests(command: &str) -> bool {
    let mut words = command.split_whitespace().filter(|it| !it.contains('=') || it.starts_with('-')).peekable();
    while words.next_if(|it| lists(BEFORE, it)).is_some() {}
    let Some(program) = words.next() else { return false };
    let rest: Vec<&str> = words.collect();
    if rest.iter().any(|it| lists(SHOWS, it) && !(*it == "-n" && program.contains("pytest"))) {
        return false;
    }
    let any = |wanted: fn(&str) -> bool| rest.iter().any(|it| !it.starts_with('-') && wanted(it));
    match name(program) {
        it if lists(RUNNERS, it) || lists(OWN, it) || program.ends_with("bin/test") => true,
        it if it.starts_with("python") => {
            let module = rest.iter().position(|it| *it == "-m").and_then(|at| rest.get(at + 1));
            let script = rest.iter().find(|it| !it.starts_with('-')).copied().unwrap_or_default();
            let own = name(script);
            module.is_some_and(|it| ["pytest", "unittest", "nose2", "tox", "nox"].contains(it))
                || module.is_none() && (lists(OWN, own) || own.starts_with("test_") || script.ends_with("bin/test"))
                || own == "manage.py" && rest.contains(&"test")
        }
        "cargo" => any(|it| matches!(it, "test" | "t" | "nextest")),
        "go" | "dotnet" | "swift" | "mix" | "deno" | "zig" => rest.first() == Some(&"test"),
        "mvn" | "mvnw" | "gradle" | "gradlew" => {
            any(|it| it.ends_with("test") || it.ends_with("check") || it == "verify")
        }
        "make" | "gmake" | "ninja" | "just" | "meson" => any(|it| it.contains("test") || it.contains("check")),
        "npm" | "pnpm" | "yarn" | "bun" => {
            any(|it| it == "t" || ["test", "vitest", "jest", "mocha"].iter().any(|word| it.contains(word)))
        }
        "node" => rest.contains(&"--test"),
        _ => false,
    }
}

fn name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// True where some command of a shell line runs tests.
pub(super) fn any_runs_tests(line: &str) -> bool {
    line.split(['|', ';', '&', '\n', '(', ')']).any(|it| runs_tests(it.trim()))
}

/// The output of tests that passed, without what only fills the screen: progress, tables of coverage, skipped tests.
pub(super) fn brief(output: &str) -> String {
    let (mut table, mut left_out) = (false, 0);
    let mut kept: Vec<&str> = Vec::new();
    for line in output.lines() {
        let it = line.trim();
        let begins = it.contains("Stmts") && (it.contains("Miss") || it.contains('|'));
        table |= begins;
        let is_sum = it.starts_with("TOTAL") || it.starts_with("All files");
        let in_table = table && (it.contains('|') || it.contains('%') || it.starts_with("---") || it.is_empty());
        table &= begins || in_table;
        if (begins || in_table) && !is_sum && !it.is_empty() || is_filler(it) {
            left_out += 1;
        } else {
            kept.push(line);
        }
    }
    if left_out == 0 {
        return output.to_owned();
    }
    kept.join("\n") + &format!("\n[{left_out} lines of progress, coverage and skipped tests left out]")
}

fn is_filler(line: &str) -> bool {
    let marks = line.rsplit_once('[').filter(|it| it.1.ends_with("%]")).map(|it| it.0.trim_end());
    let marks = marks.map(|it| it.rsplit_once(' ').filter(|it| it.0.trim_end().ends_with(".py")).map_or(it, |it| it.1));
    marks.is_some_and(|it| !it.is_empty() && it.chars().all(|it| ".sxXP".contains(it)))
        || line.starts_with("SKIPPED [")
        || line.starts_with("↓ ")
        || line.starts_with("test ") && line.ends_with(" ... ignored")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_of_tests_are_known_by_their_command() {
        let runs = [
            "pytest -q tests",
            "python3 -m pytest x.py",
            "FOO=1 python -m unittest",
            ".venv/bin/python -m pytest",
            "cargo test -p a",
            "cargo +nightly nextest run",
            "go test ./...",
            "npm test",
            "npm run --silent test:unit",
            "npx --no-install vitest run src/router",
            "./node_modules/.bin/jest a",
            "tests/runtests.py migrations",
            "python tests/runtests.py",
            "bin/test sympy/physics",
            "make test",
            "./runtest --single unit/x",
            "uv run pytest",
            "poetry run pytest",
            "node --test",
            "./gradlew :a:test",
            "mvn -q test",
            "python manage.py test",
            "ctest",
            "pytest -n 4",
        ];
        let others = [
            "pytest --collect-only",
            "cargo test --no-run",
            "cargo build",
            "ls tests",
            "cat test_a.py",
            "echo pytest",
            "npm install",
            "python3 script.py",
            "make all",
            "go build",
            "git checkout test",
            "make -n test",
        ];
        assert_eq!(runs.iter().filter(|it| !runs_tests(it)).collect::<Vec<_>>(), Vec::<&&str>::new());
        assert_eq!(others.iter().filter(|it| runs_tests(it)).collect::<Vec<_>>(), Vec::<&&str>::new());
    }

    #[test]
    fn of_a_green_run_the_sums_are_kept() {
        let run = "collected 90 items\n\ntests/test_a.py ......s...  [ 50%]\n.........  [100%]\n\n\
            Name    Stmts   Miss  Cover\n-----------------\na.py   10   1   90%\nb.py   10   1   90%\n-----------------\n\
            TOTAL   20   2   90%\nSKIPPED [1] tests/test_a.py:3: no network\n89 passed, 1 skipped in 1.0s\n";
        let kept = "collected 90 items\n\n\nTOTAL   20   2   90%\n89 passed, 1 skipped in 1.0s\n\
            [8 lines of progress, coverage and skipped tests left out]";
        assert_eq!(brief(run), kept);
        let istanbul =
            "File | % Stmts |\n-----|---------|\nAll files | 90 |\n a.ts | 90 |\n-----|---------|\nTests  3 passed (3)";
        assert_eq!(
            brief(istanbul),
            "All files | 90 |\nTests  3 passed (3)\n[4 lines of progress, coverage and skipped tests left out]"
        );
        assert_eq!(brief("a | b\n....\n3 passed in 1s"), "a | b\n....\n3 passed in 1s");
    }
}
