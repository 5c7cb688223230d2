//! What follows from an audit of the change: what is broken refuses the end, what weakens the evidence is asked about once.

use ox_protocol::{
    AuditFinding, AuditKind, ChangedTest, CheckReport, CheckResult, CheckStatus, Event, Gate, Mode, RedGreen, Stop,
    Verification,
};

use crate::fixture::{Log, conclude, edit, edited, failing, passing, read, with_checks};

fn found(kind: AuditKind, line: u32) -> AuditFinding {
    let text = || String::new();
    AuditFinding { kind, file: "a.rs".into(), line, about: text(), before: text(), now: text() }
}

/// A turn that changed something; `findings` is what audits of it find.
fn changed(findings: Vec<AuditFinding>) -> Log {
    let mut log = Log::begin(Mode::Build, with_checks);
    log.reply("", vec![read("r")]);
    log.run_tools(&ox_protocol::Outcome::ok("x"));
    log.reply("", vec![edit("c")]);
    log.check(passing());
    log.run_tools(&edited());
    log.audits = Some(findings);
    log.reply("", vec![conclude("z")]);
    log
}

fn refusals(log: &Log) -> usize {
    log.frames.iter().filter(|it| matches!(it.event, Event::Refusal { gate: Gate::Audit, .. })).count()
}

fn audits(log: &Log) -> usize {
    log.frames.iter().filter(|it| matches!(it.event, Event::Audited { .. })).count()
}

#[test]
fn nothing_found_leaves_the_end_to_the_checks() {
    let mut log = changed(Vec::new());
    assert_eq!((audits(&log), refusals(&log)), (1, 0));
    log.check(passing());
    assert_eq!((log.stop(), audits(&log)), (Some(Stop::Done), 1));
}

#[test]
fn what_is_broken_refuses_the_end_until_it_is_repaired() {
    let mut log = changed(vec![found(AuditKind::DoesNotParse, 3)]);
    assert_eq!(refusals(&log), 1);
    log.reply("", vec![conclude("y")]);
    assert_eq!((refusals(&log), audits(&log)), (2, 1), "the same tree is not audited twice");
    log.reply("", vec![edit("d")]);
    log.run_tools(&edited());
    log.audits = Some(Vec::new());
    log.reply("", vec![conclude("x")]);
    assert_eq!((refusals(&log), audits(&log)), (2, 2));
    log.check(passing());
    assert_eq!(log.stop(), Some(Stop::Done));
}

#[test]
fn what_stays_broken_ends_as_a_failing_check_does() {
    let mut log = changed(vec![found(AuditKind::ImportMissing, 3)]);
    for _ in 0..5 {
        assert_eq!(log.stop(), None);
        log.reply("", vec![conclude("y")]);
    }
    assert_eq!(log.stop(), Some(Stop::ChecksFailing));
}

#[test]
fn weaker_evidence_is_asked_about_once_and_is_no_proof() {
    for (kind, end) in [
        (AuditKind::TestDeleted, Stop::ChecksNotRun),
        (AuditKind::AssertionWeakened, Stop::ChecksNotRun),
        (AuditKind::CheckLoosened, Stop::ChecksNotRun),
        (AuditKind::Suppressed, Stop::Done),
        (AuditKind::PlannedFileLeft, Stop::Done),
    ] {
        let mut log = changed(vec![found(kind, 3)]);
        assert_eq!(refusals(&log), 1, "{kind:?}");
        // Kept, on another line: it is the same one.
        log.audits = Some(vec![found(kind, 7)]);
        log.reply("", vec![conclude("y")]);
        log.check(passing());
        assert_eq!((refusals(&log), log.stop()), (1, Some(end)), "{kind:?}");
        assert_eq!(log.conversation.findings().len(), 1);
    }
}

