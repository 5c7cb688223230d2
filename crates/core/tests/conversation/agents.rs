//! Sub-agents: who may begin, what each may spend, and what comes back.

use expect_test::expect;
use ox_protocol::{AgentEnd, AgentStart, Event, Mode, Money, Outcome, Stop, Tokens, Usage};

use crate::fixture::{Log, Start, agent, read};

/// The limits of the sub-agents that were begun, a line each.
fn shares(log: &Log) -> String {
    let line = |event: &Event| match event {
        Event::AgentStart(AgentStart { conversation, limits, .. }) => Some(format!(
            "{conversation}: {} iterations, tokens {:?}, cost {:?}, time {:?}, depth {}\n",
            limits.iterations,
            limits.tokens.map(|it| it.0),
            limits.cost.map(|it| it.0),
            limits.time_ms,
            limits.agents.depth
        )),
        _ => None,
    };
    log.frames.iter().filter_map(|it| line(&it.event)).collect()
}

fn end(log: &mut Log, number: usize, iterations: u32, usage: Usage) {
    let begun = log.frames.iter().filter_map(|it| match &it.event {
        Event::AgentStart(start) => Some((start.call.clone(), start.conversation.clone())),
        _ => None,
    });
    let (call, conversation) = begun.collect::<Vec<_>>().swap_remove(number - 1);
    let end = AgentEnd {
        call: call.clone(),
        conversation,
        stop: Stop::Answered,
        iterations,
        usage,
        cost: Some(Money(7)),
        findings: Vec::new(),
        problem: None,
    };
    log.push(Event::AgentEnd(end));
    log.push(Event::ToolComplete { call, tool: "spawn_subagent".into(), outcome: Outcome::ok("found") });
    log.settle();
}

fn begin(change: impl Fn(&mut Start)) -> Log {
    let mut log = Log::begin(Mode::Build, change);
    log.settle();
    log
}

/// What the settled calls were told, a line each.
fn results(log: &Log) -> String {
    let line = |event: &Event| match event {
        Event::ToolComplete { call, outcome, .. } => Some(format!("{call} {:?}: {}\n", outcome.status, outcome.output)),
        _ => None,
    };
    log.frames.iter().filter_map(|it| line(&it.event)).collect()
}

#[test]
fn what_they_may_spend_is_taken_from_the_turn_and_the_rest_comes_back() {
    let mut log = begin(|it| {
        it.limits.iterations = 41;
        it.limits.tokens = Some(Tokens(100_000));
        it.limits.cost = Some(Money(1_000));
        it.limits.time_ms = Some(60_000);
    });
    log.reply("", vec![agent("a", false), agent("b", false), agent("c", false)]);
    log.settle();
    let before = shares(&log);
    end(&mut log, 1, 2, Usage { input: Tokens(900), output: Tokens(100), ..Usage::default() });
    end(&mut log, 2, 1, Usage::default());
    end(&mut log, 3, 1, Usage::default());
    let (usage, cost) = log.conversation.usage();
    log.reply("", vec![agent("d", false)]);
    log.settle();
    expect![[r#"
        .1: 10 iterations, tokens Some(24992), cost Some(250), time Some(55000), depth 0
        .2: 10 iterations, tokens Some(24992), cost Some(250), time Some(54000), depth 0
        .3: 10 iterations, tokens Some(24993), cost Some(250), time Some(53000), depth 0
    "#]]
    .assert_eq(&before);
    assert!(usage.total().0 >= 1_000 && cost == Some(Money(21)), "{usage:?} {cost:?}");
    expect![[r#"
        .4: 17 iterations, tokens Some(49477), cost Some(489), time Some(42000), depth 0
    "#]]
    .assert_eq(&shares(&log)[before.len()..]);
}

#[test]
fn four_run_side_by_side_and_one_that_writes_alone() {
    let mut log = begin(|_| {});
    let calls: Vec<_> = ["a", "b", "c", "d", "e"].iter().map(|it| agent(it, false)).collect();
    log.reply("", calls.into_iter().chain([agent("f", true), read("g")]).collect());
    log.settle();
    let mut wanted = vec![log.wanted().join(", ")];
    for number in 1..=5 {
        end(&mut log, number, 1, Usage::default());
        wanted.push(log.wanted().join(", "));
    }
    end(&mut log, 6, 1, Usage::default());
    wanted.push(log.wanted().join(", "));
    expect![[r#"
        agent explore, agent explore, agent explore, agent explore
        agent explore, agent explore, agent explore, agent explore
        agent explore, agent explore, agent explore
        agent explore, agent explore
        agent explore
        agent test-writer
        tool read_file"#]]
    .assert_eq(&wanted.join("\n"));
}

#[test]
fn a_model_that_starts_them_for_ever_is_refused_and_stopped() {
    let mut log = begin(|it| it.limits.agents.per_turn = 2);
    for round in 0..9 {
        if log.stop().is_some() {
            break;
        }
        log.reply("", vec![agent(&format!("a{round}"), false)]);
        log.settle();
        if round < 2 {
            end(&mut log, round + 1, 1, Usage::default());
        }
    }
    expect![[r#"
        a0 Ok: found
        a1 Ok: found
        a2 Failed: not started: this turn has started 2 sub-agents, and no more are allowed (`agents.per_turn`). Go on with what they found, and do the rest yourself.
        a3 Failed: not started: this turn has started 2 sub-agents, and no more are allowed (`agents.per_turn`). Go on with what they found, and do the rest yourself.
        a4 Failed: not started: this turn has started 2 sub-agents, and no more are allowed (`agents.per_turn`). Go on with what they found, and do the rest yourself.
        Some(AllCallsFailed)
    "#]]
    .assert_eq(&format!("{}{:?}\n", results(&log), log.stop()));
}

#[test]
fn nothing_is_begun_too_deep_or_with_nothing_left() {
    let mut out = String::new();
    for (depth, iterations) in [(0, 10), (1, 1)] {
        let mut log = begin(|it| {
            it.limits.agents.depth = depth;
            it.limits.iterations = iterations;
        });
        log.reply("", vec![agent("a", false)]);
        log.settle();
        out += &results(&log);
    }
    expect![[r#"
        a Failed: not started: a sub-agent starts no further ones here (`agents.depth`). Do it yourself, step by step.
        a Failed: not started: what is left of the budget of this turn pays for no sub-agent. Do it yourself, in few steps.
    "#]]
    .assert_eq(&out);
}

#[test]
fn those_with_a_copy_of_their_own_write_side_by_side() {
    let in_copy = |id: &str| {
        let mut call = agent(id, true);
        if let Some(ox_protocol::Statement::Agent { request }) = &mut call.facts.statement {
            request.worktree = true;
        }
        call
    };
    let mut log = begin(|_| {});
    log.reply("", vec![in_copy("a"), in_copy("b"), agent("c", true)]);
    log.settle();
    assert_eq!(log.wanted(), ["agent test-writer", "agent test-writer"]);
    end(&mut log, 1, 1, Usage::default());
    end(&mut log, 2, 1, Usage::default());
    assert_eq!(log.wanted(), ["agent test-writer"], "the one in the tree of the task waited for both");
}
