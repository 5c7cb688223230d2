//! The project's fixers: they see what was edited before an audit or a check does, once, and only where commands of the project
//! may run.

use ox_core::Want;
use ox_protocol::{Decision, Event, FIXERS, Mode, Outcome, Stop, Verification};

use crate::fixture::{
    Log, Start, checks_call, command, conclude, edit, edited, failing, fixer, name, passing, read, with_checks,
};

fn with_fixers(start: &mut Start) {
    with_checks(start);
    start.fixers = vec![fixer()];
}

/// A build that has edited something.
fn edits(change: impl FnOnce(&mut Start)) -> Log {
    let mut log = Log::begin(Mode::Build, change);
    log.reply("", vec![read("r")]);
    log.run_tools(&Outcome::ok("x"));
    log.reply("", vec![edit("c")]);
    log.check(passing());
    log.run_tools(&edited());
    log
}

/// Answers the wanted fixers; the names of what happened to the log by it.
fn fix(log: &mut Log, changes: bool) -> Vec<String> {
    let wants = log.conversation.wants();
    let Some(Want::Fixers { call, .. }) = wants.iter().find(|it| matches!(it, Want::Fixers { .. })) else {
        panic!("no fixers are wanted: {wants:?}")
    };
    let (call, tool, from) = (call.clone(), FIXERS.to_string(), log.frames.len());
    log.push(Event::ToolStart { call: call.clone(), tool: tool.clone(), args: serde_json::json!({}), iteration: 1 });
    assert_eq!(log.wanted(), ["fixers"], "they are wanted until they are over");
    log.push(Event::ToolComplete { call, tool, outcome: Outcome { tree_changed: changes, ..Outcome::default() } });
    log.settle();
    log.frames[from..].iter().map(|it| name(&it.event)).collect()
}

#[test]
fn they_run_before_the_audit_and_the_checks() {
    for changes in [true, false] {
        let mut log = edits(with_fixers);
        log.reply("", vec![conclude("z")]);
        assert_eq!(log.wanted(), ["fixers"]);
        let followed = fix(&mut log, changes);
        assert_eq!(followed, ["tool_start", "tool_complete", "audited", "checks_start", "workflow"]);
        assert_eq!(log.wanted(), ["checks 1"]);
        log.check(passing());
        assert_eq!(log.stop(), Some(Stop::Done));
    }
}

#[test]
fn they_run_again_after_further_edits_alone() {
    let mut log = edits(with_fixers);
    log.reply("", vec![conclude("z")]);
    fix(&mut log, true);
    log.check(failing(&["a"]));
    log.reply("", vec![read("d")]);
    log.run_tools(&Outcome::ok("x"));
    log.reply("", vec![conclude("y")]);
    assert_eq!(log.wanted(), ["model Required 1"], "the checks stand failing over the same tree");
    log.reply("", vec![edit("e")]);
    log.run_tools(&edited());
    log.reply("", vec![conclude("x")]);
    assert_eq!(log.wanted(), ["fixers"]);
    fix(&mut log, false);
    log.check(passing());
    assert_eq!(log.stop(), Some(Stop::Done));
}

#[test]
fn the_models_own_run_of_the_checks_sees_fixed_files() {
    let mut log = edits(with_fixers);
    log.reply("", vec![checks_call("k")]);
    assert_eq!(log.wanted(), ["fixers"]);
    fix(&mut log, true);
    assert_eq!(log.wanted(), ["checks by call"]);
}

#[test]
fn they_need_the_consent_that_the_checks_need() {
    let asks = |start: &mut Start| {
        with_fixers(start);
        start.rules.rules.clear();
    };
    for (decision, wanted) in [(Decision::Allow, "fixers"), (Decision::Deny { reason: String::new(), stop: false }, "")]
    {
        // A command changed something, so nothing was asked before.
        let mut log = Log::begin(Mode::Build, |start| {
            asks(start);
            start.rules.approval = ox_protocol::ApprovalPolicy::Auto;
            start.rules.isolated = false;
        });
        log.reply("", vec![edit("c")]);
        let commands = log.frames.iter().find_map(|it| match &it.event {
            Event::ApprovalRequest { call, commands, .. } => Some((call.clone(), commands.clone())),
            _ => None,
        });
        let (call, commands) = commands.expect("somebody is asked");
        assert_eq!(commands, ["tidy {files}", "make test"]);
        log.push(Event::Approval { call, decision, by: "user".to_string() });
        log.settle();
        if !wanted.is_empty() {
            log.check(passing());
        }
        log.run_tools(&edited());
        log.reply("", vec![conclude("z")]);
        assert_eq!(log.wanted(), Vec::from_iter((!wanted.is_empty()).then_some(wanted)));
    }
}

#[test]
fn nothing_runs_where_nothing_is_verified_or_edited() {
    let mut unverified = Log::begin(Mode::Build, |start| {
        with_fixers(start);
        start.verification = Verification::Off;
    });
    unverified.reply("", vec![edit("c")]);
    unverified.run_tools(&edited());
    unverified.reply("", vec![conclude("z")]);
    assert_eq!(unverified.stop(), Some(Stop::DoneUnchecked));
    let mut looks = Log::begin(Mode::Auto, with_fixers);
    looks.reply("", vec![read("r")]);
    looks.run_tools(&Outcome::ok("x"));
    looks.reply("It is so.", vec![]);
    assert_eq!(looks.stop(), Some(Stop::Answered));
    let mut plans = Log::begin(Mode::Plan, with_fixers);
    plans.reply("", vec![command("c", "ls")]);
    assert!(!plans.wanted().contains(&"fixers".to_string()));
}

#[test]
fn an_edit_that_came_meanwhile_is_fixed_too() {
    let mut log = edits(with_fixers);
    log.reply("", vec![conclude("z")]);
    let Some(Want::Fixers { call, .. }) = log.conversation.wants().into_iter().next() else { panic!("fixers") };
    log.push(Event::Steered { text: "and b".to_string(), images: vec![] });
    log.reply("", vec![edit("e")]);
    log.run_tools(&edited());
    let outcome = Outcome { tree_changed: true, ..Outcome::default() };
    log.push(Event::ToolComplete { call, tool: FIXERS.to_string(), outcome });
    log.reply("", vec![conclude("y")]);
    assert_eq!(log.wanted(), ["fixers"]);
}
