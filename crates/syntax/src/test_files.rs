//! Which files are tests, by where they are and how they are called. It never looks into one.

/// Folders that hold tests in one language or another.
const FOLDERS: [&str; 9] =
    ["test", "tests", "__tests__", "spec", "specs", "e2e", "testing", "androidTest", "integration-tests"];

/// True for a file that is a test, or that only tests use, by its path.
pub fn is_test(path: &str) -> bool {
    let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
    let in_folder =
        folder.split('/').any(|it| FOLDERS.contains(&it) || it.ends_with(".Tests") || it.ends_with("Tests"));
    let (stem, ending) = name.rsplit_once('.').unwrap_or((name, ""));
    in_folder || by_name(stem, ending)
}

fn by_name(stem: &str, ending: &str) -> bool {
    let lower = stem.to_ascii_lowercase();
    let words = |marks: &[&str]| marks.iter().any(|it| stem.ends_with(it) && stem.len() > it.len());
    match ending.to_ascii_lowercase().as_str() {
        "py" | "pyi" => {
            lower.starts_with("test_") || lower.ends_with("_test") || lower == "conftest" || lower == "tests"
        }
        "js" | "jsx" | "mjs" | "cjs" | "ts" | "tsx" | "mts" | "cts" | "vue" | "svelte" => {
            words(&[".test", ".spec", ".cy", ".e2e", "_test", "-test", ".test-d"])
        }
        "go" => lower.ends_with("_test"),
        "rs" => lower == "tests" || lower == "test" || lower.ends_with("_test") || lower.ends_with("_tests"),
        "rb" => lower.ends_with("_test") || lower.ends_with("_spec") || lower.starts_with("test_"),
        "java" | "kt" | "kts" | "scala" | "groovy" => {
            words(&["Test", "Tests", "TestCase", "IT", "Spec", "Suite"]) || (stem.len() > 4 && stem.starts_with("Test"))
        }
        "cs" | "swift" | "php" => words(&["Test", "Tests", "TestCase", "Spec"]),
        "c" | "cc" | "cpp" | "cxx" | "h" | "hpp" => {
            lower.starts_with("test_")
                || lower.ends_with("_test")
                || lower.ends_with("_tests")
                || words(&["Test", "Tests", "-test"])
        }
        "lua" => lower.ends_with("_spec") || lower.ends_with("_test") || lower.starts_with("test_"),
        "bats" => true,
        "sh" | "bash" => lower.starts_with("test_") || lower.ends_with("_test") || lower.starts_with("test-"),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tests_are_known_by_their_paths() {
        for path in [
            "tests/a.rs",
            "src/money/tests.rs",
            "pkg/money_test.go",
            "test_money.py",
            "pkg/conftest.py",
            "src/a.test.ts",
            "src/__tests__/a.js",
            "src/test/java/a/MoneyTest.java",
            "spec/money_spec.rb",
            "Shop.Tests/MoneyFacts.cs",
            "src/money_test.cc",
        ] {
            assert!(is_test(path), "{path}");
        }
        for path in ["src/money.rs", "src/contest.py", "latest.js", "Testimony.txt", "src/attest.go", "test.ts", ""] {
            assert!(!is_test(path), "{path}");
        }
    }
}
