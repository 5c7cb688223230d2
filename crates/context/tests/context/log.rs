//! A log in few words, and messages as text to compare.

use std::sync::Arc;

use ox_context::Transcript;
use ox_protocol::{
    Call, CallFacts, CallId, CallKind, ChangeKind, Check, CheckKind, CheckReport, CheckResult, CheckStatus, Diagnostic,
    Event, FileChange, Finish, Frame, Gate, Image, Level, Limits, Message, MessageId, Mode, ModelFacts, Outcome, Part,
    Role, Rules, Section, Seq, Status, Stop, Time, Tokens, ToolChoice, Usage, Verification, WantId, Written,
};
use serde_json::{Value, json};

pub fn frames(events: impl IntoIterator<Item = Event>) -> Vec<Frame> {
    let frame = |(seq, event)| Frame::new(Seq(seq), Time(0), event);
    (1..).zip(events).map(frame).collect()
}

/// The messages of a log that is followed event by event, which must be those of one that is read whole.
pub fn transcript(log: &[Frame]) -> Vec<Message> {
    let mut followed = Transcript::default();
    (1..=log.len()).for_each(|so_far| followed.follow(&log[..so_far]));
    let (whole, messages) = (Transcript::of(log), followed.messages());
    assert_eq!((&followed.system, &followed.tools, &messages), (&whole.system, &whole.tools, &whole.messages()));
    messages.into_iter().map(Arc::unwrap_or_clone).collect()
}

pub fn turn(prompt: &str) -> Event {
    start(prompt, false, Vec::new())
}

pub fn goes_on() -> Event {
    start("", true, Vec::new())
}

pub fn start(prompt: &str, continues: bool, images: Vec<Image>) -> Event {
    Event::TurnStart {
        turn: 1,
        mode: Mode::Build,
        prompt: prompt.to_owned(),
        images,
        continues,
        branch: None,
        rules: Rules::default(),
        limits: Limits::default(),
        model: ModelFacts::default(),
        fallbacks: Vec::new(),
        verification: Verification::Full,
        review: ox_protocol::ReviewPolicy::Off,
        checks: Vec::new(),
        fixers: Vec::new(),
        router: None,
    }
}

pub fn image(name: &str) -> Image {
    Image { media_type: "image/png".into(), data: "AAAA".into(), name: name.into() }
}

pub fn context(sections: &[(&str, &str)]) -> Event {
    let section = |(name, text): &(&str, &str)| Section {
        name: (*name).into(),
        text: (*text).into(),
        tokens: Tokens(text.len() as u64),
    };
    Event::Prompted { system: None, tools: None, context: sections.iter().map(section).collect() }
}

pub fn iterate() -> Event {
    Event::IterationStart { iteration: 1, total: 100, tool_choice: ToolChoice::Auto, max_output: None }
}

pub fn says(text: &str, calls: impl IntoIterator<Item = Call>) -> Event {
    Event::StreamComplete {
        want: WantId::default(),
        message_id: MessageId("m".into()),
        text: text.to_owned(),
        reasoning: Vec::new(),
        images: Vec::new(),
        calls: calls.into_iter().collect(),
        finish: Finish::Stop,
        usage: Usage::default(),
        cost: None,
        order: Vec::new(),
        total_length: text.len() as u64,
        duration_ms: 0,
    }
}

pub fn call(id: &str, tool: &str, args: Value) -> Call {
    let kind = match tool {
        "attempt_completion" | "plan_respond" => CallKind::Conclude,
        "edit_file" | "write_file" | "run_command" => CallKind::Mutate,
        "run_checks" => CallKind::Checks,
        "ask_user" => CallKind::Question,
        _ => CallKind::Read,
    };
    let facts = CallFacts { kind, level: Level::Read, ..CallFacts::default() };
    Call { id: CallId(id.into()), tool: tool.into(), args, facts, as_written: None }
}

pub fn conclude(id: &str) -> Call {
    call(id, "attempt_completion", json!({ "result": "Done." }))
}

pub fn written(mut call: Call, tool: &str, args: Value) -> Call {
    call.as_written = Some(Written { tool: tool.into(), args });
    call
}

