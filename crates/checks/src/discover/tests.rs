//! Projects as lists of files, and the checks that are found in them.

use expect_test::{Expect, expect};

use super::*;

fn project(files: &[(&str, &str)]) -> tempfile::TempDir {
    let dir = tempfile::tempdir().expect("a temporary folder can be made");
    for (path, text) in files {
        let path = dir.path().join(path);
        std::fs::create_dir_all(path.parent().expect("a file has a folder")).expect("folders can be made");
        std::fs::write(path, text).expect("files can be written");
    }
    dir
}

/// The checks of a project of `files`, on a machine where only `installed` is.
fn check_on(installed: &[&str], files: &[(&str, &str)], expected: Expect) {
    let dir = project(files);
    let tree = Tree::open(dir.path(), &[]).expect("the folder exists");
    let checks = found(&tree, &|it| installed.contains(&it));
    let shown: String = checks
        .iter()
        .map(|it| {
            let evidence = it.evidence.as_ref().map_or(String::new(), |it| format!(" [{it}]"));
            let limit = it.limit_ms / 1000;
            format!("{:?} {limit}s `{}` {} ({}){evidence}\n", it.kind, it.command, it.name, it.source)
        })
        .collect();
    expected.assert_eq(&shown);
}

fn check(files: &[(&str, &str)], expected: Expect) {
    check_on(&[], files, expected);
}

#[test]
fn a_home_folder_and_the_root_are_no_projects() {
    let home = Path::new("/home/me");
    for (root, home, expected) in [
        ("/", None, false),
        ("/", Some(home), false),
        ("/home/me", Some(home), false),
        ("/home/me", None, true),
        ("/home/me/project", Some(home), true),
    ] {
        assert_eq!(is_narrow(Path::new(root), home), expected, "{root} {home:?}");
    }
}

#[test]
fn nothing_to_check() {
    check(&[("README.md", "x"), ("notes/a.txt", "x")], expect![[""]]);
}

