//! A logged conversation as a scenario.
//!
//! What the log does not hold is left out and said so in the title: files of the project that were never read whole,
//! changes that others made, and when exactly time passed. Nothing is read but the events.

mod settings;

use std::collections::BTreeMap;

use ox_model::scripted::write_reply;
use ox_model::{RawCall, Reply};
use ox_protocol::{
    Call, CallId, CallKind, CheckReport, CheckStatus, Decision, Event, Failure, FailureKind, Finish, Frame, Mode, Stage,
};

use crate::scribe::{Scribe, code};
use crate::text::{Doc, Section};

/// The scenario that these events amount to.
pub fn from_log(frames: &[Frame]) -> String {
    let mut reported = Telling { mode: Mode::Build, ..Telling::default() };
    for frame in frames {
        reported.supplied(&frame.event);
        reported.scribe.frame(frame);
        reported.ended(&frame.event);
    }
    let mut sections: Vec<Section> = settings::of(frames).into_iter().collect();
    sections
        .extend(reported.files.into_iter().map(|(path, text)| Section::file(format!("repo/{path}"), text.as_bytes())));
    sections.extend(reported.baseline);
    sections.extend(reported.scribe.written);
    let title = format!(
        "{}\n\nTold from conversation {}. Files that were not read whole before they changed have to be added as `repo/` sections.\n\n",
        reported.title, reported.id
    );
    Doc { title, sections }.to_string()
}

#[derive(Default)]
struct Telling {
    scribe: Scribe,
    title: String,
    id: String,
    files: BTreeMap<String, String>,
    baseline: Option<Section>,
    mode: Mode,
    calls: Vec<Call>,
    running: Vec<CallId>,
    /// The model is asked and has not answered.
    is_asked: bool,
    /// What the user said meanwhile; in a scenario it stands behind the reply beside which it was said.
    held: Vec<String>,
    /// A turn began and has not ended.
    is_underway: bool,
    /// Paths that may not be as they were.
    touched: bool,
}

impl Telling {
    /// What the outside env did, written before what Ox makes of it.
    fn supplied(&mut self, event: &Event) {
        match event {
            Event::ConversationId { id, root, .. } => {
                self.id = id.to_string();
                self.scribe = Scribe::new(root);
            }
            Event::StageEnter { stage: Stage::Claim } if std::mem::take(&mut self.is_underway) => {
                self.scribe.tell("crash", "");
            }
            Event::Lost { call } => {
                let tool = self.tool(call);
                self.scribe.tell(&format!("crash during {tool}"), "");
                self.is_underway = false;
            }
            Event::TurnStart { prompt, mode, continues, .. } => self.turn(prompt, *mode, *continues),
            Event::IterationStart { .. } => self.is_asked = true,
            Event::StreamComplete { calls, .. } => {
                self.calls.clone_from(calls);
                self.scribe.tell("model", &reply(event));
                self.say_held();
            }
            Event::ModelFailed { failure, .. } => {
                let (name, body) = failed(failure);
                self.scribe.tell(&name, &body);
            }
            Event::Approval { decision, by, .. } if by == "user" => {
                let (answer, reason) = match decision {
                    Decision::Allow | Decision::Amend { .. } => ("allow", ""),
                    Decision::AllowAlways { .. } => ("always", ""),
                    Decision::Deny { reason, .. } => ("deny", reason.as_str()),
                };
                self.scribe.tell(&format!("user: {answer}"), reason);
            }
            Event::Amended { call } => {
                let raw = RawCall { name: "call".to_string(), args: call.args.to_string() };
                let written = write_reply(&Reply { calls: vec![raw], ..Reply::default() });
                self.scribe.tell("user: amend", written.split_once('\n').map_or("", |(_, args)| args));
            }
            // Between two turns it is the user who changes the plan.
            Event::Plan { plan } if !self.is_underway => self.scribe.tell("user: form", &plan.to_form()),
            Event::Answer { text, .. } => self.scribe.tell("user: answer", text),
            Event::Steered { text, .. } if self.is_asked => self.held.push(text.clone()),
            Event::Steered { text, .. } => self.scribe.tell("user", text),
            Event::Interrupted => {
                self.say_held();
                self.interrupted();
            }
            Event::CheckResult { baseline: true, report, .. } => {
                let (name, body) = checks("baseline", report);
                self.baseline.get_or_insert(Section::text(name, &body));
            }
            Event::CheckResult { report, .. } if !report.results.is_empty() => {
                let (name, body) = checks("check", report);
                self.scribe.tell(&name, &body);
            }
            Event::ToolStart { call, .. } => self.running.push(call.clone()),
            _ => {}
        }
    }

