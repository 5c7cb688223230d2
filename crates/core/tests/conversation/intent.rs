//! What a prompt asks for, decided beside the work, and overruled.

use ox_core::Want;
use ox_protocol::IntentClass::{CodeChange, Conversation, PlanOnly, ReadOnly};
use ox_protocol::IntentScope::{Broad, Narrow, Style};
use ox_protocol::{Event, IntentClass, IntentScope, Mode, Outcome, Status, Stop, Todo, TodoState, ToolChoice};

use crate::fixture::{Log, command, conclude, edit, edited, intent, read, routed};

/// A turn of mode `auto` with a router that has not answered.
fn asked() -> Log {
    let mut log = Log::begin(Mode::Auto, |it| it.router = Some("small/model".into()));
    log.settle();
    log
}

/// The same with its answer.
fn decided(class: IntentClass, scope: IntentScope) -> Log {
    let mut log = asked();
    answer(&mut log, class, scope);
    log
}

fn answer(log: &mut Log, class: IntentClass, scope: IntentScope) {
    let id = log.conversation.routing().expect("the router is asked");
    log.push(routed(id, Some(intent(class, scope))));
    log.settle();
}

/// How the calls of the log ended, oldest first.
fn ends(log: &Log) -> Vec<Status> {
    let end = |it: &ox_protocol::Frame| match &it.event {
        Event::ToolComplete { outcome, .. } => Some(outcome.status),
        _ => None,
    };
    log.frames.iter().filter_map(end).collect()
}

#[test]
fn the_router_is_asked_beside_the_model_and_once() {
    let mut log = asked();
    assert_eq!(log.wanted(), ["model Auto 1", "route"]);
    log.reply("", vec![read("a")]);
    assert_eq!(log.wanted(), ["tool read_file", "route"], "nothing waits for it");
    let id = log.conversation.routing().expect("still asked");
    log.push(routed(id, None));
    assert_eq!(log.wanted(), ["tool read_file"], "who could not be asked is not asked again");
    assert_eq!(log.conversation.mode(), Mode::Auto, "the turn's own course decides");
}

#[test]
fn each_class_brings_the_rules_of_its_mode() {
    for (class, mode) in
        [(Conversation, Mode::Chat), (ReadOnly, Mode::Chat), (PlanOnly, Mode::Plan), (CodeChange, Mode::Build)]
    {
        let mut log = decided(class, Narrow);
        assert_eq!((log.conversation.mode(), log.conversation.own_mode()), (mode, Mode::Auto));
        log.reply("", vec![edit("a")]);
        let denied = ends(&log).contains(&Status::Denied);
        assert_eq!(denied, !mode.may_change(), "{class:?}");
    }
    let mut log = decided(CodeChange, Narrow);
    log.reply("Nothing to do.", vec![]);
    assert_eq!(log.stop(), None, "a change was asked for");
    let mut log = decided(ReadOnly, Narrow);
    log.reply("It is seven.", vec![]);
    assert_eq!(log.stop(), Some(Stop::Answered));
}

#[test]
fn a_change_in_time_has_to_call_and_a_late_question_undoes_nothing() {
    let mut log = Log::start(Mode::Auto, |it| it.router = Some("small/model".into()));
    let id = log.conversation.routing().expect("asked from the beginning");
    log.push(routed(id, Some(intent(CodeChange, Narrow))));
    log.push(Event::Prompted { system: None, tools: None, context: Vec::new() });
    log.settle();
    let required = |it: &Want| matches!(it, Want::Model { choice: ToolChoice::Required, .. });
    assert!(log.conversation.wants().iter().any(required));

    let mut log = asked();
    log.reply("", vec![edit("a")]);
    log.run_tools(&edited());
    answer(&mut log, ReadOnly, Narrow);
    assert_eq!(log.conversation.mode(), Mode::Auto, "something has been changed already");
}

#[test]
fn the_users_word_overrules_the_decision_at_once() {
    let mut log = decided(ReadOnly, Narrow);
    log.push(Event::ModeSet { mode: Mode::Build });
    assert_eq!(log.conversation.mode(), Mode::Build);
    log.reply("", vec![edit("a")]);
    assert_eq!(ends(&log), []);
    let mut log = asked();
    log.push(Event::ModeSet { mode: Mode::Auto });
    answer(&mut log, PlanOnly, Narrow);
    assert_eq!(log.conversation.mode(), Mode::Auto, "said before the decision, it counts too");
}

#[test]
fn a_style_change_runs_no_command_and_a_broad_one_plans_first() {
    let mut log = decided(CodeChange, Style);
    log.reply("", vec![command("c", "make"), edit("a")]);
    assert_eq!(ends(&log), [Status::Denied, Status::Skipped]);
    log.settle();
    log.reply("", vec![edit("b")]);
    assert!(log.wanted().contains(&"tool edit_file".to_string()), "{:?}", log.wanted());

    let mut log = decided(CodeChange, Broad);
    log.reply("", vec![edit("a")]);
    assert_eq!(ends(&log), [Status::Skipped]);
    log.settle();
    let todo =
        Todo { id: 1, text: "x".into(), state: TodoState::Pending, priority: String::new(), notes: String::new() };
    log.push(Event::Todo { items: vec![todo] });
    log.reply("", vec![edit("b")]);
    assert!(log.wanted().contains(&"tool edit_file".to_string()), "with its steps written down it goes on");

    let mut log = decided(CodeChange, Broad);
    log.reply("", vec![edit("a")]);
    log.settle();
    log.reply("", vec![edit("b")]);
    assert!(log.wanted().contains(&"tool edit_file".to_string()), "it is told once");
    log.run_tools(&Outcome::ok("done"));
    log.reply("", vec![conclude("d")]);
    assert_eq!(ends(&log).len(), 2);
}

#[test]
fn a_short_answer_to_a_question_inherits() {
    let log = decided(CodeChange, Broad);
    for (prompt, asked, inherits) in
        [("2", true, true), ("ja, bitte", true, true), ("2", false, false), (&"x".repeat(25), true, false)]
    {
        let found = ox_core::intent::inherited(&log.conversation, prompt, asked);
        assert_eq!(found.map(|it| it.scope), inherits.then_some(Broad), "{prompt}");
    }
    for class in [PlanOnly, ReadOnly] {
        let log = decided(class, Narrow);
        assert_eq!(ox_core::intent::inherited(&log.conversation, "yes", true), None, "a yes may ask for more");
    }
}
