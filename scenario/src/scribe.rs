//! Writes down what happened, section by section, in the order of the story.
//!
//! Results of one reply stand in the order of its calls, whichever came first. Nothing is decided here, and the
//! temporary folder's path is never written: the project stands at `/repo`.

use std::collections::BTreeMap;

use ox_protocol::{Call, CallId, CallKind, ConversationId, Event, Frame, Gate, Outcome, Severity, Status, Stop};

use crate::text::Section;

/// What has been written so far.
#[derive(Debug, Default)]
pub struct Scribe {
    /// The sections, in order.
    pub written: Vec<Section>,
    /// Texts that differ from run to run, and what is written in their place.
    hidden: Vec<(String, String)>,
    /// Calls of each conversation's last reply whose result has not been written, with the result where it is known.
    calls: BTreeMap<ConversationId, Vec<Pending>>,
    /// What the last audit found, in the words that put it to the model.
    found: Vec<String>,
    /// What the last reviewer found, in those words.
    reviewed: Vec<String>,
}

/// A call whose result has not been written.
#[derive(Debug)]
struct Pending {
    id: CallId,
    tool: String,
    kind: CallKind,
    is_command: bool,
    result: Option<Section>,
}

impl Scribe {
    /// A scribe of a project at `root`, which is written as `/repo`.
    pub(crate) fn new(root: &str) -> Scribe {
        Scribe { hidden: vec![(root.to_string(), "/repo".to_string())], ..Scribe::default() }
    }

    /// Writes `shown` in place of a text that differs from machine to machine.
    pub(crate) fn hide(&mut self, text: &str, shown: &str) {
        self.hidden.push((text.to_string(), shown.to_string()));
    }

    /// Writes a section as it stands.
    pub(crate) fn write(&mut self, section: Section) {
        self.written.push(section);
    }

    /// Writes a section of text that Ox produced.
    pub(crate) fn tell(&mut self, name: &str, body: &str) {
        self.written.push(Section::text(name, &self.plain(body)));
    }

    /// Writes what a recorded event tells.
    pub(crate) fn frame(&mut self, frame: &Frame) {
        match &frame.event {
            Event::StreamComplete { calls, .. } => {
                self.settle(&frame.conversation);
                self.calls.insert(frame.conversation.clone(), calls.iter().map(Pending::new).collect());
            }
            Event::ToolComplete { call, tool, outcome } => {
                let pending = self.calls.values().flatten().find(|it| it.id == *call);
                let ending = pending.map_or("", |it| ending(it, outcome));
                self.result(call, &format!("tool: {tool}{ending}"), &outcome.output);
            }
            Event::Lost { call } => {
                let tool =
                    self.calls.values().flatten().find(|it| it.id == *call).map_or(String::new(), |it| it.tool.clone());
                self.result(call, &format!("tool: {tool} lost"), "");
            }
            Event::Audited { findings, .. } => {
                let asked = findings.iter().filter(|it| it.kind.weight() < ox_protocol::AuditWeight::Note);
                self.found = asked.map(ox_context::finding).collect();
            }
            Event::AgentEnd(end) if end.call.is_review() => {
                let asked = end.findings.iter().filter(|it| it.severity >= Severity::Warning);
                self.reviewed = asked.map(|it| format!("\n{}", it.line())).collect();
            }
            Event::Refusal { gate, call, retry, total, .. } => {
                let found = match gate {
                    Gate::Audit => self.found.concat(),
                    Gate::Review => self.reviewed.concat(),
                    _ => String::new(),
                };
                let words = ox_context::refusal(*gate, *retry, *total) + &found;
                let name = format!("refusal: {}", code(gate));
                match call.as_ref().filter(|_| *gate == Gate::NotAlone) {
                    Some(call) => self.result(call, &name, &words),
                    None => self.tell(&name, &words),
                }
            }
            Event::ApprovalRequest { tool, args, commands, why, always, .. } => {
                let what = if commands.is_empty() { args.to_string() } else { commands.join("\n") };
                self.tell(&format!("ask: {tool}"), &format!("{what}\n{} · always: {always}", why.code));
            }
            Event::Question { text, options, .. } => {
                let options: String = options.iter().map(|it| format!("\n* {it}")).collect();
                self.tell("ask: ask_user", &format!("{text}{options}"));
            }
            Event::Error { problem } => {
                let args: Vec<String> = problem.args.iter().map(|(key, value)| format!("{key}: {value}")).collect();
                self.tell(&format!("error: {}", problem.code), &args.join("\n"));
            }
            Event::Stopped { .. } => self.settle(&frame.conversation),
            _ => {}
        }
    }

