//! Single stories of a turn: how calls run, how people interfere, how it is taken up again.

use ox_core::{Conversation, resume};
use ox_protocol::{
    CallId, Command, CommandId, Decision, Delivery, Event, FailureKind, Mode, Outcome, Status, Stop, Submission, Time,
};

use crate::fixture::{Log, command, conclude, edit, edited, name, question, read};

#[test]
fn reads_run_together_and_a_mutation_is_a_barrier() {
    let mut log = Log::begin(Mode::Build, |_| {});
    log.reply("", vec![read("a"), read("b"), edit("c"), read("d")]);
    assert_eq!(log.wanted(), ["tool read_file", "tool read_file"]);
    for id in ["a", "b"] {
        log.push(Event::ToolComplete { call: CallId(id.into()), tool: "read_file".into(), outcome: Outcome::ok("x") });
    }
    assert_eq!(log.wanted(), ["tool edit_file"]);
    log.push(Event::ToolComplete { call: CallId("c".into()), tool: "edit_file".into(), outcome: edited() });
    assert_eq!(log.wanted(), ["tool read_file"]);
}

#[test]
fn after_a_failed_mutation_the_later_mutations_of_the_reply_do_not_run() {
    let mut log = Log::begin(Mode::Build, |_| {});
    log.reply("", vec![edit("a"), edit("b"), read("c")]);
    log.push(Event::ToolComplete {
        call: CallId("a".into()),
        tool: "edit_file".into(),
        outcome: Outcome::failed("not found"),
    });
    assert_eq!(log.settle(), ["tool_complete"]);
    assert_eq!(log.wanted(), ["tool read_file"]);
}

#[test]
fn after_a_command_with_a_failing_exit_code_the_later_mutations_of_the_reply_run() {
    let mut log = Log::begin(Mode::Build, |it| {
        it.rules.rules = vec![ox_protocol::Rule::parse(ox_protocol::RuleAction::Allow, "run_command").expect("a rule")]
    });
    log.reply("", vec![command("a", "false"), edit("b")]);
    log.push(Event::ToolComplete {
        call: CallId("a".into()),
        tool: "run_command".into(),
        outcome: Outcome { exit_code: Some(1), ..Outcome::ok("exit code 1") },
    });
    assert_eq!(log.settle(), [""; 0]);
    assert_eq!(log.wanted(), ["tool edit_file"]);
}

#[test]
fn the_first_request_must_call_and_after_tools_the_model_is_free() {
    let mut log = Log::begin(Mode::Build, |_| {});
    log.settle();
    assert_eq!(log.wanted(), ["model Required 1"]);
    log.reply("", vec![read("a")]);
    log.run_tools(&Outcome::ok("x"));
    assert_eq!(log.wanted(), ["model Auto 1"]);
}

#[test]
fn a_model_that_reasons_is_never_forced() {
    let mut log = Log::begin(Mode::Build, |it| it.model.reasons = true);
    log.settle();
    assert_eq!(log.wanted(), ["model Auto 1"]);
}

#[test]
fn an_endpoint_that_rejects_required_is_asked_without_it_from_then_on() {
    let mut log = Log::begin(Mode::Build, |_| {});
    log.fail_model(FailureKind::ToolChoiceRejected);
    assert_eq!(log.settle(), ["downgrade"]);
    assert_eq!(log.wanted(), ["model Auto 1"]);
    log.reply("done", vec![]);
    assert_eq!(log.wanted(), ["model Auto 1"]);
}

#[test]
fn a_refused_conclusion_forces_the_next_request() {
    let mut log = Log::begin(Mode::Build, |_| {});
    log.reply("done", vec![]);
    assert!(log.frames.iter().any(|it| matches!(&it.event, Event::Refusal { .. })));
    assert_eq!(log.wanted(), ["model Required 1"]);
}

#[test]
fn refusals_without_progress_end_the_turn() {
    let mut log = Log::begin(Mode::Build, |it| it.rules.headless = true);
    let mut replies = 0;
    while log.stop().is_none() {
        log.reply("done", vec![]);
        replies += 1;
    }
    assert_eq!((log.stop(), replies), (Some(Stop::StopHookRetries), 6));
}

#[test]
fn a_reply_that_stands_after_one_refusal_is_an_answer_to_who_is_there() {
    let mut log = Log::begin(Mode::Build, |_| {});
    log.reply("You are welcome.", vec![]);
    assert_eq!(log.stop(), None);
    log.reply("You are welcome.", vec![]);
    assert_eq!(log.stop(), Some(Stop::Answered));
}

