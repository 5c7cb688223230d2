//! How many tests an output tells of: from the runner's own sum, and where it was cut before that, from the tests that it
//! had told of one by one. Never more than were seen to run.

use ox_protocol::Tests;

/// The tests in `output`; none where nothing is recognised.
pub(crate) fn counts(output: &str) -> Option<Tests> {
    let lines: Vec<&str> = output.lines().map(str::trim).collect();
    let sums = lines.iter().filter_map(|it| sum(it)).reduce(add);
    let unittest = || lines.iter().enumerate().filter_map(|(at, it)| unittest(it, &lines[at..])).reduce(add);
    // Go tells of whole packages, unless it is asked for more.
    let packages = !lines.iter().any(|it| it.starts_with("--- PASS: "));
    let single =
        || lines.iter().filter(|it| packages || !it.starts_with("ok  \t")).filter_map(|it| single(it)).reduce(add);
    let dots = || lines.iter().filter_map(|it| dots(it)).reduce(add);
    let total = |it: &Tests| it.passed + it.failed;
    // Several programs sum up for themselves, and the last of them may have been cut.
    let named = [sums.or_else(unittest), single()].into_iter().flatten().max_by_key(total);
    named.or_else(dots)
}

fn add(a: Tests, b: Tests) -> Tests {
    Tests { passed: a.passed + b.passed, failed: a.failed + b.failed }
}

/// A line in which a runner sums up.
fn sum(line: &str) -> Option<Tests> {
    let of = |passed: &[&str], failed: &[&str]| {
        let all = |words: &[&str]| words.iter().filter_map(|it| before(line, it)).reduce(|a, b| a + b);
        let (passed, failed) = (all(passed), all(failed));
        (passed.is_some() || failed.is_some())
            .then(|| Tests { passed: passed.unwrap_or(0), failed: failed.unwrap_or(0) })
    };
    let bare = line.trim_matches('=').trim();
    if bare.starts_with("test result: ") || bare.starts_with("Summary [") {
        return of(&["passed"], &["failed", "timed out"]);
    }
    // Vitest and Jest; Vitest's line about files is none about tests.
    if bare.starts_with("Tests ") || bare.starts_with("Tests:") {
        return of(&["passed"], &["failed"]);
    }
    // Node's own runner, also as TAP.
    if let Some((word, number)) = bare.trim_start_matches(['#', 'ℹ', ' ']).split_once(' ')
        && let ("pass" | "fail", Ok(number)) = (word, number.parse())
        && bare.starts_with(['#', 'ℹ'])
    {
        return Some(if word == "pass" {
            Tests { passed: number, failed: 0 }
        } else {
            Tests { passed: 0, failed: number }
        });
    }
    let counts = bare.strip_prefix("tests finished: ").unwrap_or(bare);
    if counts.starts_with(|it: char| it.is_ascii_digit()) && counts.contains(" in ") {
        return of(&["passed"], &["failed", "error", "errors"]);
    }
    if bare.ends_with("passing") || bare.contains(" passing (") || bare.ends_with(" failing") {
        return of(&["passing"], &["failing"]);
    }
    if let Some((failed, of)) = bare.split_once(" tests failed out of ") {
        let (failed, all) = (last_number(failed)?, first_number(of)?);
        return Some(Tests { passed: all.saturating_sub(failed), failed });
    }
    if bare.contains(" example") && bare.contains(" failure") {
        let (all, failed) = (first_number(bare)?, before(bare, "failure").or(before(bare, "failures"))?);
        return Some(Tests { passed: all.saturating_sub(failed), failed });
    }
    // Surefire: each class has a line with its time, the last one is about all of them.
    let run = bare.split_once("Tests run: ").filter(|_| bare.contains("Time elapsed"))?.1;
    let number = |word: &str| run.split_once(word).and_then(|it| first_number(it.1)).unwrap_or(0);
    let failed = number("Failures: ") + number("Errors: ");
    Some(Tests { passed: first_number(run)?.saturating_sub(failed + number("Skipped: ")), failed })
}

/// `Ran 12 tests in 0.1s`, and further on `OK` or `FAILED (failures=1, errors=2)`.
fn unittest(line: &str, rest: &[&str]) -> Option<Tests> {
    let all = first_number(line.strip_prefix("Ran ").filter(|it| it.contains(" test"))?)?;
    let verdict = rest.iter().find(|it| it.starts_with("OK") || it.starts_with("FAILED"))?;
    let number = |word: &str| verdict.split_once(word).and_then(|it| first_number(it.1)).unwrap_or(0);
    let failed = number("failures=") + number("errors=");
    Some(Tests { passed: all.saturating_sub(failed + number("skipped=")), failed })
}

