//! Any order of events that can happen gives messages that every provider accepts, and only ever appends.

use std::collections::HashSet;

use ox_protocol::{
    Call, CallId, Event, FailureKind, Frame, Gate, Message, ModelFacts, Part, Reasoning, Role, Section, Status, Stop,
    Tokens,
};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::Index;
use serde_json::json;

use crate::log::*;

/// What may happen next; what a number means depends on how far the log has come.
#[derive(Clone, Debug)]
enum Step {
    Turn {
        continues: bool,
        words: bool,
        images: u8,
    },
    Prompted(bool),
    Iterate,
    Reply {
        text: bool,
        calls: Vec<u8>,
    },
    Settle(Index, u8),
    Judge(Index, u8),
    Round {
        number: u32,
        fails: bool,
        baseline: bool,
    },
    Queue {
        words: bool,
    },
    Interrupt,
    Stop(u8),
    /// What was said before is told otherwise from here on.
    Retell(u8),
}

fn step() -> impl Strategy<Value = Step> {
    let index = any::<Index>;
    prop_oneof![
        1 => (any::<bool>(), any::<bool>(), 0..2u8).prop_map(|(continues, words, images)| Step::Turn { continues, words, images }),
        1 => any::<bool>().prop_map(Step::Prompted),
        4 => Just(Step::Iterate),
        4 => (any::<bool>(), vec(0..6u8, 0..4)).prop_map(|(text, calls)| Step::Reply { text, calls }),
        6 => (index(), 0..8u8).prop_map(|(call, how)| Step::Settle(call, how)),
        2 => (index(), 0..4u8).prop_map(|(call, gate)| Step::Judge(call, gate)),
        2 => (0..3u32, any::<bool>(), any::<bool>()).prop_map(|(number, fails, baseline)| Step::Round { number, fails, baseline }),
        1 => any::<bool>().prop_map(|words| Step::Queue { words }),
        1 => Just(Step::Interrupt),
        1 => (0..4u8).prop_map(Step::Stop),
    ]
}

fn retelling_step() -> impl Strategy<Value = Step> {
    prop_oneof![8 => step(), 1 => (0..4u8).prop_map(Step::Retell)]
}

/// Turns steps into a log that keeps the order of the protocol: a reply follows an iteration's start, and the next
/// iteration, the end of the turn or the next turn follows a reply.
#[derive(Default)]
struct Log {
    events: Vec<Event>,
    calls: Vec<CallId>,
    asked: bool,
    count: usize,
}

impl Log {
    fn take(&mut self, step: Step) {
        match step {
            Step::Turn { continues, words, images } => {
                let images = (0..images).map(|_| image("i")).collect();
                self.events.push(start(if words { "Do it." } else { "" }, continues, images));
                self.asked = false;
            }
            Step::Prompted(filled) => {
                let section = Section { name: "rules:a".into(), text: "r".into(), tokens: Tokens(1) };
                let context = if filled { vec![section] } else { Vec::new() };
                self.events.push(Event::Prompted { system: None, tools: None, context });
            }
            Step::Iterate => {
                self.events.push(iterate());
                self.asked = true;
            }
            Step::Reply { text, calls } if self.asked => {
                let calls: Vec<Call> = calls.into_iter().map(|kind| self.call(kind)).collect();
                self.calls.extend(calls.iter().map(|it| it.id.clone()));
                let mut reply = says(if text { "Text." } else { "" }, calls);
                if let Event::StreamComplete { reasoning, .. } = &mut reply {
                    reasoning.push(Reasoning { text: "Hm.".into(), opaque: None });
                }
                self.events.push(reply);
                self.asked = false;
            }
            Step::Settle(which, how) => self.settle(which, how),
            Step::Judge(which, gate) => {
                let gate = [Gate::OpenTodos, Gate::NotAlone, Gate::Unfinished, Gate::ChecksFail][usize::from(gate)];
                let call = (!self.calls.is_empty()).then(|| which.get(&self.calls).0.clone());
                self.events.push(refused(gate, call.as_deref()));
            }
            Step::Round { number, fails, baseline: first } => {
                let result = if fails { failed("t", [finding("a:1:1", "c", "m")]) } else { passed("t") };
                self.events.push(if first { baseline(report([result])) } else { round(number, report([result])) });
            }
            Step::Queue { words } => {
                let text = if words { "More." } else { "" };
                self.events.push(Event::Steered { text: text.into(), images: Vec::new() });
            }
            Step::Interrupt => self.events.push(Event::Interrupted),
            Step::Stop(which) => {
                let stop = [Stop::Done, Stop::Interrupted, Stop::TimeBudget, Stop::ChecksFailing][usize::from(which)];
                self.events.extend(stopped(stop));
                self.asked = false;
            }
            Step::Retell(0) => self.events.push(Event::Rewound { turn: 1 }),
            Step::Retell(1) => {
                let to = ModelFacts { name: format!("m{}", self.count), ..ModelFacts::default() };
                self.events.push(Event::Fallback { from: String::new(), to, kind: FailureKind::Server });
            }
            Step::Retell(target) => self.events.push(pruned(&frames(self.events.clone()), u64::from(target) * 30)),
            Step::Reply { .. } => {}
        }
    }

