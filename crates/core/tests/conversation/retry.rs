//! What the fold makes of a model that cannot be asked: another one takes over, the prompt is made shorter, a budget is
//! reserved before it is spent.

use ox_protocol::{Event, FailureKind, Mode, ModelFacts, Money, Outcome, Stop, Tokens, Usage};

use crate::fixture::{Log, Start, edit, edited, read, reply};

fn model(name: &str, window: u64) -> ModelFacts {
    ModelFacts { name: name.to_string(), window: Tokens(window), max_output: Tokens(1_000), ..ModelFacts::default() }
}

fn two_models(start: &mut Start) {
    start.model = model("a/big", 100_000);
    start.fallbacks = vec![model("b/spare", 50_000), model("c/last", 20_000)];
    start.limits.model_attempts = 2;
}

/// Fails every request that is wanted until one is of another model, and answers waits.
fn fail(log: &mut Log, kind: FailureKind) {
    log.fail_model(kind);
    log.settle();
    if let Some(ox_core::Want::Wake { at, .. }) = log.conversation.wants().first() {
        let at = *at;
        log.push(Event::Woken { at });
        log.settle();
    }
}

#[test]
fn the_next_model_takes_over_for_the_rest_of_the_turn_and_the_last_failure_ends_it() {
    let cases = [
        (FailureKind::Overloaded, 2),
        (FailureKind::Connect, 2),
        (FailureKind::Auth, 1),
        (FailureKind::Quota, 1),
        (FailureKind::UnknownModel, 1),
    ];
    for (kind, tries) in cases {
        let mut log = Log::begin(Mode::Build, two_models);
        for name in ["a/big", "b/spare", "c/last"] {
            log.settle();
            assert_eq!(log.conversation.model().name, name, "{kind:?}");
            (0..tries).for_each(|_| fail(&mut log, kind));
        }
        assert_eq!(log.stop(), Some(Stop::ModelFailed { kind }));
    }
}

#[test]
fn a_request_that_is_wrong_in_itself_is_given_to_no_other_model() {
    for kind in [FailureKind::BadRequest, FailureKind::ContentFilter, FailureKind::Script] {
        let mut log = Log::begin(Mode::Build, two_models);
        fail(&mut log, kind);
        assert_eq!(log.stop(), Some(Stop::ModelFailed { kind }));
    }
}

#[test]
fn a_model_that_took_over_stays_until_the_turn_ends() {
    let mut log = Log::begin(Mode::Build, two_models);
    fail(&mut log, FailureKind::Auth);
    log.reply("", vec![read("x")]);
    log.run_tools(&Outcome::ok("text"));
    log.settle();
    assert_eq!(log.conversation.model().name, "b/spare");
    assert_eq!(log.wanted(), ["model Auto 1"]);
}

#[test]
fn a_prompt_that_is_too_long_is_made_shorter_once_and_asked_again() {
    let mut log = Log::begin(Mode::Build, |it| it.model = model("a/big", 100_000));
    log.fail_model(FailureKind::ContextTooLong);
    log.settle();
    assert_eq!(log.wanted(), ["prune"]);
    log.prune(10_000, 4_000);
    assert_eq!(log.wanted(), ["model Required 1"]);
    log.fail_model(FailureKind::ContextTooLong);
    log.settle();
    assert_eq!(log.stop(), Some(Stop::ModelFailed { kind: FailureKind::ContextTooLong }));
}

#[test]
fn where_nothing_can_be_left_out_the_turn_ends_with_the_reason() {
    let mut log = Log::begin(Mode::Build, |it| it.model = model("a/big", 100_000));
    log.fail_model(FailureKind::ContextTooLong);
    log.prune(300, 300);
    assert_eq!(log.stop(), Some(Stop::ModelFailed { kind: FailureKind::ContextTooLong }));
}

/// A reply that fills `used` tokens, whose call reads a text of that size.
fn fill(log: &mut Log, name: &str, used: u64, words: usize) {
    let Event::StreamComplete { mut calls, .. } =
        reply(Default::default(), "", vec![read(name)], ox_protocol::Finish::Calls)
    else {
        unreachable!("invariant: a reply is a reply")
    };
    let want = log.model_want().expect("a model is wanted");
    let mut event = reply(want, "", std::mem::take(&mut calls), ox_protocol::Finish::Calls);
    if let Event::StreamComplete { usage, .. } = &mut event {
        *usage = Usage { input: Tokens(used), output: Tokens(5), ..Usage::default() };
    }
    log.push(event);
    log.settle();
    log.run_tools(&Outcome::ok("word ".repeat(words)));
    log.settle();
}

