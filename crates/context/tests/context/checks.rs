//! What the model reads of failing checks.

use expect_test::{Expect, expect};
use ox_context::{FEEDBACK_BYTES, Round, before_edits, check_feedback, checks_output};
use ox_protocol::{CheckReport, CheckResult, CheckStatus};

use crate::log::*;

fn feedback(baseline: Option<&CheckReport>, before: Option<&CheckReport>, now: &CheckReport) -> String {
    let round = Round {
        round: 2,
        total: 5,
        report: now,
        baseline,
        before,
        changed: &["src/a.rs", "src/b.rs"].map(String::from),
        stalled: 0,
    };
    check_feedback(&round, FEEDBACK_BYTES).unwrap_or_default()
}

#[test]
fn roots_come_first_with_the_lines_at_their_places() {
    let found = [
        finding("lib/z.py:9:1", "", "AttributeError: no attribute `x`"),
        finding("src/a.rs:7:9", "E0308", "mismatched types"),
        finding("app/b.py:1:0", "", "ModuleNotFoundError: No module named 'nope'"),
    ];
    let mut now = report([failed("test", found)]);
    now.results[0].source.insert("app/b.py:1".into(), "> 1 import nope\n  2 x = 1\n".into());
    let text = feedback(None, None, &now);
    check(
        text.split("\n\n").nth(1).unwrap_or_default(),
        expect![[r#"
        test failed with exit code 101:
        app/b.py:1: ModuleNotFoundError: No module named 'nope'
            > 1 import nope
              2 x = 1
        src/a.rs:7:9 E0308: mismatched types
        lib/z.py:9:1: AttributeError: no attribute `x`
    "#]],
    );
}

#[test]
fn after_two_rounds_without_progress_another_strategy_is_demanded() {
    let now = report([failed("test", [finding("src/a.rs:7:9", "E0308", "mismatched types")])]);
    let changed = ["src/a.rs".to_owned()];
    let ended = |stalled| {
        let round =
            Round { round: 3, total: 5, report: &now, baseline: None, before: Some(&now), changed: &changed, stalled };
        let text = check_feedback(&round, FEEDBACK_BYTES).unwrap_or_default();
        [text.contains("Choose another approach."), text.contains("state another cause than so far")]
    };
    assert_eq!([ended(1), ended(2)], [[true, false], [false, true]]);
}

#[test]
fn checks_that_could_not_run_before_the_edits_share_a_line() {
    let unrun = |name: &str, why: &str| {
        let mut result = failed(name, []);
        (result.status, result.exit_code, result.tail) = (CheckStatus::CouldNotStart, None, why.to_owned());
        result
    };
    let nothing =
        report([unrun("gradle test", "it needs the network: repo1.maven.org\nat Resolver.java:3"), unrun("lint", "")]);
    check(
        &before_edits(&nothing, 0).unwrap(),
        expect![[r#"
            Could not run before your edits: gradle test (it needs the network: repo1.maven.org); lint (it did not start).
        "#]],
    );
    let both =
        report([unrun("lint", "no config"), failed("test", [finding("src/a.rs:7:9", "E0308", "mismatched types")])]);
    check(
        &before_edits(&both, 0).unwrap(),
        expect![[r#"
            What the project's checks said before your edits:
            test failed with exit code 101
            src/a.rs:7:9 E0308: mismatched types
            Could not run before your edits: lint (no config).
        "#]],
    );
}

fn check(text: &str, expected: Expect) {
    expected.assert_eq(&format!("{text}\n"));
}

#[test]
fn feedback_names_what_is_new_what_is_old_and_what_was_tried() {
    let old = [finding("src/x.rs:3:1", "E0425", "cannot find `x`"), finding("", "tests::old", "red")];
    let baseline = report([failed("cargo test", old.clone()), failed("cargo clippy", [])]);
    let fresh = finding("src/a.rs:7:9", "E0308", "mismatched types\nexpected `u32`, found `i32`");
    let now = report([
        failed("cargo test", old.into_iter().chain([fresh, finding("", "tests::adds", "expected 5, got 6")])),
        failed("cargo clippy", []),
    ]);
    check(
        &feedback(Some(&baseline), Some(&baseline), &now),
        expect![[r#"
            Checks fail: round 2 of 5.

            cargo test failed with exit code 101:
            src/a.rs:7:9 E0308: mismatched types
              expected `u32`, found `i32`
            tests::adds: expected 5, got 6

            Failed before your edits too, not held against you: cargo test (src/x.rs:3:1 E0425, tests::old); cargo clippy.

            Changed since the round before: src/a.rs, src/b.rs. Failures: 0 before, 2 now; 0 gone, 2 new.

            Find the root cause; read or search before you edit. Make the smallest fix, suppress nothing, leave assertions alone, break no other test. If your approach is wrong, change it.
        "#]],
    );
}

#[test]
fn the_same_complaint_at_many_places_is_said_once() {
    let many = (1..10).map(|line| finding(&format!("a.py:{line}:1"), "F401", "unused import"));
    let now = report([failed("ruff check", many)]);
    check(
        &feedback(None, Some(&now), &now),
        expect![[r#"
            Checks fail: round 2 of 5.

            ruff check failed with exit code 101:
            a.py:1:1 F401: unused import
              also at a.py:2:1, a.py:3:1, a.py:4:1, a.py:5:1, a.py:6:1 and 3 more

            Whether this failed before your edits too is not known: the check was not seen to its end then. If your change is the cause, mend it; if not, say why and finish.

            Changed since the round before: src/a.rs, src/b.rs. Failures: 1 before, 1 now; 0 gone, 0 new.

            Nothing changed in what fails: the last attempt did not reach the cause. Choose another approach.
            Find the root cause; read or search before you edit. Make the smallest fix, suppress nothing, leave assertions alone, break no other test. If your approach is wrong, change it.
        "#]],
    );
}

#[test]
fn without_diagnostics_the_end_of_the_output_is_shown() {
    let unread = CheckResult {
        tail: "make: *** [all] Error 2".into(),
        status: CheckStatus::TimedOut,
        ..failed("make check", [])
    };
    check(
        &feedback(Some(&report([passed("make check")])), None, &report([unread])),
        expect![[r#"
            Checks fail: round 2 of 5.

            make check was stopped at its limit of 120 s:
            make: *** [all] Error 2

            Changed so far: src/a.rs, src/b.rs.

            Find the root cause; read or search before you edit. Make the smallest fix, suppress nothing, leave assertions alone, break no other test. If your approach is wrong, change it.
        "#]],
    );
}

#[test]
fn nothing_new_is_no_feedback() {
    let same = report([failed("cargo test", [finding("a.rs:1:1", "", "red")])]);
    assert_eq!(feedback(Some(&same), None, &same), "");
    assert_eq!(feedback(None, None, &report([passed("cargo test")])), "");
}

#[test]
fn a_check_that_can_run_no_more_is_reported_as_lost() {
    let now =
        CheckResult { status: CheckStatus::CouldNotStart, tail: "it found no tests to run".into(), ..passed("pytest") };
    check(
        &feedback(Some(&report([passed("pytest")])), None, &report([now])),
        expect![[r#"
        Checks fail: round 2 of 5.

        pytest passed before your edits and now did not run: it found no tests to run

        Changed so far: src/a.rs, src/b.rs.

        Find the root cause; read or search before you edit. Make the smallest fix, suppress nothing, leave assertions alone, break no other test. If your approach is wrong, change it.
    "#]],
    );
}

#[test]
fn feedback_stays_within_its_budget_and_says_what_it_left_out() {
    let long = |check: &str| {
        let check = check.to_owned();
        failed(
            &check.clone(),
            (0..500).map(|it| finding(&format!("{check}{it}.rs:1:1"), "E1", &format!("{it} {}", "é".repeat(900)))),
        )
    };
    let unread = CheckResult { tail: "line of output\n".repeat(5_000), ..failed("make", []) };
    let text = feedback(None, None, &report([long("a"), unread, long("b")]));
    assert!(text.len() <= FEEDBACK_BYTES + 1_000, "{} bytes", text.len());
    for part in ["a0.rs", "b0.rs", "line of output", " more\n", "\n…\n"] {
        assert!(text.contains(part), "{part:?} is missing in\n{text}");
    }
}

#[test]
fn an_own_run_lists_every_check() {
    let baseline = report([failed("cargo test", [finding("", "tests::old", "red")])]);
    let now = report([
        passed("cargo check"),
        failed("cargo test", [finding("", "tests::old", "red"), finding("src/a.rs:2", "", "broken")]),
        CheckResult { status: CheckStatus::NotInstalled, exit_code: None, ..passed("cargo audit") },
        CheckResult { status: CheckStatus::Skipped, exit_code: None, ..passed("cargo build") },
    ]);
    check(
        &checks_output(&now, Some(&baseline)),
        expect![[r#"
        cargo check passed
        cargo test failed with exit code 101
        cargo audit did not run: its program is not installed
        cargo build was skipped after an earlier failure

        cargo test failed with exit code 101:
        src/a.rs:2: broken

        Failed before your edits too, not held against you: cargo test (tests::old).
    "#]],
    );
    check(
        &checks_output(&report([passed("npm test")]), None),
        expect![[r#"
        npm test passed
    "#]],
    );
    check(
        &checks_output(&report([]), None),
        expect![[r#"
        The project has no checks that Ox knows of. Run its tests with `run_command`.
    "#]],
    );
}
