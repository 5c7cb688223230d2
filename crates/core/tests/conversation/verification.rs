//! Done means that the checks say so.

use ox_protocol::{
    CallId, Check, CheckKind, CheckReport, CheckResult, CheckStatus, Command, Decision, Event, Gate, Mode, Outcome,
    Stop, Tests, Time, Verification, Workflow,
};

use crate::fixture::{
    Log, Start, checks_call, command, conclude, concluding, edit, edited, failing, passing, read, report, with_checks,
};

/// A turn that has explored, has its baseline and has edited.
fn edited_turn(baseline: ox_protocol::CheckReport) -> Log {
    let mut log = Log::begin(Mode::Build, with_checks);
    log.reply("", vec![read("a"), edit("b")]);
    log.check(baseline);
    log.run_tools(&edited());
    log
}

#[test]
fn the_first_mutation_waits_for_the_baseline() {
    let mut log = Log::begin(Mode::Build, with_checks);
    log.reply("", vec![edit("b")]);
    assert_eq!(log.wanted(), ["baseline", "wake"]);
    log.check(passing());
    assert_eq!(log.wanted(), ["tool edit_file"]);
}

#[test]
fn a_command_does_not_wait_for_it_and_a_change_by_one_ends_it() {
    for (outcome, wanted) in [(Outcome::ok("looked"), &["baseline", "wake"][..]), (edited(), &["tool edit_file"])] {
        let mut log = Log::begin(Mode::Build, |start| {
            with_checks(start);
            let rule = ox_protocol::Rule::parse(ox_protocol::RuleAction::Allow, "run_command");
            start.rules.rules.push(rule.expect("a rule"));
        });
        log.reply("", vec![command("a", "make generate"), edit("b")]);
        let at_once = log.wanted();
        assert!(at_once.contains(&"tool run_command".to_string()), "{at_once:?}");
        log.push(Event::ToolComplete { call: CallId("a".into()), tool: "run_command".into(), outcome });
        log.settle();
        assert_eq!(log.wanted(), wanted);
    }
}

#[test]
fn it_waits_no_longer_than_the_limit() {
    let mut log = Log::begin(Mode::Build, with_checks);
    log.reply("", vec![edit("b")]);
    log.push(Event::Woken { at: Time(10_000_000) });
    assert_eq!(log.wanted(), ["tool edit_file"]);
}

#[test]
fn done_needs_passing_checks() {
    let mut log = edited_turn(passing());
    log.reply("", vec![conclude("z")]);
    assert_eq!(log.wanted(), ["checks 1"]);
    log.check(passing());
    assert_eq!(log.stop(), Some(Stop::Done));
}

#[test]
fn a_failing_check_is_repaired_in_a_further_round() {
    let mut log = edited_turn(passing());
    log.reply("", vec![conclude("z")]);
    log.check(failing(&["expected 5, got 6"]));
    assert_eq!(log.wanted(), ["model Required 1"]);
    log.reply("", vec![edit("c")]);
    log.run_tools(&edited());
    log.reply("", vec![conclude("y")]);
    assert_eq!(log.wanted(), ["checks 2"]);
    log.check(passing());
    assert_eq!(log.stop(), Some(Stop::Done));
}

#[test]
fn the_rounds_of_repair_are_limited() {
    let mut log = edited_turn(passing());
    let mut rounds = 0;
    while log.stop().is_none() {
        log.reply("", vec![conclude("z")]);
        log.check(failing(&["still wrong"]));
        rounds += 1;
        if log.stop().is_none() {
            log.reply("", vec![edit(&format!("r{rounds}"))]);
            log.run_tools(&edited());
        }
    }
    assert_eq!((log.stop(), rounds), (Some(Stop::ChecksFailing), 5));
}

#[test]
fn claiming_done_again_without_a_change_runs_nothing_again() {
    let mut log = edited_turn(passing());
    log.reply("", vec![conclude("z")]);
    log.check(failing(&["wrong"]));
    log.reply("", vec![conclude("y")]);
    assert!(log.frames.iter().any(|it| matches!(&it.event, Event::Refusal { gate: Gate::ChecksFail, .. })));
    assert_eq!(log.wanted(), ["model Required 1"]);
}