#[test]
fn a_full_window_is_pruned_before_it_is_asked_and_two_poor_prunings_end_the_turn() {
    let mut log = Log::begin(Mode::Build, |it| it.model = model("a/small", 20_000));
    log.settle();
    let mut asked = 0;
    while log.wanted() != ["prune"] {
        fill(&mut log, &format!("f{asked}"), 500 + asked * 9_500, 8_000);
        asked += 1;
        assert!(asked < 10, "nothing was ever pruned");
    }
    // By bytes two such texts would fit; this provider counts twice as much, as its first answer showed.
    assert_eq!(asked, 1);
    log.prune(20_000, 8_000);
    assert_eq!(log.wanted(), ["model Auto 1"]);
    fill(&mut log, "g", 18_000, 1_500);
    log.prune(20_000, 19_000);
    assert_eq!(log.wanted(), ["model Auto 1"]);
    fill(&mut log, "h", 18_000, 600);
    log.prune(20_000, 19_500);
    assert_eq!(log.stop(), Some(Stop::WindowFull));
}

#[test]
fn what_cannot_fit_is_not_sent() {
    let mut log = Log::begin(Mode::Auto, |it| {
        it.model = model("a/small", 20_000);
        it.prompt = "word ".repeat(100_000);
    });
    log.settle();
    log.prune(120_000, 119_000);
    assert_eq!((log.stop(), log.wanted().len()), (Some(Stop::WindowFull), 0));
}

/// The times that a network fault is waited out, in a conversation in which the model has answered and in a new one.
#[test]
fn a_network_that_went_away_is_waited_for_and_faults_are_counted_apart() {
    let mut log = Log::begin(Mode::Auto, |_| {});
    log.settle();
    for kind in [FailureKind::RateLimited, FailureKind::Server, FailureKind::Overloaded, FailureKind::Cut] {
        fail(&mut log, kind);
        assert_eq!(log.stop(), None, "the first of its kind: {kind:?}");
    }
    fail(&mut log, FailureKind::Cut);
    assert_eq!(log.stop(), Some(Stop::ModelFailed { kind: FailureKind::Cut }), "a cut is asked again once");
    let waited = |mut log: Log| {
        let mut times = 0;
        while log.stop().is_none() {
            fail(&mut log, FailureKind::Connect);
            times += 1;
        }
        let retries = log.frames.iter().filter_map(|it| match it.event {
            Event::Retry { wait_ms, .. } => Some(wait_ms),
            _ => None,
        });
        (times, retries.sum::<u64>() / 60_000)
    };
    let new = Log::begin(Mode::Auto, |_| {});
    let mut known = new.clone();
    known.reply("", vec![read("a")]);
    known.run_tools(&Outcome::ok("x"));
    assert_eq!((waited(new).0, waited(known)), (3, (16, 3)));
}

#[test]
fn a_reply_that_the_provider_stopped_is_not_asked_for_again() {
    let mut log = Log::begin(Mode::Auto, |_| {});
    log.settle();
    let want = log.model_want().expect("a model is wanted");
    log.push(reply(want, "", Vec::new(), ox_protocol::Finish::Filter));
    log.settle();
    assert_eq!(log.stop(), Some(Stop::ModelFailed { kind: FailureKind::ContentFilter }));
}

#[test]
fn who_waits_can_have_it_tried_at_once_and_a_wait_of_hours_is_the_users() {
    let mut log = Log::begin(Mode::Auto, |_| {});
    log.settle();
    assert!(log.decide(&ox_protocol::Command::Retry).is_err());
    log.fail_model(FailureKind::Overloaded);
    log.settle();
    let events = log.decide(&ox_protocol::Command::Retry).expect("it waits");
    events.into_iter().for_each(|it| log.push(it));
    assert_eq!(log.wanted(), ["model Auto 2"]);
    let (want, failure) = (log.conversation.wants()[0].id(), crate::fixture::failure(FailureKind::RateLimited));
    let failure = ox_protocol::Failure { retry_after_ms: Some(86_400_000), ..failure };
    log.push(Event::ModelFailed { want, failure, jitter: 0 });
    log.settle();
    assert_eq!(log.stop(), Some(Stop::ModelFailed { kind: FailureKind::RateLimited }));
}

#[test]
fn a_count_that_cannot_be_true_prunes_nothing() {
    let mut log = Log::begin(Mode::Build, |it| it.model = model("a/big", 100_000));
    log.settle();
    fill(&mut log, "x", u64::MAX, 8_000);
    assert_eq!(log.wanted(), ["model Auto 1"]);
}

