//! The turn's own reviewer: when it begins, and what follows from what it finds.

use ox_protocol::{
    AgentEnd, ChangeKind, ChangeSize, Event, FileChange, Finding, Gate, Mode, Outcome, Problem, ReviewPolicy, Severity,
    Stop, Tokens, Usage,
};

use crate::fixture::{Log, conclude, edit, edited, passing, read, with_checks};

const SMALL: ChangeSize = ChangeSize { files: 7, lines: 199 };
const MANY_FILES: ChangeSize = ChangeSize { files: 8, lines: 8 };
const MANY_LINES: ChangeSize = ChangeSize { files: 1, lines: 200 };

/// A turn whose change passed its checks and is of this size.
fn changed(policy: ReviewPolicy, size: ChangeSize, mode: Mode) -> Log {
    let mut log = Log::begin(mode, |it| {
        with_checks(it);
        it.review = policy;
        it.limits.tokens = Some(Tokens(100_000));
    });
    log.size = size;
    log.reply("", vec![read("r")]);
    log.run_tools(&Outcome::ok("x"));
    log.reply("", vec![edit("c")]);
    log.check(passing());
    log.run_tools(&edited());
    log.reply("", vec![conclude("z")]);
    log.check(passing());
    log
}

fn begun(log: &Log) -> usize {
    log.frames.iter().filter(|it| matches!(&it.event, Event::AgentStart(start) if start.call.is_review())).count()
}

fn refused(log: &Log) -> usize {
    log.frames.iter().filter(|it| matches!(it.event, Event::Refusal { gate: Gate::Review, .. })).count()
}

fn fault(severity: Severity, path: &str) -> Finding {
    Finding { severity, path: path.into(), line: Some(3), why: "it drops the last one".into(), evidence: String::new() }
}

/// The reviewer that runs ends.
fn ends(log: &mut Log, findings: Vec<Finding>, problem: Option<Problem>) {
    let start = log.frames.iter().rev().find_map(|it| match &it.event {
        Event::AgentStart(start) => Some(start.clone()),
        _ => None,
    });
    let start = start.expect("a reviewer was begun");
    let end = AgentEnd {
        call: start.call,
        conversation: start.conversation,
        stop: Stop::Answered,
        iterations: 2,
        usage: Usage { input: Tokens(900), output: Tokens(100), ..Usage::default() },
        cost: None,
        findings,
        problem,
    };
    log.push(Event::AgentEnd(end));
    log.settle();
}

fn repaired(path: &str, lines: u32) -> Outcome {
    let change = FileChange {
        path: path.into(),
        kind: ChangeKind::Modified,
        from: None,
        why: None,
        diff: String::new(),
        added: lines,
        removed: 0,
    };
    Outcome { changed: vec![change], ..edited() }
}

fn kept(log: &Log) -> Vec<String> {
    log.conversation.review().into_iter().flat_map(|it| it.kept).map(|it| it.line()).collect()
}

#[test]
fn it_begins_where_the_change_is_broad_or_always_and_only_in_a_turn_that_changes() {
    let cases = [
        (ReviewPolicy::Off, MANY_LINES, 0),
        (ReviewPolicy::Auto, SMALL, 0),
        (ReviewPolicy::Auto, MANY_FILES, 1),
        (ReviewPolicy::Auto, MANY_LINES, 1),
        (ReviewPolicy::Always, SMALL, 1),
    ];
    for (policy, size, count) in cases {
        let log = changed(policy, size, Mode::Build);
        assert_eq!(begun(&log), count, "{policy:?} {size:?}");
        assert_eq!(log.stop().is_some(), count == 0, "the end waits for the reviewer alone");
    }
    for mode in [Mode::Chat, Mode::Plan] {
        let mut log = Log::begin(mode, |it| it.review = ReviewPolicy::Always);
        log.reply("It is so.", Vec::new());
        assert_eq!((begun(&log), log.stop()), (0, Some(Stop::Answered)));
    }
}

#[test]
fn what_it_may_spend_comes_from_the_turn_and_what_it_used_is_the_turns() {
    let mut log = changed(ReviewPolicy::Auto, MANY_LINES, Mode::Build);
    let before = log.conversation.usage().0.total();
    let wanted = log.wanted();
    ends(&mut log, Vec::new(), None);
    assert_eq!((wanted, log.stop()), (vec!["agent review".to_string()], Some(Stop::Done)));
    assert_eq!(log.conversation.usage().0.total().0 - before.0, 1_000);
    assert_eq!(log.conversation.review(), Some(Default::default()), "reviewed, and nothing was found");
}

