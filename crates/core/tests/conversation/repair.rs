//! Further attempts at a task after one that failed.

use ox_core::Attempt;
use ox_protocol::{Event, Mode, Money, Outcome, Repair, Stop, Tokens, Usage};

use crate::fixture::{Log, edit, edited, read};

/// A turn whose first attempt changed something and then went in circles.
fn failed(change: impl FnOnce(&mut crate::fixture::Start)) -> Log {
    let mut log = Log::begin(Mode::Build, change);
    log.reply("", vec![edit("a")]);
    if log.wanted().contains(&"baseline".to_string()) {
        log.check(crate::fixture::passing());
    }
    log.run_tools(&edited());
    in_circles(&mut log);
    log
}

fn in_circles(log: &mut Log) {
    while log.stop().is_none() {
        log.reply("", vec![read("same")]);
        log.run_tools(&Outcome::ok("same"));
        log.settle();
    }
}

fn again(log: &mut Log, attempt: Attempt, rolled_back: bool) {
    let stop = log.stop().expect("the attempt is over");
    let Attempt { number, total, iterations } = attempt;
    let diagnosis = "It went in circles.".to_string();
    let usage = Usage { input: Tokens(1), ..Usage::default() };
    let cost = Some(Money(3));
    let repair = Repair { attempt: number, total, stop, diagnosis, iterations, rolled_back, usage, cost };
    log.push(Event::Repair(repair));
    log.push(Event::Prompted { system: None, tools: None, context: Vec::new() });
    log.settle();
}

#[test]
fn each_attempt_begins_anew_with_fewer_iterations_until_none_is_left() {
    let mut log = failed(|it| it.limits.iterations = 20);
    let second = log.conversation.next_attempt().expect("another one");
    assert_eq!(second, Attempt { number: 2, total: 3, iterations: 15 });
    assert_eq!(log.stop(), Some(Stop::Oscillation));
    again(&mut log, second, false);
    assert_eq!(log.wanted(), ["model Required 1"], "it looks anew");
    assert_eq!((log.stop(), log.conversation.iterations()), (None, 5));
    in_circles(&mut log);
    let third = log.conversation.next_attempt().expect("one more");
    assert_eq!(third, Attempt { number: 3, total: 3, iterations: 10 });
    again(&mut log, third, false);
    in_circles(&mut log);
    assert_eq!((log.stop(), log.conversation.next_attempt()), (Some(Stop::Oscillation), None));
    let (usage, cost) = log.conversation.usage();
    assert_eq!((usage.input.0, cost), (10 * 10 + 2, Some(Money(6))), "diagnoses count too");
}

#[test]
fn edits_that_were_kept_still_have_to_pass_and_those_taken_back_count_no_more() {
    for rolled_back in [false, true] {
        let mut log = failed(crate::fixture::with_checks);
        let second = log.conversation.next_attempt().expect("another one");
        again(&mut log, second, rolled_back);
        log.reply("It was done.", vec![]);
        assert_eq!(log.wanted().iter().any(|it| it.starts_with("checks")), !rolled_back, "{:?}", log.wanted());
    }
}

#[test]
fn the_change_of_a_new_attempt_is_not_taken_for_the_one_that_was_taken_back() {
    let mut log = failed(|start| {
        crate::fixture::with_checks(start);
        start.fixers = vec![crate::fixture::fixer()];
    });
    // As if the first attempt had come as far as its fixers and its audit.
    let fixed = || Outcome { tree_changed: false, ..Outcome::default() };
    let call = ox_protocol::Fixer::call(1, 1);
    log.push(Event::ToolComplete { call, tool: ox_protocol::FIXERS.to_string(), outcome: fixed() });
    log.push(Event::Audited { want: Default::default(), changes: 1, size: log.size, findings: Vec::new() });
    let second = log.conversation.next_attempt().expect("another one");
    again(&mut log, second, true);
    log.reply("", vec![edit("b")]);
    log.run_tools(&edited());
    log.audits = None;
    log.reply("It is done.", vec![]);
    assert_eq!(log.wanted(), ["fixers"]);
    let Some(ox_core::Want::Fixers { call, .. }) = log.conversation.wants().into_iter().next() else {
        panic!("fixers are wanted")
    };
    log.push(Event::ToolComplete { call, tool: ox_protocol::FIXERS.to_string(), outcome: fixed() });
    assert_eq!(log.wanted(), ["audit"]);
}

#[test]
fn what_the_user_limited_or_refused_is_final() {
    let mut log = failed(|it| it.limits.repair_attempts = 0);
    assert_eq!(log.conversation.next_attempt(), None);
    log = failed(|it| it.limits.iterations = 3);
    assert_eq!((log.stop(), log.conversation.next_attempt()), (Some(Stop::IterationLimit), None));
    let mut log = Log::begin(Mode::Chat, |_| {});
    in_circles(&mut log);
    assert_eq!((log.stop(), log.conversation.next_attempt()), (Some(Stop::Oscillation), None), "a question is no task");
    let mut log = Log::begin(Mode::Build, |_| {});
    log.settle();
    log.push(Event::Interrupted);
    log.settle();
    assert_eq!((log.stop(), log.conversation.next_attempt()), (Some(Stop::Interrupted), None));
}
