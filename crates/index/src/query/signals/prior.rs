//! What a file is by its path alone: source, test, document, example.

use std::collections::HashSet;
use std::sync::LazyLock;

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

const EXAMPLES: [&str; 6] = ["example", "examples", "sample", "samples", "demo", "demos"];
const BENCHES: [&str; 4] = ["bench", "benches", "benchmark", "benchmarks"];
/// Other folders that are not what a project is about.
static SIDES: LazyLock<HashSet<&str>> = LazyLock::new(|| {
    words(
        "vendor third_party thirdparty node_modules deps contrib scripts tools playground extras single_include \
         generated dist perf tutorial tutorials www ci .github .ci fuzz misc release packages-private",
    )
});
static TESTS: LazyLock<HashSet<&str>> = LazyLock::new(|| {
    words(
        "test tests __tests__ testing spec specs selftest unittests e2e testdata fixtures test-data test_data \
         snapshots __snapshots__ integration-tests integration dts-test testsuite unit",
    )
});
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
    let in_folder = |is: &dyn Fn(&str) -> bool| folders.split('/').any(is);
    let test = in_folder(&|it| TESTS.contains(it))
        || stem.starts_with("test_")
        || stem.ends_with("_test")
        || stem.ends_with("_tests")
        || name.contains(".test.")
        || name.contains(".spec.")
        || matches!(stem, "test" | "tests" | "conftest")
        || is_camel_test(path);
    let (example, bench) = (in_folder(&|it| EXAMPLES.contains(&it)), in_folder(&|it| BENCHES.contains(&it)));
    let text = !(SOURCE.contains(&ending) || asks.docs && DOCS.contains(&ending));
    let asked = example && asks.examples || bench && asks.benches;
    let side = !asked && (example || bench || in_folder(&|it| SIDES.contains(it)));
    Prior {
        test: f32::from(u8::from(test && !asks.tests)),
        side: f32::from(u8::from(side)),
        text: f32::from(u8::from(text)),
    }
}

fn words(words: &'static str) -> HashSet<&'static str> {
    words.split(' ').collect()
}

/// `FooTest.java`, `TestFoo.java`, `FooTests.cs`.
fn is_camel_test(path: &str) -> bool {
    let stem = super::named::stem(path);
    let stem = stem.strip_suffix("IT").unwrap_or(stem);
    ["Test", "Tests", "Spec", "TestCase"].iter().any(|it| stem.ends_with(it) && stem.len() > it.len())
        || stem.strip_prefix("Test").is_some_and(|it| it.starts_with(char::is_uppercase))
}