#[test]
fn an_error_is_put_once_and_where_the_file_changes_it_stands_no_longer() {
    let mut log = changed(ReviewPolicy::Auto, MANY_LINES, Mode::Build);
    ends(&mut log, vec![fault(Severity::Error, "a.rs"), fault(Severity::Warning, "b.rs")], None);
    assert_eq!((refused(&log), log.stop()), (1, None));
    log.reply("", vec![edit("d")]);
    log.run_tools(&repaired("a.rs", 3));
    log.reply("", vec![conclude("y")]);
    log.check(passing());
    assert_eq!((begun(&log), refused(&log), log.stop()), (1, 1, Some(Stop::Done)), "a small repair is not reviewed");
    assert_eq!(kept(&log), ["warning b.rs:3: it drops the last one"]);
}

#[test]
fn what_the_model_keeps_is_named_and_leaves_the_end_to_the_checks() {
    let mut log = changed(ReviewPolicy::Auto, MANY_LINES, Mode::Build);
    ends(&mut log, vec![fault(Severity::Error, "a.rs")], None);
    log.reply("", vec![conclude("y")]);
    assert_eq!((refused(&log), log.stop()), (1, Some(Stop::Done)));
    assert_eq!(kept(&log), ["error a.rs:3: it drops the last one"]);
}

#[test]
fn warnings_alone_ask_nothing() {
    let mut log = changed(ReviewPolicy::Auto, MANY_LINES, Mode::Build);
    ends(&mut log, vec![fault(Severity::Warning, "a.rs"), fault(Severity::Note, "a.rs")], None);
    assert_eq!((refused(&log), log.stop()), (0, Some(Stop::Done)));
    assert_eq!(kept(&log), ["warning a.rs:3: it drops the last one"]);
}

#[test]
fn a_broad_repair_is_reviewed_once_more_and_never_again() {
    let mut log = changed(ReviewPolicy::Auto, MANY_LINES, Mode::Build);
    for (round, path) in ["a.rs", "b.rs", "c.rs"].into_iter().enumerate() {
        if begun(&log) > round {
            ends(&mut log, vec![fault(Severity::Error, path)], None);
            log.reply("", vec![edit(&format!("d{round}"))]);
            log.run_tools(&repaired(path, 250));
            log.reply("", vec![conclude(&format!("y{round}"))]);
            log.check(passing());
        }
    }
    assert_eq!((begun(&log), refused(&log), log.stop()), (2, 2, Some(Stop::Done)));
}

#[test]
fn one_that_fails_or_cannot_be_paid_keeps_nothing_from_ending() {
    let mut log = changed(ReviewPolicy::Auto, MANY_LINES, Mode::Build);
    ends(&mut log, Vec::new(), Some(Problem::new("reviewer.unreadable")));
    let why = |log: &Log| log.conversation.review().and_then(|it| it.not_reviewed).map(|it| it.code);
    assert_eq!((log.stop(), why(&log).as_deref()), (Some(Stop::Done), Some("reviewer.unreadable")));

    let mut poor = Log::begin(Mode::Build, |it| {
        it.review = ReviewPolicy::Always;
        it.limits.iterations = 2;
    });
    poor.reply("", vec![edit("c")]);
    poor.run_tools(&edited());
    poor.reply("", vec![conclude("z")]);
    assert_eq!((poor.stop(), why(&poor).as_deref()), (Some(Stop::DoneUnchecked), Some("reviewer.no_budget")));
}

#[test]
fn the_user_may_speak_while_the_reviewer_goes_on() {
    let mut log = changed(ReviewPolicy::Auto, MANY_LINES, Mode::Build);
    log.push(Event::Steered { text: "and the docs".into(), images: Vec::new() });
    log.settle();
    assert_eq!(log.wanted(), ["model Auto 1", "agent review"]);
    log.reply("", vec![edit("d")]);
    ends(&mut log, vec![fault(Severity::Error, "a.rs")], None);
    log.run_tools(&repaired("a.rs", 1));
    log.reply("", vec![conclude("y")]);
    log.check(passing());
    assert_eq!((refused(&log), log.stop()), (0, Some(Stop::Done)), "its finding is about a file as it was");
}
