//! One more run of tests that newly fail, over the same tree: what then passes is flaky, is said to be, and fails nothing.
//!
//! Only few and short failures are tried again, since most failures are true and a repetition of them costs time and tells
//! nothing. A test is run alone where it is known how.

use std::collections::BTreeSet;
use std::sync::Arc;

use ox_core::verify;
use ox_protocol::{BoxFuture, Check, CheckKind, CheckReport, CheckResult, CheckStatus, Diagnostic};

use crate::command::folder;
use crate::paths::{is_plain, within};

/// Runs a set of checks over the working tree and reports.
pub type RunChecks = Arc<dyn Fn(Vec<Check>) -> BoxFuture<'static, CheckReport> + Send + Sync>;

/// So many new failures are tried again; more of them have one cause, which is no chance.
const MOST: usize = 5;
/// A check that took longer is only tried again test by test.
const LONGEST_MS: u64 = 30_000;

/// The result, settled by another run where that shows a failure to be flaky.
pub(super) async fn if_flaky(run: &RunChecks, baseline: Option<&CheckReport>, result: CheckResult) -> CheckResult {
    let Some((names, checks)) = second(baseline, &result) else { return result };
    let report = run(checks.clone()).await;
    let ours = || report.results.iter().filter(|it| checks.contains(&it.check));
    if ours().count() != checks.len() || !ours().all(|it| it.status.is_answer() && saw_a_test(it)) {
        return result;
    }
    let still: BTreeSet<&str> = ours().flat_map(|it| &it.diagnostics).map(|it| it.code.as_str()).collect();
    let failed = ours().any(|it| it.status == CheckStatus::Failed);
    let flaky: Vec<String> = names.iter().filter(|it| !still.contains(it.as_str())).cloned().collect();
    if flaky.is_empty() || failed && still.is_empty() {
        return result;
    }
    let mut settled = result;
    settled.diagnostics.retain(|it| !flaky.contains(&it.code));
    if let Some(tests) = &mut settled.tests {
        tests.failed = tests.failed.saturating_sub(u32::try_from(flaky.len()).unwrap_or(u32::MAX));
    }
    // One that was cut has not passed by that.
    if settled.diagnostics.is_empty() && !failed && settled.status == CheckStatus::Failed {
        settled.status = CheckStatus::Passed;
        settled.exit_code = Some(0);
    }
    settled.flaky = flaky;
    settled
}

/// A name that fits no test ends well too; only a run that names a failing one or counts a passing one has seen it.
pub(super) fn saw_a_test(it: &CheckResult) -> bool {
    it.status == CheckStatus::Failed || it.tests.is_some_and(|tests| tests.passed > 0)
}

/// The names of the newly failing tests, and what runs them once more: each alone, else the whole check.
pub(super) fn second(baseline: Option<&CheckReport>, result: &CheckResult) -> Option<(Vec<String>, Vec<Check>)> {
    if result.check.kind != CheckKind::Test || !result.status.is_bad() {
        return None;
    }
    let report = CheckReport { results: vec![result.clone()], tree: String::new() };
    let failing = verify::compare(baseline, &report);
    let new = &failing.first()?.new;
    // What has no name is no test: the code did not compile, or nothing could be collected.
    if new.is_empty() || new.len() > MOST || new.iter().any(|it| it.code.is_empty()) {
        return None;
    }
    let names: Vec<String> = new.iter().map(|it| it.code.clone()).collect();
    let alone: Option<Vec<Check>> = new.iter().map(|it| alone(&result.check, it)).collect();
    match alone {
        Some(checks) => Some((names, checks)),
        None => (result.duration_ms <= LONGEST_MS).then(|| (names, vec![result.check.clone()])),
    }
}

/// The command for one test, where every word to put in is known and means itself to a shell.
fn alone(check: &Check, failure: &Diagnostic) -> Option<Check> {
    let one = check.one.as_deref()?;
    let code = failure.code.as_str();
    // pytest's names hold the file, others end in the test's own.
    let (file, name) = match code.split_once("::").filter(|it| it.0.ends_with(".py")) {
        Some((file, test)) => (file, test.rsplit("::").next()?.split('[').next()?),
        None => (failure.file.as_str(), code.rsplit([' ', '>', '#']).next()?),
    };
    // `CalcTest.adds` and `CalcTest > adds()`.
    let (class, method) = code.split_once(" > ").or_else(|| code.split_once('.')).unwrap_or_default();
    let method = method.trim_end_matches("()");
    let is_method = is_test_name(class) && is_test_name(method);
    let file = within(folder(&check.command), file).unwrap_or(file);
    let mut words = Vec::new();
    for word in one.split(' ') {
        let word = match word {
            "FILE" if is_plain(file) => file,
            "NAME" if is_test_name(name) => name,
            "-Dtest=CLASS#METHOD" if is_method => {
                // In the other modules no class fits, and none has to.
                words.push(format!("-Dtest={class}#{method} -DfailIfNoTests=false"));
                "-Dsurefire.failIfNoSpecifiedTests=false"
            }
            "CLASS.METHOD" if is_method => {
                words.push(format!("{class}.{method}"));
                continue;
            }
            word if word.len() > 3 && word.chars().all(|it| it.is_ascii_uppercase() || ".:=/#".contains(it)) => {
                return None;
            }
            word => word,
        };
        words.push(word.to_owned());
    }
    // With neither it would be the whole check, which is run as it is.
    let filled = one.contains("NAME") || one.contains("METHOD");
    filled.then(|| Check { command: words.join(" "), part_of: Some(check.command.clone()), ..check.clone() })
}