#[test]
fn a_failure_that_may_be_old_is_reported_once_and_then_the_word_stands() {
    for before in [report(CheckStatus::TimedOut, &[]), report(CheckStatus::Skipped, &[])] {
        let mut log = edited_turn(before);
        log.reply("", vec![conclude("z")]);
        log.check(failing(&["an unrelated test"]));
        assert_eq!(log.wanted(), ["model Required 1"], "it is told");
        log.reply("", vec![conclude("y")]);
        assert_eq!(log.stop(), Some(Stop::ChecksNotRun), "and nothing is verified");
    }
}

#[test]
fn what_failed_before_is_not_held_against_the_edit() {
    let mut log = edited_turn(counted(failing(&["old trouble"]), 811, 1));
    log.reply("", vec![conclude("z")]);
    log.check(counted(failing(&["old trouble"]), 812, 1));
    assert_eq!(log.stop(), Some(Stop::Done));
}

/// The same, where its output counts the tests.
fn counted(mut report: CheckReport, passed: u32, failed: u32) -> CheckReport {
    report.results[0].tests = Some(Tests { passed, failed });
    report
}

#[test]
fn where_all_failed_before_or_none_ended_nothing_is_verified() {
    let timed_out = |passed, failed: &[&str]| counted(report(CheckStatus::TimedOut, failed), passed, 0);
    let table = [
        ("all failed before", failing(&["no toolchain"]), failing(&["no toolchain"])),
        ("nothing that could be read", failing(&[]), failing(&[])),
        ("no test passed", counted(failing(&["x"]), 0, 3), counted(failing(&["x"]), 0, 3)),
        ("cut both times", timed_out(812, &[]), timed_out(809, &[])),
        ("cut before, failing then", timed_out(812, &["old"]), timed_out(809, &["old"])),
        ("missing before and now", report(CheckStatus::Hidden, &[]), report(CheckStatus::Hidden, &[])),
        ("left out", report(CheckStatus::Skipped, &[]), report(CheckStatus::Skipped, &[])),
    ];
    for (what, before, after) in table {
        let mut log = edited_turn(before);
        log.reply("", vec![conclude("z")]);
        log.check(after);
        assert_eq!(log.stop(), Some(Stop::ChecksNotRun), "{what}");
    }
}

#[test]
fn what_is_read_now_is_not_what_could_not_be_read_before() {
    let table = [
        ("a failure of another kind", failing(&[]), failing(&["pow.c:5: expected `;`"]), Some(false)),
        ("unread both times", failing(&[]), failing(&[]), None),
        ("unread now alone", failing(&["old"]), failing(&[]), None),
        ("passed before", passing(), failing(&["new"]), Some(true)),
    ];
    for (what, before, after, certain) in table {
        let failing = ox_core::verify::compare(Some(&before), &after);
        assert_eq!(failing.first().map(|it| it.is_certain), certain, "{what}");
    }
}

#[test]
fn a_time_out_is_neither_a_failure_nor_one_from_before() {
    let cut = |messages: &[&str]| report(CheckStatus::TimedOut, messages);
    let table = [
        ("it never ended and nothing failed", cut(&[]), cut(&[]), false),
        ("it failed where it had only been cut before", cut(&[]), failing(&["broken"]), true),
        ("the same failure was seen before the cut", cut(&["old"]), failing(&["old"]), false),
        ("a failure came before the cut", cut(&[]), cut(&["broken"]), true),
        ("it ended before and does no more", passing(), cut(&[]), true),
    ];
    for (what, before, after, held) in table {
        assert_eq!(!ox_core::verify::compare(Some(&before), &after).is_empty(), held, "{what}");
    }
}

