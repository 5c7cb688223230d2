//! Secrets, and the keys that Ox itself uses, are taken out of what was found outside before it is recorded, so that neither the log nor an export nor a
//! model ever holds them. What the user says and what a model asks for stay as they are.

use ox_core::secrets::redact;
use ox_protocol::{CheckReport, CheckResult, Event, Hooked, Outcome, Section};

/// The event without the secrets that tools, checks or files brought into it.
pub(crate) fn redacted(event: Event) -> Event {
    match event {
        Event::ToolComplete { call, tool, outcome } => Event::ToolComplete { call, tool, outcome: of_outcome(outcome) },
        Event::CheckResult { want, baseline, round, total, report } => {
            Event::CheckResult { want, baseline, round, total, report: of_report(report) }
        }
        Event::Prompted { system, tools, context } => {
            Event::Prompted { system, tools, context: context.into_iter().map(section).collect() }
        }
        Event::Audited { .. } | Event::Hooked(_) | Event::ApprovalRequest { .. } | Event::UserCommand(..) => {
            in_place(event)
        }
        // What the user says, what a model asks for and what Ox itself says stay as they are. Named one by one: a new event
        // does not compile until it is said here whether it carries anything else.
        Event::ConversationId { .. }
        | Event::Named { .. }
        | Event::StageEnter { .. }
        | Event::StageExit { .. }
        | Event::TurnStart { .. }
        | Event::PrefixDropped { .. }
        | Event::Repair(_)
        | Event::Intent { .. }
        | Event::IterationStart { .. }
        | Event::ModelFailed { .. }
        | Event::Retry { .. }
        | Event::Downgrade { .. }
        | Event::Fallback { .. }
        | Event::AgentStart(..)
        | Event::AgentEnd(..)
        | Event::Pruned { .. }
        | Event::Woken { .. }
        | Event::StreamComplete { .. }
        | Event::TokenUsage { .. }
        | Event::Approval { .. }
        | Event::Amended { .. }
        | Event::ToolStart { .. }
        | Event::Lost { .. }
        | Event::Todo { .. }
        | Event::Plan { .. }
        | Event::Workflow { .. }
        | Event::Question { .. }
        | Event::Answer { .. }
        | Event::ChecksStart { .. }
        | Event::Refusal { .. }
        | Event::Steered { .. }
        | Event::TakenBack { .. }
        | Event::PromptQueued { .. }
        | Event::QueueSet { .. }
        | Event::Interrupted
        | Event::ModeSet { .. }
        | Event::ApprovalSet { .. }
        | Event::ModelSet { .. }
        | Event::EffortSet { .. }
        | Event::FilesSet(..)
        | Event::EarlierTurns { .. }
        | Event::Stopped { .. }
        | Event::Summary { .. }
        | Event::Completion { .. }
        | Event::Checkpoint { .. }
        | Event::Restored(..)
        | Event::Rewound { .. }
        | Event::Background(..)
        | Event::Error { .. }
        | Event::Unknown(_) => event,
    }
}

fn in_place(mut event: Event) -> Event {
    match &mut event {
        Event::Audited { findings, .. } => {
            findings.iter_mut().flat_map(|it| [&mut it.before, &mut it.now, &mut it.about]).for_each(clear);
        }
        Event::Hooked(Hooked { runs, .. }) => runs.iter_mut().for_each(|it| clear(&mut it.message)),
        Event::ApprovalRequest { changes, .. } => changes.iter_mut().for_each(|it| clear(&mut it.diff)),
        Event::UserCommand(it) => clear(&mut it.output),
        _ => {}
    }
    event
}

/// A section without secrets, as it is recorded and sent.
pub(crate) fn section(it: Section) -> Section {
    Section { text: text(it.text), ..it }
}

fn of_outcome(mut outcome: Outcome) -> Outcome {
    outcome.output = text(outcome.output);
    for change in &mut outcome.changed {
        change.diff = text(std::mem::take(&mut change.diff));
    }
    outcome
}

fn of_report(mut report: CheckReport) -> CheckReport {
    report.results.iter_mut().for_each(clean);
    report
}

fn clear(it: &mut String) {
    *it = text(std::mem::take(it));
}

fn clean(result: &mut CheckResult) {
    result.tail = text(std::mem::take(&mut result.tail));
    for diagnostic in &mut result.diagnostics {
        diagnostic.message = text(std::mem::take(&mut diagnostic.message));
    }
    result.earlier.iter_mut().for_each(clean);
    if let Some(runs) = &mut result.red_green {
        clean(&mut runs.before);
        clean(&mut runs.after);
    }
}

/// A text without the secrets in it, and without the keys that this process uses.
pub fn text(text: String) -> String {
    let text = ox_model::keys::hide(&text);
    let redacted = redact(&text);
    if redacted.found.is_empty() { text } else { redacted.text }
}