#[test]
fn progress_resets_the_count_of_refusals() {
    let mut log = Log::begin(Mode::Build, |it| it.rules.headless = true);
    for _ in 0..4 {
        log.reply("done", vec![]);
    }
    log.reply("", vec![edit("a")]);
    log.run_tools(&edited());
    log.push(Event::Todo {
        items: vec![ox_protocol::Todo {
            id: 1,
            text: "x".into(),
            state: Default::default(),
            priority: String::new(),
            notes: String::new(),
        }],
    });
    for _ in 0..6 {
        log.reply("", vec![conclude("x")]);
        assert_eq!(log.stop(), None, "an open item is put to the model once after each change");
        log.reply("", vec![edit("b")]);
        log.run_tools(&edited());
    }
    log.reply("", vec![conclude("x")]);
    log.reply("", vec![conclude("x")]);
    assert_eq!(log.stop(), Some(Stop::DoneUnchecked), "and no more");
}

#[test]
fn a_message_typed_while_tools_run_is_taken_up_by_the_next_iteration() {
    let mut log = Log::begin(Mode::Build, |_| {});
    log.reply("", vec![edit("a")]);
    let said = Command::Prompt { text: "also b".into(), images: vec![], mode: None, delivery: Delivery::Steer };
    for event in log.decide(&said).expect("it steers") {
        log.push(event);
    }
    assert_eq!(log.last_event(), "queued");
    log.run_tools(&edited());
    log.reply("done", vec![]);
    assert_eq!(log.stop(), Some(Stop::DoneUnchecked));
}

#[test]
fn a_message_typed_while_the_model_concludes_keeps_the_turn_open() {
    let mut log = Log::begin(Mode::Chat, |_| {});
    log.reply("", vec![read("a")]);
    log.run_tools(&Outcome::ok("x"));
    log.push(Event::Steered { text: "wait".into(), images: vec![] });
    log.reply("answer", vec![]);
    assert_eq!(log.stop(), None);
    assert_eq!(log.wanted(), ["model Auto 1"]);
    log.reply("better answer", vec![]);
    assert_eq!(log.stop(), Some(Stop::Answered));
}

#[test]
fn an_interrupt_settles_every_call_and_ends_the_turn() {
    let mut log = Log::begin(Mode::Build, |_| {});
    log.reply("", vec![edit("a"), edit("b")]);
    log.push(Event::ToolStart {
        call: CallId("a".into()),
        tool: "edit_file".into(),
        args: Default::default(),
        iteration: 1,
    });
    log.push(Event::Interrupted);
    assert_eq!(log.wanted(), Vec::<String>::new());
    // The running call is drained: its late result still counts.
    log.push(Event::ToolComplete { call: CallId("a".into()), tool: "edit_file".into(), outcome: edited() });
    assert_eq!(log.settle(), ["workflow", "tool_complete", "stopped"]);
    assert_eq!(log.stop(), Some(Stop::Interrupted));
}

#[test]
fn a_recorded_interrupt_replays_to_the_same_end_wherever_the_log_breaks_off_behind_it() {
    let mut whole = Log::begin(Mode::Build, |_| {});
    whole.reply("", vec![command("a", "sleep 9"), edit("b")]);
    let (call, tool) = (CallId("a".into()), "run_command".to_string());
    whole.push(Event::ToolStart { call: call.clone(), tool: tool.clone(), args: Default::default(), iteration: 1 });
    whole.push(Event::Interrupted);
    let interrupted = whole.frames.len();
    let stopped = Outcome { status: Status::Interrupted, ..Outcome::failed("stopped by the user") };
    whole.push(Event::ToolComplete { call, tool, outcome: stopped });
    whole.settle();
    assert_eq!(whole.stop(), Some(Stop::Interrupted));
    assert_eq!(Conversation::replay(&whole.frames), whole.conversation);
    for at in interrupted..=whole.frames.len() {
        let frames = whole.frames[..at].to_vec();
        let audits = Some(Vec::new());
        let mut again = Log { conversation: Conversation::replay(&frames), frames, audits, ..Log::default() };
        assert_eq!(again.wanted(), Vec::<String>::new(), "after {at} frames nothing may start");
        for event in resume(&again.conversation) {
            again.push(event);
        }
        again.settle();
        assert_eq!((again.stop(), again.wanted()), (Some(Stop::Interrupted), Vec::new()), "after {at} frames");
    }
}