    /// Writes how a turn ended.
    pub(crate) fn stop(&mut self, stop: Stop) {
        self.tell(&format!("stop: {}", stop_words(stop)), "");
    }

    /// The same text with the project's folder called `/repo`, and files of kept output called `OUTPUT`.
    pub(crate) fn plain(&self, text: &str) -> String {
        let hidden = self.hidden.iter().filter(|it| !it.0.is_empty());
        let text = hidden.fold(text.to_string(), |text, (path, shown)| text.replace(path, shown));
        let text = without(text, "committed ", "", "COMMIT");
        let text = without(text, "job_", " after ", "N");
        let Some(at) = text.find("/ox-output-") else { return text };
        let start = text[..at].rfind(char::is_whitespace).map_or(0, |it| it + 1);
        let end = text[at..].find(char::is_whitespace).map_or(text.len(), |it| at + it);
        format!("{}OUTPUT{}", &text[..start], &text[end..])
    }

    fn result(&mut self, call: &CallId, name: &str, output: &str) {
        let section = Section::text(name, &self.plain(output));
        let Some(calls) = self.calls.values_mut().find(|all| all.iter().any(|it| it.id == *call)) else {
            return self.written.push(section);
        };
        let slot = calls.iter_mut().find(|it| it.id == *call).expect("invariant: it was just found");
        slot.result = slot.result.take().or(Some(section));
        let ready = calls.iter().take_while(|it| it.result.is_some()).count();
        self.written.extend(calls.drain(..ready).filter_map(|it| it.result));
    }

    fn settle(&mut self, conversation: &ConversationId) {
        let left = self.calls.remove(conversation).unwrap_or_default();
        self.written.extend(left.into_iter().filter_map(|it| it.result));
    }
}

impl Pending {
    fn new(call: &Call) -> Pending {
        let is_command = call.facts.command.is_some();
        Pending { id: call.id.clone(), tool: call.tool.clone(), kind: call.facts.kind, is_command, result: None }
    }
}

/// The text with `shown` in the place of the first word behind the last `begin` and the next `after`, where that is a number or
/// a commit: what a clock decides.
fn without(text: String, begin: &str, after: &str, shown: &str) -> String {
    let place = || {
        let from = text.rfind(begin)? + begin.len();
        let from = from + text[from..].find(after)? + after.len();
        let word = text[from..].split([' ', '\n']).next()?;
        let plain = word.len() >= 7 || !after.is_empty();
        (plain && !word.is_empty() && word.chars().all(|it| it.is_ascii_hexdigit())).then(|| from..from + word.len())
    };
    match place() {
        Some(place) => format!("{}{shown}{}", &text[..place.start], &text[place.end..]),
        None => text,
    }
}

/// How a call ended, where its name alone does not tell.
///
/// An edit that went well changed something and a command that went well did not, unless this says otherwise.
fn ending(call: &Pending, outcome: &Outcome) -> &'static str {
    match outcome.status {
        Status::Ok if call.kind != CallKind::Mutate || outcome.mutated() != call.is_command => "",
        Status::Ok if call.is_command => " changed",
        Status::Ok => " unchanged",
        Status::Failed => " failed",
        Status::Denied => " denied",
        Status::Skipped => " skipped",
        Status::Lost => " lost",
        Status::Interrupted => " interrupted",
    }
}

/// The way a turn ended, in a header.
pub(crate) fn stop_words(stop: Stop) -> String {
    match stop {
        Stop::ModelFailed { kind } => format!("model_failed {}", code(&kind)),
        other => other.code().trim_start_matches("stop.").to_string(),
    }
}

/// The serde name of a plain enumeration's value.
pub(crate) fn code(value: &impl serde::Serialize) -> String {
    let json = serde_json::to_value(value).unwrap_or_default();
    json.as_str().unwrap_or_default().to_string()
}