/// A line about one test, or about one file or package of them.
fn single(line: &str) -> Option<Tests> {
    const PASSED: [&str; 5] = ["PASS [", "--- PASS: ", "[ok]: ", "ok  \t", "ok "];
    const FAILED: [&str; 4] = ["FAIL [", "--- FAIL: ", "[err]: ", "not ok "];
    let one = |passed: bool| Tests { passed: u32::from(passed), failed: u32::from(!passed) };
    if let Some(rest) = line.strip_prefix("test ") {
        let said = rest.rsplit_once(" ... ")?.1;
        return matches!(said, "ok" | "FAILED").then(|| one(said == "ok"));
    }
    // Vitest: `✓ src/a.test.ts (5 tests) 12ms`.
    if let Some(rest) = line.strip_prefix(['✓', '❯']).filter(|it| it.contains(" test")) {
        let inside = rest.split_once('(')?.1;
        let (all, failed) = (first_number(inside)?, before(inside, "failed").unwrap_or(0));
        return Some(Tests { passed: all.saturating_sub(failed), failed });
    }
    if line.contains(" Test ") && line.contains("#") && line.contains("...") {
        return (line.contains(" Passed ") || line.contains("***Failed")).then(|| one(line.contains(" Passed ")));
    }
    let told = |words: &[&'static str]| words.iter().find(|it| line.starts_with(**it)).copied();
    let (word, passed) = told(&PASSED).map(|it| (it, true)).or_else(|| told(&FAILED).map(|it| (it, false)))?;
    let rest = &line[word.len()..];
    match word {
        "ok " | "not ok " if !rest.starts_with(|it: char| it.is_ascii_digit()) => None,
        _ if rest.contains("[no test") => None,
        _ => Some(one(passed)),
    }
}

/// The marks that runners of Python print one a test: `tests/test_a.py ..F.s  [ 12%]`.
fn dots(line: &str) -> Option<Tests> {
    let marks = line.rsplit_once('[').filter(|it| it.1.ends_with("%]")).map_or(line, |it| it.0).trim_end();
    let marks = marks.rsplit_once(' ').filter(|it| it.0.trim_end().ends_with(".py")).map_or(marks, |it| it.1);
    let known = !marks.is_empty() && marks.chars().all(|it| ".FEsxXPR".contains(it)) && marks.contains('.');
    let number = |wanted: &[char]| marks.matches(wanted).count() as u32;
    known.then(|| Tests { passed: number(&['.']), failed: number(&['F', 'E']) })
}

/// The number before a word: 12 in `3 failed, 12 passed`.
fn before(line: &str, word: &str) -> Option<u32> {
    let mut words = line.split([' ', ',', ';', '|', '(', ')']).filter(|it| !it.is_empty()).peekable();
    while let Some(it) = words.next() {
        if words.peek() == Some(&word)
            && let Ok(number) = it.parse()
        {
            return Some(number);
        }
    }
    None
}

fn first_number(text: &str) -> Option<u32> {
    let from = text.find(|it: char| it.is_ascii_digit())?;
    let digits = text[from..].find(|it: char| !it.is_ascii_digit()).map_or(&text[from..], |it| &text[from..from + it]);
    digits.parse().ok()
}

fn last_number(text: &str) -> Option<u32> {
    text.split(|it: char| !it.is_ascii_digit()).rfind(|it| !it.is_empty())?.parse().ok()
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
            ("ok  \ta\t0.1s\n--- FAIL: TestB (0.0s)\nFAIL\tb\t0.2s\nok  \tc\t[no tests to run]", (1, 1)),
            ("--- PASS: TestA (0.0s)\nPASS\nok  \ta\t0.1s", (1, 0)),
            ("[ok]: PING (0 ms)\n[err]: SET in tests/unit/a.tcl", (1, 1)),
            ("12 examples, 2 failures", (10, 2)),
            ("compiling\nIt is done in 3 passes.", (0, 0)),
        ];
        for (output, (passed, failed)) in table {
            let found = counts(output).unwrap_or_default();
            assert_eq!((found.passed, found.failed), (passed, failed), "{output}");
        }
    }
}