#[test]
fn after_a_crash_a_started_mutation_is_lost_and_never_run_again() {
    let mut log = Log::begin(Mode::Build, |_| {});
    log.reply("", vec![read("r"), edit("a"), edit("b")]);
    log.push(Event::ToolComplete { call: CallId("r".into()), tool: "read_file".into(), outcome: Outcome::ok("x") });
    log.push(Event::ToolStart {
        call: CallId("a".into()),
        tool: "edit_file".into(),
        args: Default::default(),
        iteration: 1,
    });
    let mut resumed = log.clone();
    for event in resume(&log.conversation) {
        resumed.push(event);
    }
    assert_eq!(resumed.last_event(), "lost");
    // The later mutation of the same reply does not run either.
    assert_eq!(resumed.settle(), ["workflow", "tool_complete", "iteration_start"]);
    assert_eq!(resumed.wanted(), ["model Auto 1"]);
}

#[test]
fn a_started_read_is_simply_wanted_again() {
    let mut log = Log::begin(Mode::Build, |_| {});
    log.reply("", vec![read("a")]);
    log.push(Event::ToolStart {
        call: CallId("a".into()),
        tool: "read_file".into(),
        args: Default::default(),
        iteration: 1,
    });
    assert_eq!(resume(&log.conversation), []);
    assert_eq!(log.wanted(), ["tool read_file"]);
}

#[test]
fn a_question_waits_for_its_answer() {
    let mut log = Log::begin(Mode::Build, |_| {});
    log.reply("", vec![question("q")]);
    assert_eq!((log.last_event().as_str(), log.wanted()), ("question", vec![]));
    let answer = Command::Answer { call: CallId("q".into()), text: "a".into() };
    let events = log.decide(&answer).expect("it is asked");
    assert_eq!(events.iter().map(name).collect::<Vec<_>>(), ["answer", "tool_complete"]);
    events.into_iter().for_each(|it| log.push(it));
    log.settle();
    assert_eq!(log.wanted(), ["model Auto 1"]);
}

#[test]
fn a_call_that_runs_asks_and_goes_on_with_the_answer() {
    let mut log = Log::begin(Mode::Build, |_| {});
    log.reply("", vec![read("a")]);
    let call = CallId("a".into());
    let answer = Command::Answer { call: call.clone(), text: "x".into() };
    let ask = Event::Question { call: call.clone(), text: "Who?".into(), options: Vec::new() };
    log.push(Event::ToolStart { call, tool: "read_file".into(), args: Default::default(), iteration: 1 });
    for _ in 0..2 {
        assert!(log.decide(&answer).is_err(), "nobody asks");
        log.push(ask.clone());
        assert_eq!(log.wanted(), ["tool read_file"], "it goes on meanwhile");
        let events = log.decide(&answer).expect("it is asked");
        assert_eq!(events.iter().map(name).collect::<Vec<_>>(), ["answer"], "that is no result of it");
        events.into_iter().for_each(|it| log.push(it));
    }
    assert_eq!(log.wanted(), ["tool read_file"]);
    log.run_tools(&Outcome::ok("done"));
    assert_eq!(log.wanted(), ["model Auto 1"]);
}

#[test]
fn an_answer_that_nobody_waits_for_is_rejected() {
    let log = Log::begin(Mode::Build, |_| {});
    let answer = Command::Answer { call: CallId("q".into()), text: "a".into() };
    assert!(log.decide(&answer).is_err());
    let decision = Command::Decide { call: CallId("q".into()), decision: Decision::Allow };
    assert!(log.decide(&decision).is_err());
}

#[test]
fn passing_faults_are_retried_with_growing_waits_and_then_named() {
    let mut log = Log::begin(Mode::Build, |_| {});
    let mut waits = Vec::new();
    loop {
        log.fail_model(FailureKind::Overloaded);
        log.settle();
        let Some(Event::Retry { wait_ms, until, .. }) =
            log.frames.iter().rev().map(|it| it.event.clone()).find(|it| matches!(it, Event::Retry { .. }))
        else {
            panic!("no retry")
        };
        if log.stop().is_some() {
            break;
        }
        waits.push(wait_ms);
        assert_eq!(log.wanted(), ["wake"]);
        log.push(Event::Woken { at: Time(until.0) });
    }
    assert_eq!(waits, [375, 750, 1500, 3000, 6000]);
    assert_eq!(log.stop(), Some(Stop::ModelFailed { kind: FailureKind::Overloaded }));
}