#[test]
fn tests_that_cannot_run_are_not_made_up_for_by_a_linter() {
    let lint = |it: CheckStatus| {
        let check = Check { kind: CheckKind::Lint, command: "lint".into(), ..crate::fixture::test_check() };
        CheckResult::ended(check, it)
    };
    let both = |mut it: CheckReport, lint: CheckResult| {
        it.results.push(lint);
        it
    };
    let missing = || report(CheckStatus::NotInstalled, &[]);
    let counted = |mut it: CheckReport, passed| {
        it.results[0].tests = Some(Tests { passed, failed: 0 });
        it
    };
    // The whole did not end; the part that the change reaches did so.
    let cut = |part: CheckStatus, passed| {
        let mut it = counted(report(CheckStatus::TimedOut, &[]), 90);
        let whole = it.results[0].clone();
        let check = Check { part_of: Some(whole.check.command.clone()), command: "part".into(), ..whole.check };
        it.results.push(CheckResult { tests: Some(Tests { passed, failed: 0 }), ..CheckResult::ended(check, part) });
        it
    };
    let table = [
        (both(counted(passing(), 3), lint(CheckStatus::TimedOut)), true),
        (both(counted(passing(), 0), lint(CheckStatus::TimedOut)), false),
        (cut(CheckStatus::Passed, 2), true),
        (cut(CheckStatus::Passed, 0), false),
        (cut(CheckStatus::TimedOut, 2), false),
        (counted(report(CheckStatus::TimedOut, &[]), 90), false),
        (both(missing(), lint(CheckStatus::Passed)), false),
        (both(passing(), lint(CheckStatus::NotInstalled)), true),
        (CheckReport { results: vec![lint(CheckStatus::Passed)], tree: String::new() }, true),
        (both(passing(), lint(CheckStatus::TimedOut)), false),
    ];
    for (now, proof) in table {
        assert_eq!(ox_core::verify::is_proof(Some(&now), &now), proof, "{now:?}");
    }
}

#[test]
fn what_others_pass_does_not_stand_in_for_the_tests_of_what_was_edited() {
    for (untested, stop) in [(vec!["web/a.ts".to_owned()], Stop::ChecksNotRun), (Vec::new(), Stop::Done)] {
        let web = Check { command: "cd web && npm test".into(), ..crate::fixture::test_check() };
        let missing = CheckResult { untested, ..CheckResult::ended(web, CheckStatus::NotInstalled) };
        let mut now = passing();
        now.results.push(missing);
        let mut log = edited_turn(passing());
        log.reply("", vec![conclude("z")]);
        log.check(now);
        assert_eq!(log.stop(), Some(stop));
    }
}

#[test]
fn reached_tests_that_all_fail_as_before_are_no_proof_whatever_others_say() {
    let run = |part: bool, status: CheckStatus, passed: u32| {
        let whole = crate::fixture::test_check();
        let part =
            part.then(|| Check { part_of: Some(whole.command.clone()), command: "near".into(), ..whole.clone() });
        let tests = Some(ox_protocol::Tests { passed, failed: u32::from(status == CheckStatus::Failed) });
        CheckResult { tests, ..CheckResult::ended(part.unwrap_or(whole), status) }
    };
    use CheckStatus::{Failed, Passed, TimedOut};
    let table = [
        (vec![run(true, Failed, 0), run(false, Failed, 90)], false),
        (vec![run(true, Failed, 1), run(false, Failed, 90)], true),
        (vec![run(true, Passed, 1), run(false, Failed, 90)], true),
        (vec![run(true, TimedOut, 0), run(false, Failed, 90)], true),
        (vec![run(false, Failed, 90)], true),
    ];
    for (results, proof) in table {
        let now = CheckReport { results, tree: String::new() };
        assert_eq!(ox_core::verify::is_proof(Some(&now), &now), proof, "{now:?}");
    }
}

#[test]
fn what_it_newly_breaks_is() {
    let mut log = edited_turn(failing(&["old trouble"]));
    log.reply("", vec![conclude("z")]);
    log.check(failing(&["old trouble", "new trouble"]));
    assert_eq!(log.stop(), None);
}

#[test]
fn checks_that_the_model_ran_itself_count() {
    let mut log = edited_turn(passing());
    log.reply("", vec![checks_call("c")]);
    assert_eq!(log.wanted(), ["checks by call"]);
    log.check(passing());
    log.push(Event::ToolComplete {
        call: ox_protocol::CallId("c".into()),
        tool: "run_checks".into(),
        outcome: Outcome::ok("all pass"),
    });
    log.reply("", vec![conclude("z")]);
    assert_eq!(log.stop(), Some(Stop::Done));
}

#[test]
fn a_run_by_the_model_waits_for_the_baseline() {
    let mut log = Log::begin(Mode::Build, with_checks);
    log.reply("", vec![checks_call("c")]);
    assert_eq!(log.wanted(), ["baseline"]);
    log.check(passing());
    assert_eq!(log.wanted(), ["checks by call"]);
}

