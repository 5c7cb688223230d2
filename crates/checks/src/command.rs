//! The parts of a check's command line: the folder that it changes to, the program that it starts, the tool behind that.

/// What `make` reads where it starts.
pub(crate) const MAKEFILES: [&str; 3] = ["GNUmakefile", "makefile", "Makefile"];

/// The folder of a leading `cd … &&`; empty without one.
pub(crate) fn folder(command: &str) -> &str {
    let changes = command.strip_prefix("cd ").and_then(|it| it.split_once(" && "));
    changes.map_or("", |it| it.0.trim_matches('\'').trim_start_matches("./"))
}

/// A command line without a leading `cd … &&`.
pub(crate) fn inside(command: &str) -> &str {
    match command.split_once("&&") {
        Some((first, rest)) if first.trim_start().starts_with("cd ") => rest.trim_start(),
        _ => command,
    }
}

/// The program that a command line starts, after a leading `cd … &&`.
pub(crate) fn program(command: &str) -> &str {
    inside(command).split_whitespace().find(|it| !it.contains('=')).unwrap_or("")
}

/// Words before a tool that only start it.
const BEFORE: &str = "env time run exec npx bunx pnpx uvx uv poetry pipenv hatch pdm rye bundle --no-install --no-sync --silent -q xvfb-run";
/// Programs whose first argument says what they do.
const WITH_VERB: &str =
    "cargo go dotnet swift mix deno zig mvn gradle make rake rails composer just meson dart flutter";
/// Managers that run the scripts of a package, under whatever name they are called.
const MANAGERS: &str = "npm pnpm yarn bun";

/// The tool that a command line ends up with, the same for the many ways to start it: `pytest`, `cargo test`, `script test`.
pub(crate) fn tool(command: &str) -> String {
    let is = |list: &str, word: &str| list.split_whitespace().any(|it| it == word);
    let mut words = inside(command).split_whitespace().filter(|it| !it.contains('=') || it.starts_with('-')).peekable();
    let mut manager = false;
    while let Some(word) = words.next_if(|it| is(BEFORE, it) || is(MANAGERS, it)) {
        manager = is(MANAGERS, word) || manager && word != "exec";
    }
    let Some(first) = words.next() else { return String::new() };
    let name = first.rsplit('/').next().unwrap_or(first).trim_end_matches(['3', 'w']);
    if manager {
        return format!("script {}", if first == "t" { "test" } else { first });
    }
    if name.starts_with("python") && words.next_if_eq(&"-m").is_some() {
        return words.next().unwrap_or_default().to_owned();
    }
    let mut verb = words.filter(|it| !it.starts_with(['-', '+']));
    if name.starts_with("python") || is(WITH_VERB, name) {
        return format!("{name} {}", verb.next().unwrap_or_default()).trim_end().to_owned();
    }
    name.to_owned()
}

/// The ecosystem of a command line, by the tool that it starts.
pub(crate) fn family(command: &str) -> &'static str {
    const TOOLS: [(&str, &str); 11] = [
        ("cargo", "cargo"),
        ("go gofmt golangci-lint staticcheck govulncheck", "go"),
        ("mvn gradle sbt", "jvm"),
        ("script npx tsc vue-tsc svelte-check eslint biome vitest jest mocha node deno ava prettier oxlint", "node"),
        ("python pytest unittest mypy pyright ruff flake8 tox nox pylint ty pip-audit", "python"),
        ("bundle rspec rake rubocop standardrb ruby srb rails bundle-audit", "ruby"),
        ("composer phpunit phpstan psalm phpcs pest php", "php"),
        ("swift", "swift"),
        ("mix", "elixir"),
        ("dotnet", "dotnet"),
        ("dart flutter", "dart"),
    ];
    let tool = tool(command);
    let first = tool.split(' ').next().unwrap_or_default();
    TOOLS.iter().find(|it| it.0.split(' ').any(|it| it == first)).map_or("native", |it| it.1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tool_is_the_same_however_it_is_started() {
        let table = [
            ("cd a && python3 -m pytest -q", "pytest"),
            (".venv/bin/python -m pytest", "pytest"),
            ("uv run pytest --cov", "pytest"),
            ("python manage.py test", "python manage.py"),
            ("npm run --silent lint", "script lint"),
            ("npm test --silent", "script test"),
            ("yarn test", "script test"),
            ("npx --no-install vitest run", "vitest"),
            ("vendor/bin/phpunit", "phpunit"),
            ("bundle exec rspec", "rspec"),
            ("RUSTFLAGS=x cargo +nightly test", "cargo test"),
            ("./mvnw -q -B test", "mvn test"),
            ("", ""),
        ];
        for (command, expected) in table {
            assert_eq!(tool(command), expected, "{command}");
        }
    }
}
