//! Secrets, and the keys that Ox itself uses, are taken out of what was found in the world before it is recorded, so that neither the log nor an export nor a
//! model ever holds them. What the user says and what a model asks for stay as they are.

use ox_core::secrets::redact;
use ox_protocol::{CheckReport, Event, Outcome, Section};

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
        Event::Hooked { want, at, call, mut runs } => {
            runs.iter_mut().for_each(|it| it.message = text(std::mem::take(&mut it.message)));
            Event::Hooked { want, at, call, runs }
        }
        other => other,
    }
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
    for result in &mut report.results {
        result.tail = text(std::mem::take(&mut result.tail));
        for diagnostic in &mut result.diagnostics {
            diagnostic.message = text(std::mem::take(&mut diagnostic.message));
        }
    }
    report
}

fn text(text: String) -> String {
    let text = ox_model::keys::hide(&text);
    let redacted = redact(&text);
    if redacted.found.is_empty() { text } else { redacted.text }
}