#[test]
fn a_wrong_key_is_not_tried_again() {
    let mut log = Log::begin(Mode::Build, |_| {});
    log.fail_model(FailureKind::Auth);
    log.settle();
    assert_eq!(log.stop(), Some(Stop::ModelFailed { kind: FailureKind::Auth }));
}

#[test]
fn a_concluding_call_counts_last_after_changes_that_succeeded() {
    let table = [
        (vec![edit("a"), conclude("z")], edited(), true),
        (vec![edit("a"), conclude("z")], Outcome::failed("no such text"), false),
        (vec![read("a"), conclude("z")], Outcome::ok("x"), false),
        (vec![conclude("z"), edit("a")], edited(), false),
        (vec![edit("a"), conclude("y"), conclude("z")], edited(), false),
    ];
    for (calls, outcome, ends) in table {
        let mut log = Log::begin(Mode::Build, |_| {});
        let tools: Vec<String> = calls.iter().map(|it| it.id.to_string()).collect();
        log.reply("", calls);
        log.run_tools(&outcome);
        let goes_on = log.wanted() == ["model Auto 1".to_string()];
        assert_eq!(!goes_on, ends, "{tools:?}: {:?}", log.wanted());
    }
}

#[test]
fn a_plan_is_recorded_with_its_steps_as_todos_and_carried_into_the_build() {
    let mut log = Log::begin(Mode::Plan, |_| {});
    log.reply("", vec![read("a")]);
    log.run_tools(&Outcome::ok("x"));
    let mut plan = conclude("p");
    plan.tool = "plan_respond".into();
    let step = ox_protocol::PlanStep::new;
    let steps = vec![step("one"), step("two")];
    let said = ox_protocol::Plan { text: "First this.".into(), steps, ..ox_protocol::Plan::default() };
    plan.facts.statement = Some(ox_protocol::Statement::Plan { plan: said });
    log.reply("", vec![plan]);
    assert_eq!(log.stop(), Some(Stop::Answered));
    assert_eq!(log.conversation.todos().len(), 2);
    log.push(Event::Completion { stop: Stop::Answered, exit_code: 0 });
    log.push(crate::fixture::Start::new(Mode::Build).event());
    assert_eq!(log.conversation.todos().iter().map(|it| it.text.as_str()).collect::<Vec<_>>(), ["one", "two"]);
    assert_eq!(log.conversation.plan().map(|it| it.steps.len()), Some(2));
}

#[test]
fn a_stopped_turn_can_be_taken_up_again() {
    let mut log = Log::begin(Mode::Build, |_| {});
    log.reply("", vec![edit("a")]);
    log.run_tools(&edited());
    log.push(Event::Interrupted);
    log.settle();
    log.push(Event::Completion { stop: Stop::Interrupted, exit_code: 130 });
    let mut start = crate::fixture::Start::new(Mode::Build);
    start.continues = true;
    log.push(start.event());
    log.push(Event::Prompted { system: None, tools: None, context: vec![] });
    log.reply("done", vec![]);
    assert_eq!(log.stop(), Some(Stop::DoneUnchecked), "the edits before the stop still count");
}

#[test]
fn a_command_with_a_failing_exit_code_is_a_result() {
    let mut log = Log::begin(Mode::Build, |it| {
        it.rules.rules = vec![ox_protocol::Rule::parse(ox_protocol::RuleAction::Allow, "run_command").expect("a rule")]
    });
    for i in 0..5 {
        log.reply("", vec![command(&format!("c{i}"), &format!("false {i}"))]);
        log.run_tools(&Outcome { exit_code: Some(1), ..Outcome::ok("exit code 1") });
    }
    assert_eq!(log.stop(), None);
}

#[test]
fn words_that_change_nothing_are_the_answer_where_no_change_was_asked_for() {
    for mode in [Mode::Auto, Mode::Chat, Mode::Plan] {
        let mut log = Log::begin(mode, crate::fixture::with_checks);
        log.settle();
        assert_eq!(log.wanted(), ["model Auto 1"], "nothing is forced and no check runs in {mode:?}");
        log.reply("hello", vec![]);
        assert_eq!(log.stop(), Some(Stop::Answered), "{mode:?}");
        assert_eq!(log.conversation.plan(), None);
    }
    let mut log = Log::begin(Mode::Build, |_| {});
    log.reply("hello", vec![]);
    assert_eq!(log.stop(), None, "a change was asked for");
    let mut log = Log::begin(Mode::Auto, |_| {});
    log.reply(" ", vec![]);
    assert_eq!(log.stop(), None, "nothing was said");
}

