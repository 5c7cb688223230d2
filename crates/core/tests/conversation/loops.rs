//! Each limit has a name, a default, and a story that reaches it.

use ox_protocol::{Event, Mode, Money, Outcome, Stop, Time, Tokens};

use crate::fixture::{Log, command, edit, edited, read};

fn run(
    change: impl FnOnce(&mut crate::fixture::Start),
    mut step: impl FnMut(&mut Log, usize),
) -> (Option<Stop>, usize) {
    let mut log = Log::begin(Mode::Build, change);
    let mut steps = 0;
    while log.stop().is_none() && steps < 200 {
        step(&mut log, steps);
        steps += 1;
    }
    (log.stop(), steps)
}

#[test]
fn iterations() {
    let step = |log: &mut Log, i: usize| {
        log.reply("", vec![read(&format!("f{i}"))]);
        log.run_tools(&Outcome::ok(format!("{i}")));
    };
    assert_eq!(run(|it| it.limits.iterations = 7, step), (Some(Stop::IterationLimit), 7));
    assert_eq!(run(|_| {}, step), (Some(Stop::IterationLimit), 100));
}

#[test]
fn replies_all_of_whose_calls_fail() {
    let stop = run(
        |_| {},
        |log, i| {
            log.reply("", vec![read(&format!("f{i}"))]);
            log.run_tools(&Outcome::failed(format!("{i}")));
        },
    );
    assert_eq!(stop, (Some(Stop::AllCallsFailed), 3));
}

#[test]
fn one_call_that_works_resets_the_count_of_failing_replies() {
    let stop = run(
        |it| it.limits.iterations = 20,
        |log, i| {
            log.reply("", vec![read(&format!("f{i}")), edit(&format!("e{i}"))]);
            log.push(Event::ToolComplete {
                call: ox_protocol::CallId(format!("f{i}")),
                tool: "read_file".into(),
                outcome: Outcome::ok(format!("{i}")),
            });
            log.run_tools(&Outcome::failed("no"));
        },
    );
    assert_eq!(stop, (Some(Stop::IterationLimit), 20));
}

#[test]
fn the_same_call_with_the_same_outcome() {
    let stop = run(
        |_| {},
        |log, _| {
            log.reply("", vec![read("same")]);
            log.run_tools(&Outcome::ok("same"));
        },
    );
    assert_eq!(stop, (Some(Stop::Oscillation), 3));
}

#[test]
fn a_changed_tree_between_equal_calls_is_no_oscillation() {
    let stop = run(
        |it| it.limits.iterations = 12,
        |log, i| {
            log.reply("", vec![edit(&format!("e{i}")), read("same")]);
            log.run_tools(&edited());
        },
    );
    assert_eq!(stop, (Some(Stop::IterationLimit), 12));
}

#[test]
fn the_same_failing_call_is_retried_at_most_twice() {
    let stop = run(
        |_| {},
        |log, i| {
            log.reply("", vec![read("same"), read(&format!("other{i}"))]);
            log.push(Event::ToolComplete {
                call: ox_protocol::CallId("same".into()),
                tool: "read_file".into(),
                outcome: Outcome::failed(format!("{i}")),
            });
            log.run_tools(&Outcome::ok(format!("{i}")));
        },
    );
    assert_eq!(stop, (Some(Stop::RepeatedFailure), 3));
}

/// Commands that fail, one a reply, with nothing changed in between; the outcome of each differs.
fn failing(lines: &[&str]) -> (Option<Stop>, usize) {
    run(
        |it| {
            it.limits.iterations = 20;
            it.rules.isolated = true;
            it.rules.approval = ox_protocol::ApprovalPolicy::Auto;
        },
        |log, i| {
            let mut call = command(&format!("c{i}"), lines[i % lines.len()]);
            call.facts.commands = Vec::new();
            log.reply("", vec![call]);
            log.run_tools(&Outcome { exit_code: Some(1), ..Outcome::ok(format!("run {i}")) });
        },
    )
}

#[test]
fn variations_of_one_failing_command() {
    let same = [
        "pytest tests/a.py",
        "pytest -x tests/a.py",
        "pytest -vv --tb=long tests/a.py",
        "FOO=1 timeout 60 pytest tests/a.py",
    ];
    assert_eq!(failing(&same), (Some(Stop::Oscillation), 6));
    let others =
        ["python3 -c 'import a; a.b()'", "python3 -c 'import a; a.c()'", "python3 - <<X\n1\nX", "python3 - <<X\n2\nX"];
    let different = |i: usize| others[i % 4].replace(['1', '2'], &i.to_string()).replace("a.", &format!("a{i}."));
    let lines: Vec<String> = (0..20).map(different).collect();
    let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
    assert_eq!(failing(&lines), (Some(Stop::IterationLimit), 20), "scripts are each about something else");
}

#[test]
fn circles_of_several_calls() {
    for length in 3..=8 {
        let stop = run(
            |_| {},
            |log, i| {
                let path = format!("f{}", i % length);
                log.reply("", vec![read(&path)]);
                log.run_tools(&Outcome::ok(path));
            },
        );
        assert_eq!(stop, (Some(Stop::Oscillation), 3 * length), "a circle of {length}");
    }
}

#[test]
fn a_file_that_is_known_whole_read_again_and_again() {
    let read_of = |i: usize, hash: &str| {
        let file = ox_protocol::ReadFile { path: "a".into(), hash: hash.into(), whole: i == 0 };
        Outcome { read: vec![file], ..Outcome::ok(format!("part {i}")) }
    };
    let again = |hash: fn(usize) -> String| {
        run(
            |it| it.limits.iterations = 20,
            |log, i| {
                log.reply("", vec![read(&format!("a{i}"))]);
                log.run_tools(&read_of(i, &hash(i)));
            },
        )
    };
    assert_eq!(again(|_| "same".into()), (Some(Stop::Oscillation), 7));
    assert_eq!(again(|i| i.to_string()), (Some(Stop::IterationLimit), 20), "another content is news");
}

#[test]
fn empty_replies() {
    assert_eq!(run(|_| {}, |log, _| log.reply("  ", vec![])), (Some(Stop::EmptyReplies), 3));
}

#[test]
fn token_and_cost_budgets() {
    let step = |log: &mut Log, i: usize| {
        log.reply("", vec![read(&format!("f{i}"))]);
        log.run_tools(&Outcome::ok(format!("{i}")));
    };
    // 256 tokens are the shortest reply that is asked for; each request here takes 15 and is part of the next.
    assert_eq!(run(|it| it.limits.tokens = Some(Tokens(310)), step), (Some(Stop::TokenBudget), 3));
    let mut log = Log::begin(Mode::Build, |it| it.limits.tokens = Some(Tokens(200)));
    log.settle();
    assert_eq!(log.stop(), Some(Stop::TokenBudget));
    let mut log = Log::begin(Mode::Build, |it| it.limits.cost = Some(Money(0)));
    log.settle();
    assert_eq!(log.stop(), Some(Stop::CostBudget));
}

#[test]
fn the_time_budget_ends_a_turn_that_waits_for_the_model() {
    let mut log = Log::begin(Mode::Build, |it| it.limits.time_ms = Some(60_000));
    log.settle();
    assert_eq!(log.wanted(), ["model Required 1", "wake"]);
    log.push(Event::Woken { at: Time(61_000) });
    log.settle();
    assert_eq!(log.stop(), Some(Stop::TimeBudget));
}
