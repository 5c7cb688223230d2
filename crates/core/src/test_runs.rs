//! Which command lines run a project's tests; decided by their words alone.

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
pub fn any_runs_tests(line: &str) -> bool {
    line.split(['|', ';', '&', '\n', '(', ')']).any(|it| runs_tests(it.trim()))
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
}