#[test]
fn consent_is_asked_once_and_remembered() {
    let mut log = Log::begin(Mode::Build, |it| it.checks = vec![crate::fixture::test_check()]);
    log.settle();
    assert_eq!(log.wanted(), ["model Required 1"], "nothing is asked before there is an edit");
    log.reply("", vec![read("a"), edit("b")]);
    assert_eq!(log.last_event(), "approval_request");
    assert_eq!(log.wanted(), ["tool read_file"], "what only reads does not wait for the answer");
    let yes = Command::Decide { call: log.conversation.checks_id(), decision: Decision::Allow };
    log.decide(&yes).expect("it is asked").into_iter().for_each(|it| log.push(it));
    log.settle();
    assert_eq!(log.wanted(), ["tool read_file", "baseline", "wake"]);
    let requests = |log: &Log| log.frames.iter().filter(|it| matches!(it.event, Event::ApprovalRequest { .. })).count();
    log.check(passing());
    log.run_tools(&edited());
    log.reply("", vec![conclude("z")]);
    log.check(passing());
    assert_eq!((log.stop(), requests(&log)), (Some(Stop::Done), 1));
    log.push(Event::Completion { stop: Stop::Done, exit_code: 0 });
    let mut start = crate::fixture::Start::new(Mode::Build);
    start.checks = vec![crate::fixture::test_check()];
    log.push(start.event());
    log.push(Event::Prompted { system: None, tools: None, context: vec![] });
    log.settle();
    assert_eq!(requests(&log), 1);
}

#[test]
fn the_checks_are_asked_about_after_the_edit_and_not_where_that_is_refused() {
    for decision in [Decision::Allow, Decision::Deny { reason: "no".into(), stop: false }] {
        let mut log = Log::begin(Mode::Build, |it| {
            it.checks = vec![crate::fixture::test_check()];
            it.rules.approval = ox_protocol::ApprovalPolicy::Ask;
        });
        log.reply("", vec![edit("b")]);
        let asked = |log: &Log| {
            let calls = log.frames.iter().filter_map(|it| match &it.event {
                Event::ApprovalRequest { call, .. } => Some(call.0.clone()),
                _ => None,
            });
            calls.collect::<Vec<_>>()
        };
        assert_eq!(asked(&log), ["b"], "the edit first");
        let allowed = decision == Decision::Allow;
        let answer = Command::Decide { call: ox_protocol::CallId("b".into()), decision };
        log.decide(&answer).expect("it is asked").into_iter().for_each(|it| log.push(it));
        log.settle();
        assert_eq!(asked(&log).len(), if allowed { 2 } else { 1 }, "{:?}", asked(&log));
        let waits = !log.wanted().iter().any(|it| it.starts_with("tool"));
        assert!(waits, "the edit waits for the answer about the checks: {:?}", log.wanted());
    }
}

#[test]
fn refused_checks_are_named_at_the_end() {
    let mut log = Log::begin(Mode::Build, |it| {
        it.checks = vec![crate::fixture::test_check()];
        it.rules.headless = true;
    });
    log.reply("", vec![read("a"), edit("b")]);
    log.run_tools(&edited());
    log.reply("", vec![conclude("z")]);
    assert_eq!(log.stop(), Some(Stop::ChecksNotRun));
}

#[test]
fn checks_that_could_not_run_are_no_proof() {
    let mut log = edited_turn(report(CheckStatus::NotInstalled, &[]));
    log.reply("", vec![conclude("z")]);
    log.check(report(CheckStatus::NotInstalled, &[]));
    assert_eq!(log.stop(), Some(Stop::ChecksNotRun));
}

#[test]
fn tests_that_are_gone_after_the_edit_are_missed() {
    let mut log = edited_turn(passing());
    log.reply("", vec![conclude("z")]);
    log.check(report(CheckStatus::NotInstalled, &[]));
    assert_eq!(log.stop(), None);
}

#[test]
fn without_verification_nothing_is_claimed() {
    let mut log = Log::begin(Mode::Build, |it| {
        with_checks(it);
        it.verification = Verification::Off;
    });
    log.reply("", vec![read("a"), edit("b")]);
    log.run_tools(&edited());
    log.reply("", vec![conclude("z")]);
    assert_eq!(log.stop(), Some(Stop::DoneUnchecked));
}