/// A passing report in which the tests of the change ended so without the rest of it.
fn without_the_change(status: CheckStatus) -> CheckReport {
    let mut report = passing();
    let result = &mut report.results[0];
    let test = ChangedTest { file: "t.rs".into(), name: "adds".into(), line: 4, is_new: true };
    let before = CheckResult { status, tests: None, ..result.clone() };
    let (before, after) = (Box::new(before), Box::new(result.clone()));
    result.red_green = Some(RedGreen { tests: vec![test], stamp: String::new(), before, after });
    report
}

#[test]
fn new_tests_that_pass_without_the_change_are_asked_about_once() {
    for (without, asked) in [(CheckStatus::Passed, 1), (CheckStatus::Failed, 0), (CheckStatus::TimedOut, 0)] {
        let mut log = changed(Vec::new());
        log.check(without_the_change(without));
        assert_eq!(refusals(&log), asked, "{without:?}");
        if asked > 0 {
            assert_eq!(log.stop(), None);
            log.reply("", vec![conclude("y")]);
        }
        assert_eq!((refusals(&log), log.stop()), (asked, Some(Stop::Done)), "{without:?}");
        assert_eq!(log.conversation.findings().len(), asked, "it is named: {without:?}");
    }
}

#[test]
fn a_test_that_cannot_fail_is_asked_about_once() {
    let vacuous = AuditFinding { about: "adds".into(), file: "t.rs".into(), ..found(AuditKind::TestProvesNothing, 4) };
    let mut log = changed(vec![vacuous]);
    log.reply("", vec![conclude("y")]);
    log.check(without_the_change(CheckStatus::Passed));
    assert_eq!((refusals(&log), log.stop()), (1, Some(Stop::Done)));
    assert_eq!(log.conversation.findings().len(), 1);
}

#[test]
fn a_note_is_not_asked_about() {
    let mut log = changed(vec![found(AuditKind::ExpectationChanged, 3)]);
    assert_eq!(refusals(&log), 0);
    log.check(passing());
    assert_eq!(log.stop(), Some(Stop::Done));
}

#[test]
fn a_turn_without_checks_is_audited_too() {
    let mut log = Log::begin(Mode::Build, |start| start.verification = Verification::Off);
    log.reply("", vec![edit("c")]);
    log.run_tools(&edited());
    log.audits = Some(vec![found(AuditKind::SecretAdded, 1)]);
    log.reply("", vec![conclude("z")]);
    assert_eq!((refusals(&log), log.stop()), (1, None));
    let mut log = changed(vec![found(AuditKind::TestSkipped, 1)]);
    log.reply("", vec![conclude("y")]);
    log.check(failing(&["wrong"]));
    assert_eq!(log.stop(), None, "a failing check is repaired first");
}

/// A turn with a goal, and what its command says at the first conclusion.
fn with_goal(verification: Verification) -> Log {
    let mut log = Log::begin(Mode::Build, |start| {
        with_checks(start);
        start.checks = vec![ox_protocol::Check::goal("make test", 60_000)];
        start.verification = verification;
    });
    log.reply("", vec![edit("c")]);
    log.check(goal(failing(&["old"])));
    log.run_tools(&edited());
    log.reply("", vec![conclude("z")]);
    log
}

/// The same results, as those of the goal.
fn goal(mut report: ox_protocol::CheckReport) -> ox_protocol::CheckReport {
    report.results.truncate(1);
    report.results.iter_mut().for_each(|it| it.check = ox_protocol::Check::goal("make test", 60_000));
    report
}

#[test]
fn a_goal_has_to_pass_whatever_failed_before_and_whatever_is_verified() {
    for verification in [Verification::Full, Verification::Off] {
        let mut log = with_goal(verification);
        log.check(goal(failing(&["old"])));
        assert_eq!(log.stop(), None, "it failed before, too, and that is no excuse");
        log.reply("", vec![edit("d")]);
        log.run_tools(&edited());
        log.reply("", vec![conclude("y")]);
        log.check(goal(passing()));
        assert_eq!(log.stop(), Some(Stop::Done), "{verification:?}");
    }
}
