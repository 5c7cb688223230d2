//! What makes the next request begin otherwise than the last one is on record, with its cause, and nothing else is.

use ox_protocol::{Event, Mode, ModelFacts, PrefixCause, ToolSpec};

use crate::fixture::{Log, Start};

/// A conversation whose first turn was answered.
fn answered() -> Log {
    let mut log = Log::begin(Mode::Chat, |_| {});
    log.reply("an answer", vec![]);
    log
}

fn next_turn(log: &mut Log, model: &str, prompted: Event) {
    let model = ModelFacts { name: model.to_string(), ..ModelFacts::default() };
    log.push(Start { model, ..Start::new(Mode::Chat) }.event());
    log.push(prompted);
    log.settle();
}

fn prompted(system: Option<&str>, tools: Option<Vec<ToolSpec>>) -> Event {
    Event::Prompted { system: system.map(str::to_string), tools, context: Vec::new() }
}

fn causes(log: &Log) -> Vec<PrefixCause> {
    let cause = |it: &ox_protocol::Frame| match it.event {
        Event::PrefixDropped { cause, .. } => Some(cause),
        _ => None,
    };
    log.frames.iter().filter_map(cause).collect()
}

#[test]
fn the_first_request_has_nothing_to_lose_and_a_further_turn_loses_nothing() {
    let mut log = answered();
    next_turn(&mut log, "test/model", prompted(None, None));
    log.reply("another", vec![]);
    assert_eq!(causes(&log), []);
}

#[test]
fn each_cause_is_recorded_once_before_the_request() {
    let mut log = answered();
    next_turn(&mut log, "test/model", prompted(None, Some(Vec::new())));
    assert_eq!(causes(&log), [PrefixCause::Tools]);
    log.reply("another", vec![]);
    next_turn(&mut log, "test/model", prompted(Some("new"), Some(Vec::new())));
    assert_eq!(causes(&log), [PrefixCause::Tools, PrefixCause::System]);
    log.reply("another", vec![]);
    log.push(Event::Rewound { turn: 2 });
    next_turn(&mut log, "test/model", prompted(None, None));
    assert_eq!(causes(&log)[2..], [PrefixCause::Rewound]);
}

#[test]
fn another_model_loses_it_and_going_back_before_it_is_asked_does_not() {
    let mut log = answered();
    next_turn(&mut log, "other/model", prompted(None, None));
    assert_eq!(causes(&log), [PrefixCause::Model]);
    let mut log = answered();
    let model = ModelFacts { name: "other/model".to_string(), ..ModelFacts::default() };
    log.push(Start { model, ..Start::new(Mode::Chat) }.event());
    log.push(Event::Interrupted);
    log.push(Event::Completion { stop: ox_protocol::Stop::Interrupted, exit_code: 130 });
    next_turn(&mut log, "test/model", prompted(None, None));
    assert_eq!(causes(&log), [], "nobody asked the other one");
}