#[test]
fn cargo_projects() {
    check(
        &[("Cargo.toml", "[package]\nname = \"a\"\n")],
        expect![[r#"
        Types 30s `cargo check --all-targets --keep-going --message-format=json` cargo check (Cargo.toml)
        Test 120s `cargo test --no-fail-fast` cargo test (Cargo.toml)
    "#]],
    );
    check(
        &[("Cargo.toml", "[workspace]\nmembers = [\"a\"]\n[workspace.lints.clippy]\nunwrap_used = \"deny\"\n")],
        expect![[r#"
            Types 30s `cargo check --workspace --all-targets --keep-going --message-format=json` cargo check (Cargo.toml)
            Lint 30s `cargo clippy --workspace --all-targets --keep-going --message-format=json` cargo clippy (Cargo.toml)
            Test 120s `cargo test --workspace --no-fail-fast` cargo test (Cargo.toml)
        "#]],
    );
    check(
        &[("Cargo.toml", "not [ toml"), ("clippy.toml", "")],
        expect![[r#"
        Types 30s `cargo check --all-targets --keep-going --message-format=json` cargo check (Cargo.toml)
        Lint 30s `cargo clippy --all-targets --keep-going --message-format=json` cargo clippy (clippy.toml)
        Test 120s `cargo test --no-fail-fast` cargo test (Cargo.toml)
    "#]],
    );
}

#[test]
fn scripts_of_a_package() {
    let scripts =
        r#"{"scripts": {"typecheck": "tsc --noEmit", "lint": "eslint .", "build": "vite build", "test": "vitest"}}"#;
    check(
        &[("package.json", scripts)],
        expect![[r#"
        Types 30s `npm run --silent typecheck` npm run typecheck (package.json)
        Lint 30s `npm run --silent lint` npm run lint (package.json)
        Build 120s `npm run --silent build` npm run build (package.json)
        Test 120s `npm test --silent` npm run test (package.json)
    "#]],
    );
    check(
        &[("package.json", scripts), ("pnpm-lock.yaml", "")],
        expect![[r#"
        Types 30s `pnpm --silent run typecheck` pnpm run typecheck (package.json)
        Lint 30s `pnpm --silent run lint` pnpm run lint (package.json)
        Build 120s `pnpm --silent run build` pnpm run build (package.json)
        Test 120s `pnpm --silent run test` pnpm run test (package.json)
    "#]],
    );
    check(
        &[("package.json", scripts), ("yarn.lock", "")],
        expect![[r#"
        Types 30s `yarn run typecheck` yarn run typecheck (package.json)
        Lint 30s `yarn run lint` yarn run lint (package.json)
        Build 120s `yarn run build` yarn run build (package.json)
        Test 120s `yarn run test` yarn run test (package.json)
    "#]],
    );
}

#[test]
fn tools_behind_scripts_that_will_not_do() {
    let package = r#"{"packageManager": "pnpm@9.1.0",
        "scripts": {"lint": "eslint . --fix", "test": "jest --watch", "build": "tsc"},
        "devDependencies": {"typescript": "5", "eslint": "9", "jest": "30"}}"#;
    let files = [("package.json", package), ("tsconfig.json", "{}"), ("eslint.config.js", "")];
    check(
        &files,
        expect![[r#"
        Types 30s `pnpm exec tsc --noEmit` tsc (tsconfig.json)
        Lint 30s `pnpm exec eslint .` eslint (eslint.config.js)
        Test 120s `pnpm exec jest` jest (package.json)
    "#]],
    );
}

#[test]
fn a_manager_of_another_version_than_the_project_pins_is_not_called() {
    let package = r#"{"packageManager": "pnpm@11.3.0+sha512.0", "scripts": {"test": "vitest run"}, "devDependencies": {"vitest": "4"}}"#;
    let files = [("package.json", package)];
    check_on(
        &["npm", "pnpm", "pnpm@11.3.0"],
        &files,
        expect![[r#"
        Test 120s `pnpm --silent run test` pnpm run test (package.json)
    "#]],
    );
    check_on(
        &["npm", "pnpm"],
        &files,
        expect![[r#"
        Test 120s `npm test --silent` npm run test (package.json)
    "#]],
    );
}

#[test]
fn tests_without_a_browser_and_types_by_another_name() {
    let package = r#"{"packageManager": "pnpm@11.3.0",
        "scripts": {"check": "tsc --incremental --noEmit", "test": "vitest", "test-unit": "vitest --project unit*",
                    "test-e2e": "node scripts/build.js && vitest --project e2e"},
        "devDependencies": {"typescript": "5", "vitest": "4"}}"#;
    check(
        &[("package.json", package), ("tsconfig.json", "{}")],
        expect![[r#"
        Types 30s `pnpm --silent run check` pnpm run check (package.json)
        Test 120s `pnpm --silent run test-unit` pnpm run test-unit (package.json)
    "#]],
    );
    let package = r#"{"scripts": {"check": "biome check", "test": "vitest", "test:unit": "vitest unit"}}"#;
    check(
        &[("package.json", package)],
        expect![[r#"
            Lint 30s `npm run --silent check` npm run check (package.json)
            Test 120s `npm test --silent` npm run test (package.json)
        "#]],
    );
}

#[test]
fn a_package_without_checks() {
    let placeholder = r#"{"scripts": {"test": "echo \"Error: no test specified\" && exit 1", "start": "node ."}}"#;
    check(&[("package.json", placeholder)], expect![[""]]);
    check(&[("package.json", "{ not json")], expect![[""]]);
}

#[test]
fn solution_files_are_built_where_the_project_does_so_and_nothing_stays() {
    let solution = r#"{"files": [], "references": [{"path": "./tsconfig.app.json"}]}"#;
    let part = r#"{"compilerOptions": {"noEmit": true}}"#;
    let package = r#"{"devDependencies": {"typescript": "5"}, "scripts": {"build:all": "tsc -b && vite build"}}"#;
    let files = |package, part| [("package.json", package), ("tsconfig.json", solution), ("tsconfig.app.json", part)];
    let built = expect![[r#"
        Types 30s `npx --no-install tsc -b` tsc (tsconfig.json)
    "#]];
    check(&files(package, part), built);
    check(&files(package, "{}"), expect![[""]]);
    check(&files(r#"{"devDependencies": {"typescript": "5"}}"#, part), expect![[""]]);
}

#[test]
fn a_script_runs_by_npm_where_only_its_manager_is_missing() {
    let package =
        r#"{"scripts": {"test": "vitest --run", "lint": "bun run eslint"}, "devDependencies": {"vitest": "1"}}"#;
    let files = [("package.json", package), ("bun.lock", "")];
    check_on(
        &["npm"],
        &files,
        expect![[r#"
            Lint 30s `bun run lint` bun run lint (package.json)
            Test 120s `npm test --silent` npm run test (package.json)
        "#]],
    );
    check_on(
        &["npm", "bun"],
        &files,
        expect![[r#"
            Lint 30s `bun run lint` bun run lint (package.json)
            Test 120s `bun run test` bun run test (package.json)
        "#]],
    );
}

#[test]
fn a_project_that_says_how_it_is_tested_is_believed() {
    let test = ("tests/test_a.py", "def test_a():\n    pass\n");
    let reported = |more: &[(&'static str, &'static str)], expected: Expect| {
        let files: Vec<(&str, &str)> = [test].into_iter().chain(more.iter().copied()).collect();
        check(&files, expected);
    };
    reported(
        &[("tests/runtests.py", "import unittest\n"), ("tox.ini", "[testenv]\ncommands = pytest\n")],
        expect![[r#"
            Test 120s `cd tests && PYTHONPATH=.. python3 runtests.py` runtests.py (tests/runtests.py)
        "#]],
    );
    reported(
        &[("bin/test", "#!/usr/bin/env python\n"), ("setup.cfg", "[tool:pytest]\n")],
        expect![[r#"
            Test 120s `python3 bin/test` bin/test (bin/test)
        "#]],
    );
    reported(
        &[(
            "tox.ini",
            "[tox]\nenvlist = py\n[testenv]\nchangedir = {toxinidir}/tests\ncommands =\n    pip install x\n    \
             {envpython} -m unittest {posargs:-q}\n[testenv:docs]\ncommands = pytest docs\n",
        )],
        expect![[r#"
            Test 120s `cd tests && python3 -m unittest -q` tox (tox.ini)
        "#]],
    );
    reported(
        &[(
            "noxfile.py",
            "@nox.session\ndef tests(session):\n    session.install('.')\n    session.run(\"pytest\", '-x')\n",
        )],
        expect![[r#"
            Test 120s `python3 -m pytest -x` nox (noxfile.py)
        "#]],
    );
    reported(
        &[(
            ".github/workflows/ci.yml",
            "jobs:\n  test:\n    steps:\n      - run: pip install .\n      - run: |\n          tox -e $X\n          python -m unittest discover -v\n",
        )],
        expect![[r#"
            Test 120s `python3 -m unittest discover -v` tests of the CI (.github/workflows/ci.yml) [.github/workflows/ci.yml: python -m unittest discover -v]
        "#]],
    );
}

#[test]
fn one_test_is_run_like_this() {
    let one = |files: &[(&str, &str)]| {
        let dir = tempfile::tempdir().expect("a temporary folder can be made");
        for (path, text) in files {
            std::fs::write(dir.path().join(path), text).expect("files can be written");
        }
        let tree = Tree::open(dir.path(), &[]).expect("the folder exists");
        found(&tree, &|_| true).into_iter().find_map(|it| it.one).unwrap_or_default()
    };
    let table = [
        (("Cargo.toml", "[workspace]\nmembers = []\n"), "cargo test -p PACKAGE NAME"),
        (("pytest.ini", ""), "python3 -m pytest -q FILE -k NAME"),
        (("package.json", r#"{"scripts": {"test": "vitest run"}}"#), "npx --no-install vitest run FILE -t NAME"),
        (("package.json", r#"{"scripts": {"test": "node --test"}}"#), "node --test FILE"),
        (("go.mod", "module m\n"), "go test ./PACKAGE -v -run NAME"),
        (("Makefile", "test:\n\ttrue\n"), ""),
    ];
    for (file, command) in table {
        assert_eq!(one(&[file]), command);
    }
}

#[test]
fn python_projects() {
    let config = "[tool.ruff]\nline-length = 100\n[tool.mypy]\nfiles = [\"src\"]\n[tool.pytest.ini_options]\n";
    check(
        &[("pyproject.toml", config)],
        expect![[r#"
            Types 30s `python3 -m mypy` mypy (pyproject.toml)
            Lint 30s `python3 -m ruff check .` ruff (pyproject.toml)
            Test 120s `python3 -m pytest -q -rfE --tb=short --continue-on-collection-errors` pytest (pyproject.toml)
        "#]],
    );
    check_on(
        &["ruff"],
        &[("pyproject.toml", config), (".venv/bin/python", "")],
        expect![[r#"
            Types 30s `.venv/bin/python -m mypy` mypy (pyproject.toml)
            Lint 30s `ruff check .` ruff (pyproject.toml)
            Test 120s `.venv/bin/python -m pytest -q -rfE --tb=short --continue-on-collection-errors` pytest (pyproject.toml)
        "#]],
    );
    check(
        &[("setup.cfg", "[mypy]\n[flake8]\n"), ("tests/test_a.py", "def test_a(): pass\n")],
        expect![[r#"
            Types 30s `python3 -m mypy .` mypy (setup.cfg)
            Lint 30s `python3 -m flake8` flake8 (setup.cfg)
            Test 120s `python3 -m pytest -q -rfE --tb=short --continue-on-collection-errors` pytest (tests/test_a.py)
        "#]],
    );
}

#[test]
fn an_interpreter_is_a_link_out_of_the_tree() {
    let dir = tempfile::tempdir().expect("a temporary folder can be made");
    std::fs::create_dir_all(dir.path().join(".venv/bin")).expect("folders can be made");
    std::os::unix::fs::symlink("/bin/sh", dir.path().join(".venv/bin/python")).expect("links can be made");
    std::fs::write(dir.path().join("pytest.ini"), "").expect("files can be written");
    let tree = Tree::open(dir.path(), &[]).expect("the folder exists");
    assert!(found(&tree, &|_| false)[0].command.starts_with(".venv/bin/python -m pytest"));
}

#[test]
fn unittest_runs_from_where_it_finds_the_tests_under_their_names() {
    let test = "import unittest\nclass T(unittest.TestCase): pass\n";
    check(
        &[("sums_test.py", test)],
        expect![[r#"
        Test 120s `python3 -m unittest discover -p '*_test.py'` unittest (sums_test.py)
    "#]],
    );
    check(
        &[("test_a.py", test), ("b_test.py", test)],
        expect![[r#"
        Test 120s `python3 -m unittest discover -p '*test*.py'` unittest (b_test.py)
    "#]],
    );
    check(
        &[("backend/test_tax.py", test)],
        expect![[r#"
        Test 120s `cd backend && python3 -m unittest discover` unittest (backend/test_tax.py)
    "#]],
    );
    check(
        &[("backend/tests/test_tax.py", test)],
        expect![[r#"
        Test 120s `cd backend && python3 -m unittest discover -s tests` unittest (backend/tests/test_tax.py)
    "#]],
    );
    check(
        &[("tax/__init__.py", ""), ("tax/tests/__init__.py", ""), ("tax/tests/test_tax.py", test)],
        expect![[r#"
        Test 120s `python3 -m unittest discover` unittest (tax/tests/test_tax.py)
    "#]],
    );
    check(
        &[("a/test_a.py", test), ("b/test_b.py", test)],
        expect![[r#"
        Test 120s `(cd a && python3 -m unittest discover) && (cd b && python3 -m unittest discover)` unittest (a/test_a.py)
    "#]],
    );
}

#[test]
fn perl_tests_run_by_prove() {
    check(
        &[("Makefile.PL", ""), ("t/a.t", "")],
        expect![[r#"
        Test 120s `prove -l -r t` prove (t/*.t)
    "#]],
    );
}

#[test]
fn python_tests_that_know_no_pytest() {
    let test = "import unittest\nclass T(unittest.TestCase): pass\n";
    check(
        &[("tests/test_a.py", test)],
        expect![[r#"
            Test 120s `python3 -m unittest discover -s tests` unittest (tests/test_a.py)
        "#]],
    );
    check(
        &[("test_a.py", test)],
        expect![[r#"
            Test 120s `python3 -m unittest discover` unittest (test_a.py)
        "#]],
    );
    check(
        &[("test_a.py", test), ("requirements.txt", "pytest>=8\n")],
        expect![[r#"
            Test 120s `python3 -m pytest -q -rfE --tb=short --continue-on-collection-errors` pytest (test_a.py)
        "#]],
    );
}

#[test]
fn other_projects() {
    check(
        &[("go.mod", "module a\n")],
        expect![[r#"
        Types 30s `go vet ./...` go vet (go.mod)
        Test 120s `go test ./...` go test (go.mod)
    "#]],
    );
    check(
        &[("pom.xml", ""), ("mvnw", "")],
        expect![[r#"
            Types 30s `./mvnw -q -B test-compile` mvn test-compile (pom.xml)
            Test 120s `./mvnw -B --fail-at-end test` mvn test (pom.xml)
        "#]],
    );
    check(
        &[("build.gradle.kts", ""), ("gradlew", "")],
        expect![[r#"
        Types 30s `./gradlew --console=plain -q --continue testClasses` gradle testClasses (build.gradle.kts)
        Test 120s `./gradlew --console=plain -q --continue test` gradle test (build.gradle.kts)
    "#]],
    );
    check(
        &[("CMakeLists.txt", "enable_testing()\n"), ("build/CMakeCache.txt", "")],
        expect![[r#"
        Build 120s `cmake --build build` cmake --build (CMakeLists.txt)
        Test 120s `ctest --test-dir build --output-on-failure` ctest (CMakeLists.txt)
    "#]],
    );
    check(
        &[("Makefile", "X := 1\n.PHONY: test lint\nlint: a\n\techo\ntest:\n\ttrue\ncheck: test\n")],
        expect![[r#"
        Lint 30s `make lint` make lint (Makefile)
        Test 120s `make test` make test (Makefile)
    "#]],
    );
}

#[test]
fn a_target_that_is_said_to_take_long_gives_way_to_the_short_one() {
    check(
        &[(
            "Makefile",
            "## test: run long-duration tests\ntest:\n\ttrue\n## check: run basic tests\ncheck: shortest\n",
        )],
        expect![[r#"
            Test 120s `make check` make check (Makefile)
        "#]],
    );
}

#[test]
fn a_makefile_adds_only_what_is_missing() {
    check(
        &[("Makefile", "test:\n\tgo test\nlint:\n\tgolangci-lint run\n"), ("go.mod", "module a\n")],
        expect![[r#"
        Types 30s `go vet ./...` go vet (go.mod)
        Lint 30s `make lint` make lint (Makefile)
        Test 120s `go test ./...` go test (go.mod)
    "#]],
    );
}

#[test]
fn projects_side_by_side() {
    check(
        &[
            ("README.md", ""),
            ("api server/go.mod", "module a\n"),
            ("web/package.json", r#"{"scripts": {"test": "vitest"}}"#),
        ],
        expect![[r#"
            Types 30s `cd './api server' && go vet ./...` go vet (api server/go.mod)
            Test 120s `cd './api server' && go test ./...` go test (api server/go.mod)
            Test 120s `cd web && npm test --silent` npm run test (web/package.json)
        "#]],
    );
}

#[test]
fn configuration_replaces_discovery() {
    let dir = tempfile::tempdir().expect("a temporary folder can be made");
    std::fs::write(dir.path().join("Cargo.toml"), "").expect("files can be written");
    let tree = Tree::open(dir.path(), &[]).expect("the folder exists");
    let config = |command: &str, kind, timeout| CheckConfig { command: command.into(), kind, name: None, timeout };
    let configured = [config("./slow", None, Some(600)), config("./lint", Some(CheckKind::Lint), None)];
    let checks = discover(&tree, &configured);
    let shown: Vec<_> =
        checks.iter().map(|it| (it.command.as_str(), it.kind, it.limit_ms, it.source.as_str())).collect();
    let wanted = [("./lint", CheckKind::Lint, 30_000, "config"), ("./slow", CheckKind::Test, 600_000, "config")];
    assert_eq!(shown, wanted);
}

#[test]
fn ecosystems_of_one_row_each() {
    let projects: [&[(&str, &str)]; 12] = [
        &[("Gemfile", ""), (".rspec", ""), (".rubocop.yml", "")],
        &[("Rakefile", "Rake::TestTask.new\n"), (".standard.yml", "")],
        &[("phpunit.xml.dist", ""), ("phpstan.neon", ""), ("phpcs.xml", ""), ("vendor/bin/phpunit", "")],
        &[("composer.json", r#"{"scripts": {"test": ["@unit"], "stan": "phpstan analyse", "lint": "phpcbf src"}}"#)],
        &[("composer.json", r#"{"scripts": {"test": "phpunit"}}"#), ("phpunit.xml", "")],
        &[("Package.swift", "x.testTarget(name: \"a\")"), ("Sources/a/a.swift", "")],
        &[("mix.exs", ""), (".credo.exs", "")],
        &[("deno.json", r#"{"tasks": {"test": "deno test -A"}, "lint": {}}"#)],
        &[("a.sln", ""), ("src/a.csproj", ""), ("tests/t.csproj", "Microsoft.NET.Test.Sdk")],
        &[("go.work", "go 1.22\nuse (\n\t./a\n\t./b/c // x\n)\n"), (".golangci.yml", "")],
        &[("justfile", "x:\n\ntest:\n\ttrue\n")],
        &[("Cargo.toml", "[package]\n"), ("deny.toml", ""), ("Cargo.lock", "")],
    ];
    let mut shown = String::new();
    for files in projects {
        let dir = project(files);
        let tree = Tree::open(dir.path(), &[]).expect("the folder exists");
        let checks = found(&tree, &|it| ["bundle", "cargo-audit"].contains(&it));
        checks.iter().for_each(|it| shown += &format!("{:?} `{}` ({})\n", it.kind, it.command, it.source));
        shown += "\n";
    }
    expect![[r#"
        Lint `bundle exec rubocop --format emacs` (.rubocop.yml)
        Test `bundle exec rspec --no-color` (.rspec)

        Lint `standardrb --format emacs` (.standard.yml)
        Test `rake test` (Rakefile)

        Types `vendor/bin/phpstan analyse --no-progress --error-format=raw` (phpstan.neon)
        Lint `vendor/bin/phpcs -q --report=emacs` (phpcs.xml)
        Test `vendor/bin/phpunit --colors=never` (phpunit.xml.dist)

        Types `vendor/bin/phpstan analyse` (composer.json)
        Test `composer test` (composer.json)

        Test `vendor/bin/phpunit` (composer.json)

        Build `swift build` (Package.swift)
        Test `swift test` (Package.swift)

        Types `mix compile` (mix.exs)
        Lint `mix credo --format flycheck` (.credo.exs)
        Test `mix test` (mix.exs)

        Lint `deno lint` (deno.json)
        Test `deno task test` (deno.json)

        Types `dotnet build a.sln --nologo -v quiet -clp:NoSummary` (a.sln)
        Test `dotnet test a.sln --nologo -v quiet` (a.sln)

        Types `go vet ./a/... ./b/c/...` (go.work)
        Lint `golangci-lint run` (.golangci.yml)
        Test `go test ./a/... ./b/c/...` (go.work)

        Test `just test` (justfile)

        Types `cargo check --all-targets --keep-going --message-format=json` (Cargo.toml)
        Test `cargo test --no-fail-fast` (Cargo.toml)
        Security `cargo audit --no-fetch` (Cargo.lock)

    "#]]
    .assert_eq(&shown);
}

#[test]
fn folders_of_a_project_have_what_none_above_them_has() {
    check(
        &[
            ("Cargo.toml", "[workspace]\nmembers = [\"crates/*\"]\nexclude = [\"tools\"]\n"),
            ("crates/a/Cargo.toml", "[package]\nname = \"a\"\n"),
            ("tools/gen/Cargo.toml", "[package]\nname = \"gen\"\n"),
            ("fuzz/Cargo.toml", "[package]\nname = \"fuzz\"\n"),
            ("tests/fixtures/web/package.json", r#"{"scripts": {"test": "vitest"}}"#),
            ("apps/web/package.json", r#"{"scripts": {"test": "vitest", "lint": "eslint ."}}"#),
            ("services/api/pyproject.toml", "[tool.pytest.ini_options]\n"),
            (".venv/bin/python", ""),
        ],
        expect![[r#"
            Types 30s `cargo check --workspace --all-targets --keep-going --message-format=json` cargo check (Cargo.toml)
            Types 30s `cd tools/gen && cargo check --all-targets --keep-going --message-format=json` cargo check (tools/gen/Cargo.toml)
            Lint 30s `cd apps/web && npm run --silent lint` npm run lint (apps/web/package.json)
            Test 120s `cargo test --workspace --no-fail-fast` cargo test (Cargo.toml)
            Test 120s `cd apps/web && npm test --silent` npm run test (apps/web/package.json)
            Test 120s `cd services/api && ../../.venv/bin/python -m pytest -q -rfE --tb=short --continue-on-collection-errors` pytest (services/api/pyproject.toml)
            Test 120s `cd tools/gen && cargo test --no-fail-fast` cargo test (tools/gen/Cargo.toml)
        "#]],
    );
    check(
        &[
            ("package.json", r#"{"workspaces": ["packages/*"], "scripts": {"lint": "eslint ."}}"#),
            ("packages/a/package.json", r#"{"scripts": {"test": "vitest", "lint": "eslint ."}}"#),
            ("packages/b/package.json", r#"{"scripts": {"test": "node --test"}}"#),
        ],
        expect![[r#"
            Lint 30s `npm run --silent lint` npm run lint (package.json)
            Test 120s `cd packages/a && npm test --silent` npm run test (packages/a/package.json)
            Test 120s `cd packages/b && npm test --silent` npm run test (packages/b/package.json)
        "#]],
    );
}

#[test]
fn what_the_ci_runs_is_evidence_and_fills_gaps() {
    let ci = "jobs:\n  a:\n    steps:\n      - run: |\n          cargo clippy --all-targets -- -D warnings\n          \
              cargo test --workspace --all-features\n          shellcheck-v0.7.1/shellcheck a.sh\n      - run: npx eslint src\n        working-directory: web\n      \
              - run: npm run test\n        working-directory: web\n";
    check(
        &[
            ("Cargo.toml", "[package]\n"),
            (".github/workflows/ci.yml", ci),
            ("web/package.json", r#"{"scripts": {"test": "vitest"}, "devDependencies": {"eslint": "9"}}"#),
        ],
        expect![[r#"
            Types 30s `cargo check --all-features --all-targets --keep-going --message-format=json` cargo check (Cargo.toml)
            Lint 30s `cargo clippy --all-targets -- -D warnings` cargo clippy (.github/workflows/ci.yml) [.github/workflows/ci.yml: cargo clippy --all-targets -- -D warnings]
            Lint 30s `cd web && npx --no-install eslint src` eslint (.github/workflows/ci.yml) [.github/workflows/ci.yml: npx eslint src]
            Test 120s `cargo test --all-features --no-fail-fast` cargo test (Cargo.toml) [.github/workflows/ci.yml: cargo test --workspace --all-features]
            Test 120s `cd web && npm test --silent` npm run test (web/package.json) [.github/workflows/ci.yml: npm run test]
        "#]],
    );
}

#[test]
fn python_in_every_way() {
    let tests = ("tests/test_a.py", "import unittest\nclass T(unittest.TestCase): pass\n");
    let manage = ("manage.py", "import django\n");
    check_on(
        &["python3 -m unittest"],
        &[tests, ("pytest.ini", "")],
        expect![[r#"
        Test 120s `python3 -m unittest discover -s tests` unittest (pytest.ini)
    "#]],
    );
    check_on(
        &["poetry"],
        &[tests, ("poetry.lock", ""), ("pytest.ini", "")],
        expect![[r#"
        Test 120s `poetry run python -m pytest -q -rfE --tb=short --continue-on-collection-errors` pytest (pytest.ini)
    "#]],
    );
    check(
        &[manage, ("shop/tests.py", "")],
        expect![[r#"
        Test 120s `python3 manage.py test --noinput` manage.py test (manage.py)
    "#]],
    );
}

#[test]
fn scripts_that_watch_or_need_what_is_missing() {
    let package = |test: &str| {
        format!(r#"{{"scripts": {{"test": "{test}", "t": "vitest --watch"}}, "devDependencies": {{"mocha": "10"}}}}"#)
    };
    let own = package("npm run t");
    check(
        &[("package.json", &own), ("test/a.js", "")],
        expect![[r#"
        Test 120s `npx --no-install mocha` mocha (package.json)
    "#]],
    );
    check(&[("package.json", &package("karma start"))], expect![[""]]);
    let own = package("mocha spec");
    check_on(
        &["node"],
        &[("package.json", &own), ("node_modules/.bin/mocha", "")],
        expect![[r#"
        Test 120s `node_modules/.bin/mocha spec` script test (package.json)
    "#]],
    );
    let nextest = [("Cargo.toml", "[workspace]\n"), (".config/nextest.toml", "")];
    check_on(
        &["cargo-nextest"],
        &nextest,
        expect![[r#"
        Types 30s `cargo check --workspace --all-targets --keep-going --message-format=json` cargo check (Cargo.toml)
        Test 120s `cargo nextest run --workspace --no-fail-fast` cargo nextest (.config/nextest.toml)
    "#]],
    );
}