pub fn began(id: &str) -> Event {
    Event::ToolStart { call: CallId(id.into()), tool: "t".into(), args: Value::Null, iteration: 1 }
}

pub fn done(id: &str, output: &str) -> Event {
    ended(id, Outcome::ok(output))
}

pub fn fails(id: &str, status: Status, output: &str) -> Event {
    ended(id, Outcome::ended(status, output))
}

pub fn changes(id: &str, path: &str) -> Event {
    let change = FileChange {
        path: path.into(),
        kind: ChangeKind::Modified,
        from: None,
        why: None,
        diff: String::new(),
        added: 1,
        removed: 1,
    };
    ended(id, Outcome { changed: vec![change], ..Outcome::ok(format!("{path}: 1 place changed")) })
}

fn ended(id: &str, outcome: Outcome) -> Event {
    Event::ToolComplete { call: CallId(id.into()), tool: "t".into(), outcome }
}

pub fn refused(gate: Gate, id: Option<&str>) -> Event {
    Event::Refusal { gate, call: id.map(|it| CallId(it.into())), retry: 1, total: 5, message: String::new() }
}

pub fn stopped(stop: Stop) -> [Event; 2] {
    [Event::Stopped { stop }, Event::Completion { stop, exit_code: stop.exit_code() }]
}

pub fn baseline(report: CheckReport) -> Event {
    Event::CheckResult { want: WantId::default(), baseline: true, round: 0, total: 5, report }
}

pub fn round(round: u32, report: CheckReport) -> Event {
    Event::CheckResult { want: WantId::default(), baseline: false, round, total: 5, report }
}

pub fn report(results: impl IntoIterator<Item = CheckResult>) -> CheckReport {
    CheckReport { results: results.into_iter().collect(), tree: "t".into() }
}

pub fn passed(command: &str) -> CheckResult {
    CheckResult {
        exit_code: Some(0),
        duration_ms: 10,
        ..CheckResult::ended(Check::new(command, CheckKind::Test, command, 120_000, "Cargo.toml"), CheckStatus::Passed)
    }
}

pub fn failed(command: &str, diagnostics: impl IntoIterator<Item = Diagnostic>) -> CheckResult {
    CheckResult {
        status: CheckStatus::Failed,
        exit_code: Some(101),
        diagnostics: diagnostics.into_iter().collect(),
        ..passed(command)
    }
}

/// `place` is `file:line:column`, from the left as far as it is known.
pub fn finding(place: &str, code: &str, message: &str) -> Diagnostic {
    let mut parts = place.split(':');
    Diagnostic {
        file: parts.next().unwrap_or_default().into(),
        line: parts.next().map_or(0, |it| it.parse().unwrap()),
        column: parts.next().map_or(0, |it| it.parse().unwrap()),
        code: code.into(),
        message: message.into(),
    }
}

pub fn shown(messages: &[Message]) -> String {
    messages.iter().map(|it| format!("{}\n", message(it))).collect()
}

fn message(it: &Message) -> String {
    let who = match it.role {
        Role::User => "user",
        Role::Assistant => "assistant",
        Role::Tool => "tool",
    };
    let parts: Vec<String> = it.parts.iter().map(|part| format!("{who}: {}", words(part))).collect();
    parts
        .join("\n")
        .replace('\n', "\n  ")
        .replace(&format!("\n  {who}:"), &format!("\n{who}:"))
        .replace("\n  \n", "\n\n")
}

fn words(part: &Part) -> String {
    match part {
        Part::Text { text } => text.clone(),
        Part::Image { image } => format!("[image {}]", image.name),
        Part::Reasoning { reasoning } => format!("[thinks: {}]", reasoning.text),
        Part::Call { id, name, args } => format!("{id} = {name} {args}"),
        Part::Result { id, name, ok, text, images } => {
            let (ok, images) = (if *ok { "ok" } else { "not ok" }, "[image]".repeat(images.len()));
            format!("{id} ({name}, {ok}): {images}{text}")
        }
    }
}
