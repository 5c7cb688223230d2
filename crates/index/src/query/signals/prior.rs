//! What a file is by its path alone: source, test, document, example.

use crate::query::text::Asks;

/// What speaks against a file by what it is, from 0 to 1 each.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Prior {
    pub test: f32,
    /// Examples, benchmarks, vendored and generated files, scripts.
    pub side: f32,
    /// No source code: documents, change logs, configuration, data.
    pub text: f32,
}

const SIDES: &[&str] = &[
    "example",
    "examples",
    "sample",
    "samples",
    "demo",
    "demos",
    "bench",
    "benches",
    "benchmark",
    "benchmarks",
    "vendor",
    "third_party",
    "thirdparty",
    "node_modules",
    "deps",
    "contrib",
    "scripts",
    "tools",
    "playground",
    "extras",
    "single_include",
    "generated",
    "dist",
    "perf",
    "tutorial",
    "tutorials",
    "www",
    "ci",
    ".github",
    ".ci",
    "fuzz",
    "misc",
    "release",
    "packages-private",
];
const TESTS: &[&str] = &[
    "test",
    "tests",
    "__tests__",
    "testing",
    "spec",
    "specs",
    "selftest",
    "unittests",
    "e2e",
    "testdata",
    "fixtures",
    "test-data",
    "test_data",
    "snapshots",
    "__snapshots__",
    "integration-tests",
    "integration",
    "dts-test",
    "testsuite",
    "unit",
];
const SOURCE: &[&str] = &[
    "c", "cc", "cpp", "cxx", "h", "hh", "hpp", "hxx", "inl", "ipp", "m", "mm", "rs", "py", "pyx", "pyi", "js", "jsx",
    "mjs", "cjs", "ts", "tsx", "mts", "cts", "vue", "svelte", "go", "java", "kt", "kts", "scala", "groovy", "cs", "fs",
    "rb", "php", "swift", "lua", "sh", "bash", "pl", "r", "jl", "ex", "exs", "erl", "hs", "ml", "clj", "dart", "zig",
    "nim", "sql", "proto",
];
const DOCS: &[&str] = &["md", "rst", "txt", "adoc", "html", "htm", "tex", "1", "svg", "css"];

/// What speaks against a file; what the task asks for is held against nobody.
pub(crate) fn prior(path: &str, asks: Asks) -> Prior {
    let lower = path.to_lowercase();
    let (folders, name) = lower.rsplit_once('/').unwrap_or(("", &lower));
    let stem = name.split('.').next().unwrap_or(name);
    let ending = name.rsplit_once('.').map_or("", |it| it.1);
    let in_folder = |names: &[&str]| folders.split('/').any(|it| names.contains(&it));
    let test = in_folder(TESTS)
        || stem.starts_with("test_")
        || stem.ends_with("_test")
        || stem.ends_with("_tests")
        || name.contains(".test.")
        || name.contains(".spec.")
        || matches!(stem, "test" | "tests" | "conftest")
        || is_camel_test(path);
    let example = in_folder(&SIDES[..6]) && asks.examples || in_folder(&SIDES[6..10]) && asks.benches;
    let text = !(SOURCE.contains(&ending) || asks.docs && DOCS.contains(&ending));
    let side = in_folder(SIDES) && !example;
    Prior {
        test: f32::from(u8::from(test && !asks.tests)),
        side: f32::from(u8::from(side)),
        text: f32::from(u8::from(text)),
    }
}

/// `FooTest.java`, `TestFoo.java`, `FooTests.cs`.
fn is_camel_test(path: &str) -> bool {
    let stem = super::named::stem(path);
    let stem = stem.strip_suffix("IT").unwrap_or(stem);
    ["Test", "Tests", "Spec", "TestCase"].iter().any(|it| stem.ends_with(it) && stem.len() > it.len())
        || stem.strip_prefix("Test").is_some_and(|it| it.starts_with(char::is_uppercase))
}
