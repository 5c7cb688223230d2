//! The beginning of a command that a rule may cover it by, whatever follows.
//!
//! It names the work: `cargo test`, `npm run build`, `./gradlew check`. Nothing that takes another command, a script or code as
//! its argument has one: not a shell, an interpreter, a wrapper, nor a program of which nothing is known.

use ox_protocol::word_list::contains;

/// Programs whose first argument says what they do.
const WITH_SUBCOMMAND: &str = "cargo rustup go npm pnpm yarn bun git gh mvn gradle dotnet swift mix composer pip pip3 uv poetry \
    pipenv bundle conda brew apt apt-get make gmake just task rake ninja nox invoke meson bazel buck2 helm terraform kubectl";
/// Programs that do one thing whatever their arguments are.
const ALONE: &str = "pytest ruff black isort flake8 pylint mypy pyright tox eslint prettier tsc jest vitest mocha biome stylelint \
    rustfmt clippy-driver gofmt golangci-lint staticcheck ctest clang-format clang-tidy shellcheck shfmt rubocop rspec phpunit \
    phpstan ktlint checkstyle hadolint typos markdownlint mdbook ls cat head tail wc grep egrep fgrep tree stat file du df \
    diff cmp cut tr uniq nl basename dirname realpath which pwd echo printf date jq touch mkdir cp mv";
/// Subcommands that run whatever stands behind them, or change what later commands run.
const RUNS_ANYTHING: &str = "exec x dlx run-script node shell env sh bash tool with eval config alias bisect rebase submodule \
    filter-branch difftool mergetool hook hooks worktree set";
/// Programs whose `run` starts another command; with the others it starts what the project calls so.
const RUN_WRAPS: &str = "uv poetry pipenv bundle conda kubectl terraform helm brew";
/// Modules of Python that do one thing.
const MODULES: &str = "pytest unittest mypy ruff black isort flake8 pylint compileall build";

/// The beginning of `text`, a simple command with its words joined by blanks; none where only the whole of it may be covered.
pub(crate) fn of(text: &str) -> Option<String> {
    let words: Vec<&str> = text.split(' ').collect();
    let count = match *words.first()? {
        "python" | "python3" if words.get(1) == Some(&"-m") => {
            words.get(2).filter(|it| contains(MODULES, it)).map(|_| 3)?
        }
        "npm" | "pnpm" | "yarn" | "bun" if words.get(1) == Some(&"run") => {
            words.get(2).filter(|it| is_name(it)).map(|_| 3)?
        }
        program if contains(WITH_SUBCOMMAND, program) || is_wrapper_of_the_project(program) => {
            let does = words.get(1).filter(|it| is_name(it) && !contains(RUNS_ANYTHING, it))?;
            (*does != "run" || !contains(RUN_WRAPS, program)).then_some(2)?
        }
        program if contains(ALONE, program) || is_script_of_the_project(program) => 1,
        _ => return None,
    };
    Some(words[..count].join(" "))
}

/// A plain word: no option, no path, no assignment, nothing quoted or computed.
fn is_name(word: &str) -> bool {
    word.starts_with(|c: char| c.is_ascii_alphabetic())
        && word.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | ':'))
}

/// A build tool that the project brings along.
fn is_wrapper_of_the_project(program: &str) -> bool {
    matches!(program, "./gradlew" | "./mvnw")
}

/// A program within the project, by its path.
fn is_script_of_the_project(program: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.' | '/');
    program.starts_with("./") && program.len() > 2 && !program.contains("..") && program.chars().all(plain)
}

#[cfg(test)]
mod tests {
    use super::of;

    #[test]
    fn what_a_rule_may_cover_is_the_work_and_never_a_way_to_run_anything() {
        let cases: &[(&str, Option<&str>)] = &[
            ("cargo test --workspace", Some("cargo test")),
            ("cargo test", Some("cargo test")),
            ("cargo +nightly test", None),
            ("cargo", None),
            ("npm test", Some("npm test")),
            ("npm run build -- --watch", Some("npm run build")),
            ("npm run", None),
            ("npm exec cowsay", None),
            ("yarn lint", Some("yarn lint")),
            ("yarn dlx cowsay", None),
            ("go test ./...", Some("go test")),
            ("git commit -m 'a b'", Some("git commit")),
            ("git", None),
            ("git -c core.pager=sh log", None),
            ("git config core.pager sh", None),
            ("git bisect run sh", None),
            ("git rebase -x sh", None),
            ("make check", Some("make check")),
            ("make SHELL=/bin/evil check", None),
            ("./gradlew test --info", Some("./gradlew test")),
            ("./scripts/build.sh --fast", Some("./scripts/build.sh")),
            ("./../evil.sh", None),
            ("./", None),
            ("python -m pytest -q", Some("python -m pytest")),
            ("python3 -m http.server", None),
            ("python -c 'import os'", None),
            ("python script.py", None),
            ("node server.js", None),
            ("pytest -q tests", Some("pytest")),
            ("tail -5", Some("tail")),
            ("uv run evil", None),
            ("uv sync", Some("uv sync")),
            ("poetry run evil", None),
            ("bundle exec rake", None),
            ("sudo make install", None),
            ("sh -c 'cargo test'", None),
            ("bash build.sh", None),
            ("npx eslint .", None),
            ("xargs cargo test", None),
            ("env A=1 cargo test", None),
            ("timeout 5 cargo test", None),
            ("find . -exec rm {} +", None),
            ("rm -r build", None),
            ("curl https://example.com", None),
            ("docker run -v /:/host evil", None),
            ("> out.txt", None),
            ("PATH=/tmp", None),
            ("'cargo' test", None),
            ("", None),
        ];
        for (text, expected) in cases {
            assert_eq!(of(text).as_deref(), *expected, "{text}");
        }
    }
}