#[test]
fn a_budget_is_reserved_before_the_request_and_shortens_the_reply_that_it_cannot_pay_in_full() {
    let dear = |limit: u64| {
        move |it: &mut Start| {
            it.model = model("a/dear", 100_000);
            it.model.input_price = Some(Money(1_000_000));
            it.model.output_price = Some(Money(10_000_000));
            it.limits.cost = Some(Money(limit));
        }
    };
    let first = |limit: u64| {
        let mut log = Log::begin(Mode::Build, dear(limit));
        log.settle();
        let max = log.conversation.wants().iter().find_map(|it| match it {
            ox_core::Want::Model { max_output, .. } => Some(*max_output),
            _ => None,
        });
        (log.stop(), max)
    };
    assert_eq!(first(1_000_000), (None, Some(None)), "pays for any reply");
    let (stop, max) = first(5_000);
    assert_eq!(stop, None);
    assert!(max.flatten().is_some_and(|it| it.0 >= 256 && it.0 < 500), "{max:?}");
    assert_eq!(first(2_000), (Some(Stop::CostBudget), None), "not worth a prompt");

    let mut log = Log::begin(Mode::Build, |it| {
        it.model = model("a/big", 100_000);
        it.limits.tokens = Some(Tokens(600));
    });
    log.settle();
    let Some(ox_core::Want::Model { max_output: Some(most), .. }) = log.conversation.wants().into_iter().next() else {
        panic!("{:?}", log.wanted())
    };
    assert!((256..600).contains(&most.0), "{most:?}");
}

/// The longest reply that the wanted request may have.
fn reserved(log: &Log) -> Option<Tokens> {
    log.conversation.wants().iter().find_map(|it| match it {
        ox_core::Want::Model { max_output, .. } => *max_output,
        _ => None,
    })
}

#[test]
fn a_model_that_takes_over_is_paid_at_its_own_price_or_not_at_all() {
    let priced = |name: &str, output: u64| {
        let (input_price, output_price) = (Some(Money(0)), Some(Money(output)));
        ModelFacts { input_price, output_price, ..model(name, 100_000) }
    };
    for (output, expected) in [(10_000_000, Ok(500)), (100_000_000, Err(Stop::CostBudget))] {
        let mut log = Log::begin(Mode::Build, |it| {
            it.model = priced("a/cheap", 1_000_000);
            it.fallbacks = vec![priced("b/dear", output)];
            it.limits.cost = Some(Money(5_000));
        });
        log.settle();
        assert_eq!(reserved(&log), None, "the first model's longest reply is paid for");
        fail(&mut log, FailureKind::Auth);
        let found = log.stop().map_or_else(|| Ok(reserved(&log).map_or(0, |it| it.0)), Err);
        assert_eq!(found, expected, "{output}");
    }
}

#[test]
fn a_model_with_a_smaller_window_is_asked_after_a_pruning() {
    let mut log = Log::begin(Mode::Build, |it| {
        it.model = model("a/big", 100_000);
        it.fallbacks = vec![model("b/small", 5_000)];
    });
    log.settle();
    fill(&mut log, "x", 500, 8_000);
    fail(&mut log, FailureKind::Auth);
    assert_eq!(log.wanted(), ["prune"]);
    log.prune(10_000, 2_000);
    assert_eq!((log.wanted(), log.conversation.model().name.as_str()), (vec!["model Auto 1".to_string()], "b/small"));
}

#[test]
fn what_was_taken_back_fills_nothing_and_the_system_prompt_stays() {
    let start = |log: &mut Log, number: u32, system: Option<String>| {
        let mut start = Start::new(Mode::Build);
        start.model = model("a/big", 100_000);
        start.limits.tokens = Some(Tokens(1_200));
        let mut event = start.event();
        if let Event::TurnStart { turn, .. } = &mut event {
            *turn = number;
        }
        log.push(event);
        log.push(Event::Prompted { system, tools: None, context: Vec::new() });
        log.settle();
    };
    let end = |log: &mut Log| {
        log.push(Event::Interrupted);
        log.settle();
        log.push(Event::Completion { stop: Stop::Interrupted, exit_code: 130 });
    };
    let mut log = Log::default();
    start(&mut log, 1, Some("word ".repeat(500)));
    let first = reserved(&log);
    assert!(first.is_some_and(|it| it.0 < 650), "{first:?}");
    end(&mut log);
    start(&mut log, 2, None);
    let second = reserved(&log);
    end(&mut log);
    start(&mut log, 3, None);
    assert!(reserved(&log) < second, "each turn adds its prompt");
    end(&mut log);
    for (number, (to, expected)) in (4..).zip([(2, second), (1, first)]) {
        log.push(Event::Rewound { turn: to });
        start(&mut log, number, None);
        assert_eq!(reserved(&log), expected, "back to {to}");
        end(&mut log);
    }
}

#[test]
fn a_tree_that_is_changed_and_taken_back_again_and_again_ends_the_turn() {
    let mut log = Log::begin(Mode::Build, |_| {});
    log.settle();
    let mut edits = 0;
    while log.stop().is_none() && edits < 20 {
        log.reply("", vec![edit(&format!("e{edits}"))]);
        let tree = ["one", "two"][edits % 2].to_string();
        let reason = ox_protocol::CheckpointReason::BeforeCall;
        log.push(Event::Checkpoint { id: format!("{edits}"), reason, files: 1, tree, skipped: Vec::new() });
        log.run_tools(&edited());
        log.settle();
        edits += 1;
    }
    assert_eq!((log.stop(), edits), (Some(Stop::Oscillation), 7));
}