#[test]
fn a_change_without_a_mode_is_held_to_its_checks() {
    let mut log = Log::begin(Mode::Auto, crate::fixture::with_checks);
    log.reply("", vec![read("a"), edit("b")]);
    assert_eq!(log.wanted(), ["tool read_file", "baseline", "wake"]);
    log.check(crate::fixture::passing());
    log.run_tools(&edited());
    log.reply("It is done.", vec![]);
    assert_eq!(log.wanted(), ["checks 1"]);
    log.check(crate::fixture::failing(&["new"]));
    assert_eq!(log.stop(), None);
}

#[test]
fn a_rejected_call_beside_running_ones_is_reported_once() {
    let mut log = Log::begin(Mode::Build, |_| {});
    let mut unknown = read("c");
    unknown.facts.rejected = Some("there is no such tool".into());
    log.reply("", vec![read("a"), read("b"), unknown]);
    assert_eq!(log.last_event(), "tool_complete");
    assert_eq!(log.wanted(), ["tool read_file", "tool read_file"]);
}

#[test]
fn a_cut_stream_is_asked_again_once_and_a_dead_address_twice() {
    for (kind, requests) in [(FailureKind::Cut, 2), (FailureKind::Connect, 3)] {
        let mut log = Log::begin(Mode::Build, |_| {});
        let mut made = 0;
        while log.stop().is_none() {
            log.fail_model(kind);
            made += 1;
            log.settle();
            let until = log.frames.iter().rev().find_map(|it| match it.event {
                Event::Retry { until, .. } => Some(until),
                _ => None,
            });
            log.push(Event::Woken { at: until.expect("the first failure is retried") });
        }
        assert_eq!((log.stop(), made), (Some(Stop::ModelFailed { kind }), requests));
    }
}

/// Prompts that wait can be put into another order and dropped; one that does not wait is refused.
#[test]
fn prompts_wait_in_the_order_that_the_user_gives() {
    let mut log = Log::begin(Mode::Build, |_| {});
    for id in ["a", "b", "c"] {
        let text = format!("task {id}");
        let command = Command::Prompt { text, images: Vec::new(), mode: None, delivery: Delivery::Queue };
        let submission = Submission { id: CommandId(id.into()), command };
        let events = ox_core::decide(&log.conversation, &submission).expect("a turn runs");
        events.into_iter().for_each(|it| log.push(it));
    }
    let ids = |log: &Log| log.conversation.queue().iter().map(|it| it.id.0.clone()).collect::<Vec<_>>();
    assert_eq!(ids(&log), ["a", "b", "c"]);
    let order = |ids: &[&str]| Command::SetQueue { prompts: ids.iter().map(|it| CommandId((*it).into())).collect() };
    let events = log.decide(&order(&["c", "a"])).expect("they wait");
    events.into_iter().for_each(|it| log.push(it));
    assert_eq!(ids(&log), ["c", "a"]);
    assert_eq!(log.decide(&order(&["b"])), Err(ox_core::Rejected::NotQueued));
    let events = log.decide(&order(&[])).expect("nothing has to wait");
    events.into_iter().for_each(|it| log.push(it));
    assert_eq!(ids(&log), [""; 0]);
}

/// What a turn was told can be taken back until a request carries it, also after the turn has ended.
#[test]
fn what_was_said_is_taken_back_until_it_is_read() {
    let mut log = Log::begin(Mode::Build, |_| {});
    let back = |count| Command::TakeBack { count };
    assert_eq!(log.decide(&back(1)), Err(ox_core::Rejected::NotQueued));
    for text in ["one", "two", "three"] {
        log.push(Event::Steered { text: text.into(), images: Vec::new() });
    }
    assert_eq!(log.decide(&back(4)), Err(ox_core::Rejected::NotQueued));
    assert_eq!(log.decide(&back(0)), Err(ox_core::Rejected::NotQueued));
    let events = log.decide(&back(2)).expect("the model has not read it");
    events.into_iter().for_each(|it| log.push(it));
    assert_eq!(log.conversation.unread(), 1);
    log.push(Event::Interrupted);
    log.settle();
    assert_eq!(log.decide(&back(1)), Ok(vec![Event::TakenBack { count: 1 }]));
}