    fn turn(&mut self, prompt: &str, mode: Mode, continues: bool) {
        self.is_underway = true;
        if self.title.is_empty() {
            self.title = prompt.lines().next().unwrap_or_default().to_string();
        }
        let name = match continues {
            true => "user: continue".to_string(),
            false if mode == self.mode => "user".to_string(),
            false => format!("user: {}", code(&mode)),
        };
        self.mode = mode;
        self.scribe.tell(&name, prompt);
    }

    fn say_held(&mut self) {
        self.is_asked = false;
        for text in std::mem::take(&mut self.held) {
            self.scribe.tell("user", &text);
        }
    }

    fn interrupted(&mut self) {
        let during = self.running.first().map(|it| self.tool(it));
        self.scribe
            .tell(&during.map_or("user: interrupt".to_string(), |it| format!("user: interrupt during {it}")), "");
    }

    /// What is known once the event was told.
    fn ended(&mut self, event: &Event) {
        match event {
            Event::ToolComplete { call, outcome, .. } => {
                self.running.retain(|it| it != call);
                self.touched |= outcome.mutated();
                let read = self.calls.iter().find(|it| it.id == *call && it.tool == "read_file");
                let whole = read.filter(|it| it.args.as_object().is_some_and(|args| args.len() == 1));
                if let Some(path) = whole.and_then(|it| it.args["path"].as_str())
                    && !(self.touched || outcome.is_failure() || outcome.output.contains("\n["))
                {
                    self.files.entry(path.to_string()).or_insert_with(|| outcome.output.clone());
                }
            }
            Event::Completion { stop, .. } => {
                self.is_underway = false;
                self.running.clear();
                self.scribe.stop(*stop);
            }
            _ => {}
        }
    }

    fn tool(&self, id: &CallId) -> String {
        let call = self.calls.iter().find(|it| it.id == *id);
        debug_assert!(call.is_none_or(|it| it.facts.kind != CallKind::Conclude));
        call.map_or("tool".to_string(), |it| it.tool.clone())
    }
}

/// A reply as it is written in scenarios.
fn reply(event: &Event) -> String {
    let Event::StreamComplete { text, reasoning, calls, finish, usage, .. } = event else { return String::new() };
    let raw = |call: &Call| {
        let (name, args) = call.as_written.as_ref().map_or((&call.tool, &call.args), |it| (&it.tool, &it.args));
        let args = args["unparsed"].as_str().map_or_else(|| args.to_string(), str::to_string);
        RawCall { name: name.clone(), args }
    };
    let reply = Reply {
        text: text.clone(),
        reasoning: reasoning.clone(),
        calls: calls.iter().map(raw).collect(),
        ..Reply::default()
    };
    let mut out = format!("@@usage {} {} {}\n", usage.input, usage.output, usage.cache_read);
    if matches!(finish, Finish::Length | Finish::Filter) {
        out += &format!("@@finish {}\n", code(finish));
    }
    out + &write_reply(&reply)
}

fn failed(failure: &Failure) -> (String, String) {
    if failure.kind == FailureKind::Cut {
        return ("model: cut".to_string(), failure.partial.clone());
    }
    let kind = failure.status.map_or_else(|| code(&failure.kind), |it| it.to_string());
    let wait = failure.retry_after_ms.map_or(String::new(), |ms| format!(" retry-after={}", ms as f64 / 1000.0));
    let words = failure.message.lines().next().unwrap_or_default().replace(" --", "");
    (format!("model: fail {kind}{wait} {words}").trim_end().to_string(), String::new())
}

/// All checks of a report as the one check that scenarios know.
fn checks(name: &str, report: &CheckReport) -> (String, String) {
    let any = |status: CheckStatus| report.results.iter().any(|it| it.status == status);
    let how = if any(CheckStatus::Failed) {
        "fail"
    } else if any(CheckStatus::TimedOut) {
        "timeout"
    } else if any(CheckStatus::Passed) {
        "pass"
    } else {
        "unavailable"
    };
    let mut body = String::new();
    for result in &report.results {
        for it in &result.diagnostics {
            let column = if it.column == 0 { String::new() } else { format!("{}:", it.column) };
            let code = if it.code.is_empty() { String::new() } else { format!("[{}] ", it.code) };
            body += &format!("{}:{}:{column} {code}{}\n", it.file, it.line, it.message.replace('\n', " "));
        }
        if result.diagnostics.is_empty() && result.status.is_bad() {
            body += &result.tail;
        }
        if let Some(tests) = result.tests.filter(|_| result.status.is_bad()) {
            body = format!("{}\n{} passed, {} failed\n", body.trim_end(), tests.passed, tests.failed);
        }
    }
    (format!("{name}: {how}"), body)
}
