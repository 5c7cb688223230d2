//! How many tests an output tells of: from the runner's own sum, and where it was cut before that, from the tests that it
//! had told of one by one. Never more than were seen to run.

use std::sync::LazyLock;

use ox_protocol::Tests;
use regex::{Captures, Regex};

use super::line::regex;

/// Lines in which cargo, nextest, Vitest, Jest, pytest and Mocha sum up, in the words of [`NUMBER`].
static SUM: LazyLock<Regex> = LazyLock::new(|| {
    regex(
        r"^(?:test result: |Summary \[|Tests[: ]|(?:tests finished: )?\d.* in |(?:.* )?\d+ (?:passing(?: \(|$)|failing$))",
    )
});
static NUMBER: LazyLock<Regex> = LazyLock::new(|| {
    regex(r"\b(?:(?<passed>\d+) pass(?:ed|ing)|(?<failed>\d+) (?:failed|failing|errors?|timed out))\b")
});
/// Whole lines with what they count: sums of Node's runner, CTest, RSpec, Surefire, PHPUnit, ExUnit and Minitest, VSTest, Bun
/// and Deno.
static SUMS: LazyLock<Vec<Regex>> = LazyLock::new(|| {
    let forms = [
        r"^[#ℹ] (?:pass (?<passed>\d+)|fail (?<failed>\d+))$",
        r"(?<failed>\d+) tests failed out of (?<all>\d+)",
        r"(?<all>\d+) examples?, (?<failed>\d+) failures?",
        // Each class has a line with its time, the last one is about all of them.
        r"Tests run: (?<all>\d+), Failures: (?<failed>\d+), Errors: (?<errors>\d+), Skipped: (?<skipped>\d+), Time elapsed",
        r"^OK \((?<all>\d+) tests?, \d+ assertions?\)",
        r"^Tests: (?<all>\d+), Assertions: \d+(?:, Errors: (?<errors>\d+))?(?:, Failures: (?<failed>\d+))?(?:.*, Skipped: (?<skipped>\d+))?",
        r"^(?:\d+ doctests?, )?(?<all>\d+) (?:tests?|runs),(?: \d+ assertions,)? (?<failed>\d+) failures?(?:, (?<errors>\d+) errors?)?(?:, (?<skipped>\d+) (?:skip|pending|omission))?",
        r"^(?:Passed|Failed)! +- Failed: +(?<failed>\d+), Passed: +(?<passed>\d+)",
        r"^(?:(?<passed>\d+) pass|(?<failed>\d+) fail)$",
        r"^(?:ok|FAILED) \| (?<passed>\d+) passed(?: \([^)]*\))? \| (?<failed>\d+) failed",
    ];
    forms.map(regex).into()
});
/// `Ran 12 tests in 0.1s`, and further on `OK` or `FAILED (failures=1, errors=2)`.
static UNITTEST: LazyLock<Regex> = LazyLock::new(|| {
    regex(
        r"(?m)^Ran (?<all>\d+) tests? .*(?:\n.*)*?\n(?:OK|FAILED)\b(?:.*failures=(?<failed>\d+))?(?:.*errors=(?<errors>\d+))?(?:.*skipped=(?<skipped>\d+))?",
    )
});
/// A line about one test, or about one package of them: as the runners of Rust, Go, Tcl and TAP print it, and CTest.
static ONE_PASSED: LazyLock<Regex> = LazyLock::new(|| {
    regex(r"^(?:test .* \.\.\. ok$|PASS \[|--- PASS: |\[ok\]: |ok \d|ok  \t|.*Test +#\d.*\.\.\. .* Passed )")
});
static ONE_FAILED: LazyLock<Regex> = LazyLock::new(|| {
    regex(r"^(?:test .* \.\.\. FAILED$|FAIL \[|--- FAIL: |\[err\]: |not ok \d|.*Test +#\d.*\.\.\..*\*\*\*Failed)")
});
/// Vitest's line about a file: `✓ src/a.test.ts (5 tests) 12ms`.
static OF_FILE: LazyLock<Regex> =
    LazyLock::new(|| regex(r"^[✓❯].*?\((?<all>\d+) tests?(?: \|.*? (?<failed>\d+) failed)?"));
/// The marks that runners of Python print one a test: `tests/test_a.py ..F.s  [ 12%]`.
static DOTS: LazyLock<Regex> =
    LazyLock::new(|| regex(r"^(?:.*\.py +)?(?<marks>[FEsxXPR]*\.[.FEsxXPR]*)(?: +\[ *\d+%\])?$"));

/// The tests in `output`; none where nothing is recognised.
pub(crate) fn counts(output: &str) -> Option<Tests> {
    let lines: Vec<&str> = output.lines().map(|it| it.trim().trim_matches('=').trim()).collect();
    let sums = lines.iter().filter_map(|it| sum(it)).reduce(add);
    let unittest = || UNITTEST.captures_iter(&lines.join("\n")).map(|it| numbers(&it)).reduce(add);
    // Go tells of whole packages unless it is asked for more, and nobody knows how many tests these have.
    let is_package = |it: &&&str| it.starts_with("ok  \t");
    if lines.iter().any(|it| is_package(&it)) && !lines.iter().any(|it| it.starts_with("--- PASS: ")) {
        return None;
    }
    let single = || lines.iter().filter(|it| !is_package(it)).filter_map(|it| single(it)).reduce(add);
    let dots = || lines.iter().filter_map(|it| dots(it)).reduce(add);
    let total = |it: &Tests| it.passed + it.failed;
    // Several programs sum up for themselves, and the last of them may have been cut.
    let named = [sums.or_else(unittest), single()].into_iter().flatten().max_by_key(total);
    named.or_else(dots)
}

