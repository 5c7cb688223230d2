//! Kinds of projects whose checks are a row each: what shows that a project has them, and the command. Of the rows of one
//! ecosystem that fit, the first of each kind counts.

use ox_protocol::{Check, CheckKind};
use serde_json::Value;

use super::project::Project;

/// One check.
struct Row {
    ecosystem: &'static str,
    /// Files of the folder of which one is there; `*.x` stands for any name with that ending.
    files: &'static str,
    /// What one of these files says; nothing where their being there is enough.
    says: &'static str,
    kind: CheckKind,
    name: &'static str,
    /// `bundle:` and `vendor:` before a tool stand for how Ruby's and PHP's managers start it.
    command: &'static str,
    /// How one test is run.
    one: &'static str,
}

const fn row(
    ecosystem: &'static str,
    kind: CheckKind,
    files: &'static str,
    says: &'static str,
    (name, command): (&'static str, &'static str),
    one: &'static str,
) -> Row {
    Row { ecosystem, files, says, kind, name, command, one }
}

use CheckKind::{Build, Lint, Security, Test, Types};

const ROWS: [Row; 31] = [
    row("ruby", Types, "sorbet/config", "", ("sorbet", "bundle:srb tc"), ""),
    row("ruby", Lint, ".rubocop.yml", "", ("rubocop", "bundle:rubocop --format emacs"), ""),
    row("ruby", Lint, ".standard.yml", "", ("standardrb", "bundle:standardrb --format emacs"), ""),
    row(
        "ruby",
        Test,
        ".rspec spec/spec_helper.rb",
        "",
        ("rspec", "bundle:rspec --no-color"),
        "bundle:rspec FILE -e NAME",
    ),
    row("ruby", Test, "bin/rails", "rails", ("rails test", "ruby bin/rails test"), "ruby bin/rails test FILE -n NAME"),
    row(
        "ruby",
        Test,
        "Rakefile rakefile Rakefile.rb",
        "TestTask",
        ("rake test", "bundle:rake test"),
        "bundle:rake test TEST=FILE TESTOPTS=--name=NAME",
    ),
    row("ruby", Test, "Rakefile rakefile Rakefile.rb", "task :test", ("rake test", "bundle:rake test"), ""),
    row("ruby", Test, "Rakefile rakefile Rakefile.rb", "task test", ("rake test", "bundle:rake test"), ""),
    row(
        "php",
        Types,
        "phpstan.neon phpstan.neon.dist phpstan.dist.neon",
        "",
        ("phpstan", "vendor:phpstan analyse --no-progress --error-format=raw"),
        "",
    ),
    row(
        "php",
        Types,
        "psalm.xml psalm.xml.dist",
        "",
        ("psalm", "vendor:psalm --no-progress --output-format=emacs"),
        "",
    ),
    row(
        "php",
        Lint,
        "phpcs.xml phpcs.xml.dist .phpcs.xml .phpcs.xml.dist",
        "",
        ("phpcs", "vendor:phpcs -q --report=emacs"),
        "",
    ),
    row("php", Test, "tests/Pest.php", "", ("pest", "vendor:pest --colors=never"), "vendor:pest FILE --filter NAME"),
    row(
        "php",
        Test,
        "artisan",
        "",
        ("artisan test", "php artisan test --without-tty"),
        "php artisan test FILE --filter NAME",
    ),
    row(
        "php",
        Test,
        "phpunit.xml phpunit.xml.dist phpunit.dist.xml",
        "",
        ("phpunit", "vendor:phpunit --colors=never"),
        "vendor:phpunit FILE --filter NAME",
    ),
    row("swift", Build, "Package.swift", "", ("swift build", "swift build"), ""),
    row("swift", Test, "Package.swift", "testTarget", ("swift test", "swift test"), "swift test --filter NAME"),
    row("elixir", Types, "mix.exs", "", ("mix compile", "mix compile"), ""),
    row("elixir", Lint, ".credo.exs", "", ("mix credo", "mix credo --format flycheck"), ""),
    row("elixir", Test, "mix.exs", "", ("mix test", "mix test"), "mix test FILE:LINE"),
    row("deno", Lint, "deno.json deno.jsonc", "\"lint\"", ("deno lint", "deno lint"), ""),
    row(
        "deno",
        Test,
        "deno.json deno.jsonc",
        "\"test\":",
        ("deno task test", "deno task test"),
        "deno test FILE --filter NAME",
    ),
    row(
        "go",
        Lint,
        ".golangci.yml .golangci.yaml .golangci.toml .golangci.json",
        "",
        ("golangci-lint", "golangci-lint run"),
        "",
    ),
    row("go", Lint, "staticcheck.conf", "", ("staticcheck", "staticcheck ./..."), ""),
    row("just", Lint, "justfile Justfile .justfile", "\nlint:", ("just lint", "just lint"), ""),
    row("just", Test, "justfile Justfile .justfile", "\ntest:", ("just test", "just test"), ""),
    row("meson", Build, "build/build.ninja", "", ("ninja", "ninja -C build"), ""),
    row(
        "meson",
        Test,
        "build/meson-info/intro-tests.json",
        "",
        ("meson test", "meson test -C build --print-errorlogs"),
        "meson test -C build NAME",
    ),
    // A Makefile.PL makes the Makefile that its own tests need; `prove` needs none.
    row("perl", Test, "t/*.t", "", ("prove", "prove -l -r t"), "prove -l -v FILE"),
    row("perl", Test, "test/*.t", "", ("prove", "prove -l -r test"), "prove -l -v FILE"),
    row("dart", Types, "pubspec.yaml", "", ("dart analyze", "dart analyze"), ""),
    row("dart", Test, "pubspec.yaml", "test:", ("dart test", "dart test"), "dart test FILE -n NAME"),
];