fn is_test_name(name: &str) -> bool {
    !name.is_empty() && name.chars().all(|it| it.is_alphanumeric() || "_:".contains(it))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(one: &str) -> Check {
        let test = Check::new("t", CheckKind::Test, "cd api && run", 1, "x");
        Check { one: (!one.is_empty()).then(|| one.to_owned()), ..test }
    }

    #[tokio::test]
    async fn what_passes_when_it_is_run_again_is_flaky_and_fails_nothing() {
        let failure = |name: &str| Diagnostic {
            file: "test_a.py".into(),
            line: 3,
            column: 0,
            code: format!("test_a.py::{name}"),
            message: "boom".into(),
        };
        let check = Check { kind: CheckKind::Test, ..check("python3 -m pytest -q FILE -k NAME") };
        let first = CheckResult {
            diagnostics: vec![failure("test_x"), failure("test_y")],
            ..CheckResult::ended(check, CheckStatus::Failed)
        };
        let again = |fails: &'static [&'static str]| -> RunChecks {
            Arc::new(move |checks: Vec<Check>| {
                Box::pin(async move {
                    let one = |it: Check| match fails.iter().find(|name| it.command.ends_with(**name)) {
                        Some(name) => CheckResult {
                            diagnostics: vec![failure(name)],
                            ..CheckResult::ended(it, CheckStatus::Failed)
                        },
                        None => CheckResult {
                            tests: Some(ox_protocol::Tests { passed: 1, failed: 0 }),
                            ..CheckResult::ended(it, CheckStatus::Passed)
                        },
                    };
                    CheckReport { results: checks.into_iter().map(one).collect(), tree: String::new() }
                })
            })
        };
        let table: [(&[&str], CheckStatus, usize, &[&str]); 3] = [
            (&[], CheckStatus::Passed, 0, &["test_a.py::test_x", "test_a.py::test_y"]),
            (&["test_x"], CheckStatus::Failed, 1, &["test_a.py::test_y"]),
            (&["test_x", "test_y"], CheckStatus::Failed, 2, &[]),
        ];
        for (fails, status, left, flaky) in table {
            let settled = if_flaky(&again(fails), None, first.clone()).await;
            assert_eq!((settled.status, settled.diagnostics.len()), (status, left), "{fails:?}");
            assert_eq!(settled.flaky, flaky, "{fails:?}");
        }
        let nothing: RunChecks = Arc::new(|checks: Vec<Check>| {
            let passed = |it| CheckResult::ended(it, CheckStatus::Passed);
            let results = checks.into_iter().map(passed).collect();
            Box::pin(async move { CheckReport { results, tree: String::new() } })
        });
        assert_eq!(if_flaky(&nothing, None, first.clone()).await, first, "no test was seen to run");
    }

    #[test]
    fn one_test_is_run_alone_where_every_word_is_known() {
        let at = |code: &str, file: &str| Diagnostic {
            file: file.into(),
            line: 1,
            column: 0,
            code: code.into(),
            message: String::new(),
        };
        let table = [
            ("cargo test NAME", at("tests::adds", "src/a.rs"), Some("cargo test tests::adds")),
            ("cargo test -p PACKAGE NAME", at("tests::adds", "src/a.rs"), None),
            (
                "cd api && python3 -m pytest -q FILE -k NAME",
                at("api/tests/test_a.py::T::test_x[1-2]", "api/calc.py"),
                Some("cd api && python3 -m pytest -q tests/test_a.py -k test_x"),
            ),
            (
                "mvn -B test -Dtest=CLASS#METHOD",
                at("CalcTest.adds", "CalcTest.java"),
                Some("mvn -B test -Dtest=CalcTest#adds -DfailIfNoTests=false -Dsurefire.failIfNoSpecifiedTests=false"),
            ),
            (
                "gradle test --tests CLASS.METHOD",
                at("CalcTest > adds()", "CalcTest.java"),
                Some("gradle test --tests CalcTest.adds"),
            ),
            ("gradle test --tests CLASS.METHOD", at("CalcTest > [1] a b", "CalcTest.java"), None),
            ("go test ./PACKAGE -run NAME", at("TestX", "a_test.go"), None),
            ("vitest run FILE -t NAME", at("math > adds", "a.test.ts"), Some("vitest run a.test.ts -t adds")),
            ("vitest run FILE -t NAME", at("math > it's `rm`", "a.test.ts"), None),
            ("", at("x", "a"), None),
        ];
        for (one, failure, expected) in table {
            assert_eq!(alone(&check(one), &failure).map(|it| it.command).as_deref(), expected, "{one}");
        }
    }
}