fn add(a: Tests, b: Tests) -> Tests {
    Tests { passed: a.passed + b.passed, failed: a.failed + b.failed }
}

/// What the groups of an expression count.
fn numbers(found: &Captures<'_>) -> Tests {
    let number = |name: &str| found.name(name).and_then(|it| it.as_str().parse::<u32>().ok()).unwrap_or(0);
    let failed = number("failed") + number("errors");
    Tests { passed: number("passed") + number("all").saturating_sub(failed + number("skipped")), failed }
}

/// A line in which a runner sums up.
fn sum(line: &str) -> Option<Tests> {
    if SUM.is_match(line)
        && let Some(found) = NUMBER.captures_iter(line).map(|it| numbers(&it)).reduce(add)
    {
        return Some(found);
    }
    SUMS.iter().find_map(|it| it.captures(line)).map(|it| numbers(&it))
}

/// True for a line about tests of which none failed.
pub(crate) fn is_passed(line: &str) -> bool {
    single(line.trim()).is_some_and(|it| it.failed == 0)
}

fn single(line: &str) -> Option<Tests> {
    if line.contains("[no test") {
        return None;
    }
    let passed = ONE_PASSED.is_match(line);
    if passed || ONE_FAILED.is_match(line) {
        return Some(Tests { passed: u32::from(passed), failed: u32::from(!passed) });
    }
    OF_FILE.captures(line).map(|it| numbers(&it))
}

fn dots(line: &str) -> Option<Tests> {
    let found = DOTS.captures(line)?;
    let number = |wanted: &[char]| found["marks"].matches(wanted).count() as u32;
    Some(Tests { passed: number(&['.']), failed: number(&['F', 'E']) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tests_are_counted_whole_or_as_far_as_they_came() {
        let table = [
            (
                "test result: ok. 5 passed; 0 failed; 1 ignored; 0 measured\ntest result: FAILED. 2 passed; 1 failed;",
                (7, 1),
            ),
            ("test a ... ok\ntest b::c ... FAILED\ntest result: ok. 1 passed; 0 failed;\ntest d ... ok", (2, 1)),
            ("test slow has been running for over 60 seconds", (0, 0)),
            ("     Summary [   0.288s] 34 tests run: 33 passed, 1 failed, 64 skipped", (33, 1)),
            ("===== 3 failed, 10 passed, 1 skipped, 2 errors in 2.31s =====", (10, 5)),
            ("12 passed in 0.01s", (12, 0)),
            ("tests finished: 1284 passed, 66 skipped, in 26.46 seconds", (1284, 0)),
            ("........F..s [ 12%]\n....  [ 20%]", (14, 1)),
            ("tests/test_a.py ..F.                 [ 12%]\ntests/test_b.py .", (4, 1)),
            ("Ran 12 tests in 0.1s\n\nFAILED (failures=1, errors=2, skipped=1)", (8, 3)),
            ("Ran 1 test in 0.1s\n\nOK", (1, 0)),
            (" Test Files  1 failed | 3 passed (4)\n      Tests  2 failed | 10 passed (12)", (10, 2)),
            (" ✓ src/a.test.ts (5 tests) 12ms\n ❯ src/b.test.ts (4 tests | 1 failed) 3ms", (8, 1)),
            ("Test Suites: 1 passed\nTests:       1 failed, 5 passed, 6 total", (5, 1)),
            ("  12 passing (3s)\n  1 failing", (12, 1)),
            ("ok 1 - a\nnot ok 2 - b\nok then", (1, 1)),
            ("ok 1 - a\n# pass 1\n# fail 0", (1, 0)),
            ("ℹ tests 3\nℹ pass 2\nℹ fail 1", (2, 1)),
            ("75% tests passed, 1 tests failed out of 4", (3, 1)),
            ("1/2 Test #1: a ........   Passed    0.0 sec\n2/2 Test #2: b .....***Failed", (1, 1)),
            ("[INFO] Tests run: 5, Failures: 1, Errors: 0, Skipped: 1, Time elapsed: 0.1 s\nTests run: 5", (3, 1)),
            ("ok  \ta\t0.1s\n--- FAIL: TestB (0.0s)\nFAIL\tb\t0.2s\nok  \tc\t[no tests to run]", (0, 0)),
            ("--- FAIL: TestB (0.0s)\nFAIL\tb\t0.2s", (0, 1)),
            ("--- PASS: TestA (0.0s)\nPASS\nok  \ta\t0.1s", (1, 0)),
            ("[ok]: PING (0 ms)\n[err]: SET in tests/unit/a.tcl", (1, 1)),
            ("12 examples, 2 failures", (10, 2)),
            ("ERRORS!\nTests: 5, Assertions: 4, Errors: 1, Failures: 2.", (2, 3)),
            ("OK (3 tests, 9 assertions)", (3, 0)),
            ("1 doctest, 3 tests, 2 failures", (1, 2)),
            ("3 runs, 1 assertions, 1 failures, 1 errors, 0 skips", (1, 2)),
            ("Failed!  - Failed:     1, Passed:     4, Skipped:     0, Total:     5", (4, 1)),
            (" 1 pass\n 6 fail\n 2 errors", (1, 6)),
            ("FAILED | 1 passed | 2 failed (1 step) (23ms)", (1, 2)),
            ("compiling\nIt is done in 3 passes.", (0, 0)),
        ];
        for (output, (passed, failed)) in table {
            let found = counts(output).unwrap_or_default();
            assert_eq!((found.passed, found.failed), (passed, failed), "{output}");
        }
    }
}