/// Audits of dependencies that a tool on this machine can do: by the file that lists them.
const AUDITS: [(&str, &str, &str); 5] = [
    ("deny.toml", "cargo-deny", "cargo deny --offline check bans licenses sources"),
    ("Cargo.lock", "cargo-audit", "cargo audit --no-fetch"),
    ("Gemfile.lock", "bundle-audit", "bundle-audit check"),
    ("requirements.txt", "pip-audit", "pip-audit -r requirements.txt --progress-spinner off"),
    ("go.sum", "govulncheck", "govulncheck ./..."),
];

/// Scripts of `composer.json` that are checks.
const SCRIPTS: [(CheckKind, &str); 3] = [
    (Types, "phpstan stan analyse analyze static-analysis types test:types psalm"),
    (Lint, "lint cs phpcs cs-check check-style check-cs style:check test:lint"),
    (Test, "test tests phpunit test:unit pest"),
];

/// The checks of every row that fits.
/// Levels below a manifest of Swift at which its sources are looked for: `Sources/Target/Folder/a.swift`.
const SWIFT_LEVELS: usize = 4;

pub(super) fn checks(project: &Project<'_>) -> Vec<Check> {
    let mut checks = composer(project);
    let mut taken: Vec<(&str, CheckKind)> = checks.iter().map(|it| ("php", it.kind)).collect();
    for row in &ROWS {
        let names: Vec<&str> = row.files.split(' ').collect();
        let Some(source) = project.first(&names) else { continue };
        if taken.contains(&(row.ecosystem, row.kind)) || !row.says.is_empty() && !project.says(source, row.says) {
            continue;
        }
        // A manifest of Swift without a source of Swift packages the code of another language, whose own checks count.
        if row.ecosystem == "swift" && project.files(&["*.swift"], Some(SWIFT_LEVELS), 2).len() < 2 {
            continue;
        }
        taken.push((row.ecosystem, row.kind));
        let mut check = project.check(row.name, row.kind, &started(project, row.command), source);
        check.one = (!row.one.is_empty()).then(|| project.here(&started(project, row.one)));
        checks.push(check);
    }
    let fits = |it: &&(&str, &str, &str)| project.has(it.0) && (project.installed)(it.1);
    checks.extend(AUDITS.iter().find(fits).map(|it| project.check(it.1, Security, it.2, it.0)));
    checks.extend(dotnet(project));
    checks
}

/// A command as the project's manager starts it: through the manager where it knows the tool, plain where only the tool is there.
fn started(project: &Project<'_>, command: &str) -> String {
    let tool = |rest: &str| rest.split(' ').next().unwrap_or_default().to_owned();
    if let Some(rest) = command.strip_prefix("bundle:") {
        let plain = !project.has("Gemfile") || !(project.installed)("bundle") && (project.installed)(&tool(rest));
        return if plain { rest.to_owned() } else { format!("bundle exec {rest}") };
    }
    if let Some(rest) = command.strip_prefix("vendor:") {
        let own = format!("vendor/bin/{}", tool(rest));
        let plain = !project.has(&own) && (project.installed)(&tool(rest));
        return if plain { rest.to_owned() } else { format!("vendor/bin/{rest}") };
    }
    command.to_owned()
}

fn composer(project: &Project<'_>) -> Vec<Check> {
    const SOURCE: &str = "composer.json";
    let package: Value = project.text(SOURCE).and_then(|it| serde_json::from_str(&it).ok()).unwrap_or_default();
    let text = |name: &str| match package.get("scripts")?.get(name)? {
        Value::String(text) => Some(text.clone()),
        Value::Array(all) => Some(all.iter().filter_map(Value::as_str).collect::<Vec<_>>().join("\n")),
        _ => None,
    };
    let looks = |it: &str| !["--fix", "fix ", "phpcbf", "--watch"].iter().any(|word| it.contains(word));
    let usable = (project.installed)("composer");
    let found = SCRIPTS.iter().filter_map(|(kind, names)| {
        let name = names.split(' ').find(|it| text(it).is_some_and(|it| looks(&it)))?;
        let script = text(name)?;
        // Where only the manager is missing, a script that is one command runs without it.
        let single = !script.contains(['\n', '&', '|', ';', '@', '$']);
        let command = match (usable, single) {
            (false, true) if !script.starts_with("php ") => started(project, &format!("vendor:{script}")),
            _ => format!("composer {}", if name == "test" { "test".to_owned() } else { format!("run-script {name}") }),
        };
        Some(project.check(&format!("composer {name}"), *kind, &command, SOURCE))
    });
    found.collect()
}

/// The solution where there is one: beside projects the folder alone would be refused.
fn dotnet(project: &Project<'_>) -> Vec<Check> {
    let Some(source) = [".slnx", ".sln", ".csproj", ".fsproj", ".vbproj"].iter().find_map(|it| project.ending_in(it))
    else {
        return Vec::new();
    };
    let flags = "--nologo -v quiet";
    let name = crate::paths::word(&source);
    let mut checks =
        vec![project.check("dotnet build", Types, &format!("dotnet build {name} {flags} -clp:NoSummary"), &source)];
    let projects = project.files(&["*.csproj", "*.fsproj", "*.vbproj"], Some(4), 60);
    let tests = |it: &String| {
        let text = project.tree.read(it).map(|it| it.text).unwrap_or_default();
        ["Microsoft.NET.Test.Sdk", "IsTestProject", "MSTest.Sdk", "TUnit"].iter().any(|it| text.contains(it))
    };
    if projects.iter().any(tests) {
        let command = format!("dotnet test {name} {flags}");
        checks.push(project.tests("dotnet test", &command, &source, &format!("{command} --filter NAME")));
    }
    checks
}
