//! Settings and scripts that look at less, and those that only change.

use crate::testing::table;

const PACKAGE: &str = "{\n  \"name\": \"a\",\n  \"scripts\": {\n    \"test\": \"vitest run\",\n    \"lint\": \"eslint .\",\n    \"start\": \"node .\"\n  }\n}\n";
const TSCONFIG: &str = "{\n  \"compilerOptions\": {\n    \"strict\": true,\n    \"target\": \"es2022\"\n  }\n}\n";
const ESLINT: &str =
    "module.exports = {\n  rules: {\n    'no-unused-vars': 'error',\n    'no-eval': 'error',\n  },\n};\n";
const PYPROJECT: &str = "[tool.pytest.ini_options]\naddopts = \"-q\"\n\n[tool.coverage.report]\nfail_under = 90\n\n[tool.mypy]\nstrict = true\n";
const CI: &str = "on: push\njobs:\n  test:\n    runs-on: ubuntu-latest\n    steps:\n      - uses: actions/checkout@v4\n      - run: cargo test\n      - run: cargo clippy\n";
const MAKE: &str = "test:\n\tpytest -q\n\nclean:\n\trm -rf build\n";
const SCRIPT: &str = "#!/bin/sh\nset -e\ncargo test\ncargo fmt --check\n";

#[test]
fn checks_made_to_look_at_less_are_found() {
    let loosened = "check_loosened";
    table(&[
        ("package.json", PACKAGE, &[("vitest run", "echo ok")], loosened),
        ("package.json", PACKAGE, &[("vitest run", "vitest run || true")], loosened),
        ("package.json", PACKAGE, &[("eslint .", "exit 0")], loosened),
        ("tsconfig.json", TSCONFIG, &[("\"strict\": true", "\"strict\": false")], loosened),
        ("tsconfig.json", TSCONFIG, &[("    \"strict\": true,\n", "")], loosened),
        (".eslintrc.js", ESLINT, &[("'no-unused-vars': 'error'", "'no-unused-vars': 'off'")], loosened),
        ("pyproject.toml", PYPROJECT, &[("-q", "-q --ignore=tests/slow")], loosened),
        ("pyproject.toml", PYPROJECT, &[("-q", "-q -k 'not slow'")], loosened),
        ("pyproject.toml", PYPROJECT, &[("fail_under = 90", "fail_under = 10")], loosened),
        ("pyproject.toml", PYPROJECT, &[("strict = true", "strict = false")], loosened),
        (".github/workflows/ci.yml", CI, &[("cargo test", "cargo test || true")], loosened),
        (
            ".github/workflows/ci.yml",
            CI,
            &[("      - run: cargo clippy\n", "      - run: cargo clippy\n        continue-on-error: true\n")],
            loosened,
        ),
        (
            ".gitlab-ci.yml",
            "test:\n  script:\n    - pytest -q\n",
            &[("    - pytest -q\n", "    - echo skipped\n")],
            loosened,
        ),
        ("Makefile", MAKE, &[("pytest -q", "pytest -q || true")], loosened),
        ("Makefile", "test:\n\tsh check.sh\n", &[("check.sh", "check.sh || true")], loosened),
        ("Makefile", "tidy:\n\tsh check.sh\n", &[("check.sh", "check.sh || true")], ""),
        ("check.sh", SCRIPT, &[("cargo test", "cargo test || true")], loosened),
        ("check.sh", SCRIPT, &[("set -e\n", "set -e\nexit 0\n")], loosened),
        ("check.sh", SCRIPT, &[("set -e\n", "set +e\n")], loosened),
        ("Cargo.toml", "[lints.clippy]\nunwrap_used = \"deny\"\n", &[("deny", "allow")], loosened),
    ]);
}

#[test]
fn other_changes_of_settings_are_nothing() {
    table(&[
        ("package.json", PACKAGE, &[("vitest run", "vitest run --coverage")], ""),
        ("package.json", PACKAGE, &[("node .", "node ./main.js || true")], ""),
        ("tsconfig.json", TSCONFIG, &[("es2022", "es2023")], ""),
        ("pyproject.toml", PYPROJECT, &[("fail_under = 90", "fail_under = 95")], ""),
        (".github/workflows/ci.yml", CI, &[("checkout@v4", "checkout@v5")], ""),
        ("Makefile", MAKE, &[("rm -rf build", "rm -rf build || true")], ""),
        ("check.sh", SCRIPT, &[("cargo fmt --check\n", "cargo fmt --check\ncargo clippy\n")], ""),
    ]);
}
