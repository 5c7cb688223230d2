//! What has to survive a pruning word for word, read from the log.

use std::collections::BTreeMap;
use std::sync::Arc;

use ox_context::remembered;
use ox_protocol::{Call, CallId, CallKind, Event, Frame, Message, Outcome, Part, TodoState};

/// A longer error is told by its beginning, so it is not looked for whole.
const LONGEST_ERROR: usize = 4_000;

/// Each pin: what it is, and its words.
pub(crate) fn of(log: &[Frame]) -> Vec<(String, String)> {
    let mut pins: Vec<(String, String)> = Vec::new();
    let (mut rules, mut plan, mut todos) = (None, None, Vec::new());
    for frame in remembered(log) {
        let mut user = |text: &str| pins.push((format!("the user: {:.40}", text), text.trim().to_owned()));
        match &frame.event {
            Event::TurnStart { prompt, .. } => user(prompt),
            Event::Steered { text, .. } | Event::Answer { text, .. } => user(text),
            Event::Prompted { context, .. } => {
                rules = context.iter().find(|it| it.name.starts_with("rules")).map(|it| it.text.clone()).or(rules);
            }
            Event::Plan { plan: new } => plan = Some(new.text.clone()),
            Event::Todo { items } => todos.clone_from(items),
            _ => {}
        }
    }
    pins.extend(rules.map(|it| ("rules".to_owned(), it)));
    pins.extend(plan.map(|it| ("plan".to_owned(), it)));
    // Todos reach the model in the words of its own call, or in the digest.
    let open = todos.into_iter().filter(|it| it.state != TodoState::Completed);
    pins.extend(open.map(|it| (format!("todo {}", it.id), it.text)));
    pins.extend(of_calls(log));
    pins.retain(|(_, words)| !words.trim().is_empty());
    pins
}

/// Errors that nothing made good, and the last reading of each file that the turn edits.
fn of_calls(log: &[Frame]) -> Vec<(String, String)> {
    let mut calls: BTreeMap<CallId, Call> = BTreeMap::new();
    let mut errors: BTreeMap<(bool, String), String> = BTreeMap::new();
    let (mut reads, mut edited) = (BTreeMap::new(), Vec::new());
    for frame in remembered(log) {
        match &frame.event {
            Event::TurnStart { continues: false, .. } => edited.clear(),
            Event::StreamComplete { calls: new, .. } => calls.extend(new.iter().map(|it| (it.id.clone(), it.clone()))),
            Event::ToolComplete { call, outcome, .. } => {
                let Some(call) = calls.get(call) else { continue };
                note_error(&mut errors, call, outcome);
                edited.extend(outcome.changed.iter().map(|it| it.path.clone()));
                if let [path] = call.facts.paths.as_slice()
                    && call.facts.kind == CallKind::Read
                    && !outcome.is_failure()
                {
                    reads.insert(path.path.clone(), outcome.output.trim_end().to_owned());
                }
            }
            _ => {}
        }
    }
    let errors = errors.into_iter().map(|((_, about), text)| (format!("error of {about}"), text));
    let files = reads.into_iter().filter(|(path, _)| edited.contains(path));
    errors.chain(files.map(|(path, text)| (format!("text of {path}"), text))).collect()
}

fn note_error(errors: &mut BTreeMap<(bool, String), String>, call: &Call, outcome: &Outcome) {
    let paths: Vec<&str> = call.facts.paths.iter().map(|it| it.path.as_str()).collect();
    let mut about = format!("{}{}", paths.join(","), call.facts.command.as_deref().unwrap_or_default());
    if about.is_empty() {
        about.clone_from(&call.tool);
    }
    let key = (call.facts.kind == CallKind::Mutate, about);
    errors.remove(&key);
    let failed = outcome.is_failure() || outcome.exit_code.is_some_and(|it| it != 0);
    if failed && outcome.output.len() <= LONGEST_ERROR {
        errors.insert(key, outcome.output.trim_end().to_owned());
    }
}

/// Everything that the model reads, as one text.
pub(crate) fn text(messages: &[Arc<Message>]) -> String {
    let mut text = String::new();
    for part in messages.iter().flat_map(|it| &it.parts) {
        match part {
            Part::Text { text: words } | Part::Result { text: words, .. } => text += words,
            Part::Call { args, .. } => text += &args.to_string(),
            _ => {}
        }
        text.push('\n');
    }
    text
}
