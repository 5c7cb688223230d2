//! The plan of a conversation: what a todo list makes of it, what ticks it, and what the user says about it.

use ox_core::Rejected;
use ox_protocol::{
    ChangeKind, Command, Event, FileChange, Mode, Outcome, Plan, PlanQuestion, PlanStep, Stop, Todo, TodoState,
};

use crate::fixture::{Log, Start, conclude, edit, passing, with_checks};

fn todos(items: &[(&str, TodoState)]) -> Event {
    let item = |(at, (text, state)): (usize, &(&str, TodoState))| Todo {
        id: at as u32 + 1,
        text: (*text).to_owned(),
        state: *state,
        priority: String::new(),
        notes: String::new(),
    };
    Event::Todo { items: items.iter().enumerate().map(item).collect() }
}

fn plan(steps: &[&str]) -> Plan {
    let step = |(at, text): (usize, &&str)| PlanStep { id: at as u32 + 1, ..PlanStep::new(*text) };
    let questions = vec![PlanQuestion { text: "Which?".into(), answer: String::new() }];
    let steps = steps.iter().enumerate().map(step).collect();
    Plan { id: "c-1".into(), text: "So.".into(), steps, questions, ..Plan::default() }
}

/// The steps as they stand, a word each.
fn marks(log: &Log) -> String {
    let steps = log.conversation.plan().into_iter().flat_map(|it| &it.steps);
    let mark = |it: &PlanStep| format!("{} {:?}{}", it.text, it.state, if it.is_changed() { "+" } else { "" });
    steps.map(mark).collect::<Vec<_>>().join(", ")
}

#[test]
fn a_short_list_is_the_plan_and_its_steps_follow_the_list() {
    use TodoState::{Completed, Pending};
    let mut log = Log::begin(Mode::Build, |_| {});
    log.settle();
    log.push(todos(&[("a", Pending), ("b", Pending)]));
    log.settle();
    assert_eq!(marks(&log), "a Open, b Open");
    log.push(todos(&[("a", Completed), ("b", Pending)]));
    log.settle();
    assert_eq!(marks(&log), "a Said, b Open");
    log.push(todos(&[("a", Completed), ("b", Pending), ("c", Pending)]));
    log.settle();
    assert_eq!(marks(&log), "a Said, b Open, c Open");
    let long: Vec<(&str, TodoState)> = ["1", "2", "3", "4", "5", "6"].map(|it| (it, Pending)).into();
    log.push(todos(&long));
    log.settle();
    assert_eq!(marks(&log), "a Said, b Open, c Open", "a long list is no plan");
    let mut chat = Log::begin(Mode::Chat, |_| {});
    chat.settle();
    chat.push(todos(&[("a", Pending)]));
    chat.settle();
    assert_eq!(marks(&chat), "", "only a build has a plan of its own making");
}

#[test]
fn a_given_plan_stands_until_it_is_done() {
    let mut log = Log::default();
    log.push(Event::Plan { plan: plan(&["a", "z"]) });
    log.push(Start::new(Mode::Build).event());
    log.push(Event::Prompted { system: None, tools: None, context: vec![] });
    log.settle();
    let listed: Vec<&str> = log.conversation.todos().iter().map(|it| it.text.as_str()).collect();
    assert_eq!(listed, ["a", "z"], "the steps are what is to be done");
    log.push(todos(&[("a", TodoState::Completed), ("b", TodoState::Pending)]));
    log.settle();
    assert_eq!(marks(&log), "a Said, z Open");
}

#[test]
fn files_and_passing_checks_tick_a_step_and_the_list_follows() {
    let mut log = Log { audits: Some(Vec::new()), ..Log::default() };
    log.push(Event::Plan { plan: plan(&["Change `a.rs`", "Tell them"]) });
    let mut start = Start::new(Mode::Build);
    with_checks(&mut start);
    log.push(start.event());
    log.push(Event::Prompted { system: None, tools: None, context: vec![] });
    log.reply("", vec![edit("a")]);
    log.check(passing());
    let changed = FileChange {
        path: "a.rs".into(),
        kind: ChangeKind::Modified,
        from: None,
        why: None,
        diff: String::new(),
        added: 1,
        removed: 1,
    };
    log.run_tools(&Outcome { changed: vec![changed], ..Outcome::ok("edited") });
    log.settle();
    assert_eq!(marks(&log), "Change `a.rs` Open+, Tell them Open");
    assert_eq!(log.conversation.todos()[0].state, TodoState::Pending);
    log.reply("", vec![conclude("z")]);
    assert_eq!(log.stop(), None, "the step that nobody says is done");
    log.push(todos(&[("Change `a.rs`", TodoState::Pending), ("Tell them", TodoState::Completed)]));
    log.reply("", vec![conclude("y")]);
    log.check(passing());
    assert_eq!(marks(&log), "Change `a.rs` Done+, Tell them Said");
    assert_eq!(log.conversation.todos()[0].state, TodoState::Completed);
}

#[test]
fn what_the_user_says_changes_the_plan_and_reaches_a_running_turn() {
    let comment = |step| Command::CommentPlan { step, text: " Mind it. ".into() };
    let answer = |question| Command::AnswerPlan { question, text: "That.".into() };
    let mut log = Log::default();
    assert_eq!(log.decide(&comment(1)), Err(Rejected::NotPlanned), "there is no plan");
    log.push(Event::Plan { plan: plan(&["a"]) });
    for bad in [comment(2), answer(0), answer(2)] {
        assert_eq!(log.decide(&bad), Err(Rejected::NotPlanned), "{bad:?}");
    }
    for command in [comment(1), answer(1)] {
        let events = log.decide(&command).unwrap();
        assert_eq!(events.len(), 1, "between two turns no model reads it");
        events.into_iter().for_each(|it| log.push(it));
    }
    let now = log.conversation.plan().unwrap().clone();
    assert_eq!((now.steps[0].comments.concat(), now.questions[0].answer.clone()), ("Mind it.".into(), "That.".into()));
    log.push(Start::new(Mode::Build).event());
    log.push(Event::Prompted { system: None, tools: None, context: vec![] });
    log.settle();
    let events = log.decide(&comment(1)).unwrap();
    let Some(Event::Steered { text, .. }) = events.last() else { panic!("{events:?}") };
    assert_eq!(text, "On step 1 of the plan (\"a\"): Mind it.");
    assert_eq!(log.decide(&Command::SetPlan { plan: plan(&[]) }), Err(Rejected::Busy));
    log.push(Event::Interrupted);
    log.settle();
    log.push(Event::Completion { stop: Stop::Interrupted, exit_code: 130 });
    let dropped = log.decide(&Command::SetPlan { plan: Plan::default() }).unwrap();
    dropped.into_iter().for_each(|it| log.push(it));
    assert!(log.conversation.plan().unwrap().is_empty());
    assert_eq!(log.conversation.plan_at_hand(), None);
}