#[test]
fn nothing_to_change_is_an_answer_when_the_model_says_why() {
    let mut log = Log::begin(Mode::Build, with_checks);
    log.reply("", vec![read("a")]);
    log.run_tools(&Outcome::ok("x"));
    log.reply("", vec![conclude("z")]);
    assert_eq!(log.stop(), None);
    log.reply("", vec![concluding("y", "the bug is in another project")]);
    assert_eq!(log.stop(), Some(Stop::Answered));
}

#[test]
fn the_workflow_follows_what_happens() {
    let mut log = Log::begin(Mode::Build, with_checks);
    log.reply("", vec![read("a"), edit("b")]);
    log.check(passing());
    log.run_tools(&edited());
    log.reply("", vec![conclude("z")]);
    log.check(failing(&["wrong"]));
    log.reply("", vec![edit("c")]);
    log.run_tools(&edited());
    log.reply("", vec![conclude("y")]);
    log.check(passing());
    let states: Vec<Workflow> = log
        .frames
        .iter()
        .filter_map(|it| match it.event {
            Event::Workflow { state, .. } => Some(state),
            _ => None,
        })
        .collect();
    use Workflow::{Explore, Fix, Implement, Summarize, Verify};
    assert_eq!(states, [Explore, Implement, Verify, Fix, Implement, Verify, Summarize]);
}

/// Two checks, of which the second is slow.
fn with_two_checks(start: &mut crate::fixture::Start) {
    with_checks(start);
    let slow = ox_protocol::Check { name: "slow".into(), command: "make slow".into(), ..crate::fixture::test_check() };
    start.checks.push(slow);
}

#[test]
fn a_slow_check_does_not_cost_the_baseline_of_the_others() {
    let mut log = Log::begin(Mode::Build, with_two_checks);
    log.reply("", vec![read("a"), edit("b")]);
    log.run_tools(&Outcome::ok("x"));
    assert_eq!(log.wanted(), ["baseline", "wake"]);
    log.check(failing(&["old trouble"]));
    assert_eq!(log.wanted(), ["baseline", "wake"], "the second check is still to run");
    log.push(Event::Woken { at: Time(10_000_000) });
    assert_eq!(log.conversation.baseline(), Some(&failing(&["old trouble"])));
    log.run_tools(&edited());
    log.reply("", vec![conclude("z")]);
    log.check(counted(failing(&["old trouble"]), 3, 1));
    assert_eq!(log.stop(), Some(Stop::Done));
}

#[test]
fn a_baseline_that_was_given_up_is_not_begun_again() {
    let mut log = Log::begin(Mode::Build, with_checks);
    log.reply("", vec![edit("b")]);
    log.push(Event::Woken { at: Time(10_000_000) });
    log.run_tools(&Outcome::failed("no"));
    log.reply("", vec![edit("c")]);
    assert_eq!(log.wanted(), ["tool edit_file"]);
}

#[test]
fn an_edit_waits_in_vain_for_a_slow_check_once() {
    // How long its whole run took after the edit, where it came to that, and whether the next turn waits for it.
    for (took, waits) in [(None, false), (Some(60_000), false), (Some(2_000), true)] {
        let mut log = Log::begin(Mode::Build, with_two_checks);
        log.reply("", vec![edit("b")]);
        log.check(passing());
        assert_eq!(log.wanted(), ["baseline", "wake"]);
        log.push(Event::Woken { at: Time(10_000_000) });
        log.run_tools(&edited());
        if let Some(took) = took {
            log.reply("", vec![conclude("z")]);
            let mut ran = passing();
            ran.results[0].check.command = "make slow".into();
            ran.results[0].duration_ms = took;
            log.check(ran);
        }
        log.push(Event::Interrupted);
        log.settle();
        log.push(Event::Completion { stop: Stop::Interrupted, exit_code: 130 });
        let mut start = Start::new(Mode::Build);
        with_two_checks(&mut start);
        log.push(start.event());
        log.push(Event::Prompted { system: None, tools: None, context: Vec::new() });
        log.reply("", vec![edit("c")]);
        assert_eq!(log.wanted(), ["baseline", "wake"], "the quick one is run again");
        log.check(passing());
        let wanted: &[&str] = if waits { &["baseline", "wake"] } else { &["tool edit_file"] };
        assert_eq!(log.wanted(), wanted, "{took:?}");
    }
}