    fn call(&mut self, kind: u8) -> Call {
        self.count += 1;
        let tools = ["read_file", "edit_file", "attempt_completion", "run_checks", "ask_user", "odd name?"];
        let id = format!("c{}", self.count);
        let made = call(&id, tools[usize::from(kind)], json!({}));
        if kind == 5 { written(made, "", json!("{")) } else { made }
    }

    fn settle(&mut self, which: Index, how: u8) {
        if self.calls.is_empty() {
            return;
        }
        let call = which.get(&self.calls).clone();
        let statuses = [Status::Failed, Status::Denied, Status::Skipped, Status::Lost, Status::Interrupted];
        self.events.push(match how {
            0 => done(&call.0, ""),
            1 => Event::Lost { call },
            2 => Event::Answer { call, text: "Yes.".into() },
            other => fails(&call.0, statuses[usize::from(other) - 3], ""),
        });
    }
}

fn pruned(log: &[Frame], target: u64) -> Event {
    let it = ox_context::prune(log, Tokens(target), 1 + target as usize % 3);
    assert!(it.after <= it.before);
    Event::Pruned { want: Default::default(), pruning: it.pruning, before: it.before, after: it.after }
}

/// Every call has exactly one result, in the next message and in order; no message is empty; nobody answers twice.
fn acceptable(messages: &[Message]) -> Result<(), TestCaseError> {
    let mut ids = HashSet::new();
    let calls = |message: &Message| -> Vec<(CallId, String)> {
        let call = |part: &Part| match part {
            Part::Call { id, name, .. } => Some((id.clone(), name.clone())),
            _ => None,
        };
        message.parts.iter().filter_map(call).collect()
    };
    for (index, message) in messages.iter().enumerate() {
        prop_assert!(!message.parts.is_empty());
        let before = index.checked_sub(1).map(|it| &messages[it]);
        let wanted = before.map(calls).unwrap_or_default();
        let mut results = Vec::new();
        for part in &message.parts {
            match part {
                Part::Text { text } => prop_assert!(!text.trim().is_empty()),
                Part::Image { .. } => prop_assert_eq!(message.role, Role::User),
                Part::Reasoning { .. } => prop_assert_eq!(message.role, Role::Assistant),
                Part::Call { id, name, args } => {
                    prop_assert_eq!(message.role, Role::Assistant);
                    prop_assert!(ids.insert(id.clone()) && args.is_object());
                    let fits = |it: char| it.is_ascii_alphanumeric() || it == '_' || it == '-';
                    prop_assert!((1..=64).contains(&name.len()) && name.chars().all(fits));
                }
                Part::Result { id, name, text, .. } => {
                    prop_assert!(!text.is_empty());
                    results.push((id.clone(), name.clone()));
                }
            }
        }
        prop_assert_eq!(message.role == Role::Tool, !results.is_empty());
        prop_assert_eq!(results, wanted);
        let follows_assistant = before.is_some_and(|it| it.role == Role::Assistant);
        prop_assert!(!(message.role == Role::Assistant && follows_assistant), "two replies in a row");
    }
    prop_assert!(messages.last().is_none_or(|it| calls(it).is_empty()));
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_log_gives_messages_that_providers_accept_and_only_appends(steps in vec(step(), 0..60)) {
        let mut log = Log::default();
        log.take(Step::Turn { continues: false, words: true, images: 0 });
        log.take(Step::Prompted(true));
        for step in steps {
            log.take(step);
        }
        let log = frames(log.events);
        let whole = transcript(&log);
        acceptable(&whole)?;
        for (index, frame) in log.iter().enumerate() {
            let part = transcript(&log[..=index]);
            acceptable(&part)?;
            if matches!(frame.event, Event::IterationStart { .. }) {
                prop_assert!(whole.starts_with(&part), "cut after frame {}", index + 1);
                prop_assert!(part.last().is_some_and(|it| it.role != Role::Assistant));
            }
        }
        for target in [1, 60, 200] {
            let pruned = frames(log.iter().map(|it| it.event.clone()).chain([pruned(&log, target)]));
            acceptable(&transcript(&pruned))?;
        }
    }

    /// [`transcript`] compares with what is read whole, and so with what a resumed conversation sends.
    #[test]
    fn a_log_that_tells_otherwise_what_was_said_is_followed_all_the_same(steps in vec(retelling_step(), 0..40)) {
        let mut log = Log::default();
        log.take(Step::Turn { continues: false, words: true, images: 0 });
        log.take(Step::Prompted(true));
        for step in steps {
            log.take(step);
            acceptable(&transcript(&frames(log.events.clone())))?;
        }
    }
}
