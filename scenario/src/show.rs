//! Requests and events as people read them. What differs from run to run (times, durations) is left out.

use ox_model::Request;
use ox_protocol::{Event, Frame, Message, Part, Role};
use serde_json::Value;

/// The messages of a request; only those since the model's last words where `new`.
pub(crate) fn prompt(request: &Request, new: bool) -> String {
    let last = request.messages.iter().rposition(|it| it.role == Role::Assistant).filter(|_| new);
    let choice = serde_json::to_value(&request.tool_choice).unwrap_or_default();
    let mut out = format!("tool_choice: {}\n", choice.as_str().unwrap_or_default());
    for message in &request.messages[last.unwrap_or(0)..] {
        out += &shown(message);
    }
    out
}

fn shown(message: &Message) -> String {
    let mut out = match message.role {
        Role::User => "[user]\n".to_string(),
        Role::Assistant => "[assistant]\n".to_string(),
        Role::Tool => String::new(),
    };
    for part in &message.parts {
        out += &match part {
            Part::Text { text } => format!("{}\n", text.trim_end()),
            Part::Image { image } => format!("<image {} {}>\n", image.media_type, image.name),
            Part::Reasoning { reasoning } => format!("<thought {}>\n", reasoning.text),
            Part::Call { name, args, .. } => format!("@{name} {args}\n"),
            Part::Result { name, ok, text, images, .. } => {
                let failed = if *ok { "" } else { " failed" };
                let pictures: String = images.iter().map(|it| format!("<image {}>\n", it.media_type)).collect();
                format!("[result of {name}{failed}]\n{}\n{pictures}", text.trim_end())
            }
        };
    }
    out
}

/// One line for each event; results that came at the same time stand in the order of their calls. The stages and the
/// counts of tokens are left out unless `all` are wanted.
pub(crate) fn events(frames: &[Frame], all: bool) -> String {
    let mut lines: Vec<(bool, String)> = Vec::new();
    let is_noise = |it: &Event| {
        matches!(it, Event::StageEnter { .. } | Event::StageExit { success: true, .. } | Event::TokenUsage { .. })
    };
    for frame in frames.iter().filter(|it| all || !is_noise(&it.event)) {
        let of_agent = frame.conversation.call_prefix();
        let whose = if of_agent.is_empty() { String::new() } else { format!("  {} ", of_agent.trim_end_matches('_')) };
        lines.push((matches!(frame.event, Event::ToolComplete { .. }), whose + &event(&frame.event)));
    }
    lines.chunk_by_mut(|a, b| a.0 && b.0).for_each(|it| it.sort());
    lines.into_iter().map(|(_, line)| line + "\n").collect()
}

fn event(event: &Event) -> String {
    const SILENT: &[&str] = &[
        "event",
        "want",
        "message_id",
        "duration_ms",
        "total_length",
        "usage",
        "turn",
        "conversation",
        "used",
        "window",
        "rules",
        "limits",
        "model",
        "images",
        "id",
        "root",
        "ox",
        "args",
        "until",
        "total",
        "next",
        "always",
        "level",
        "review",
        "size",
        "jitter",
        "exit_code",
        "at",
    ];
    let json = serde_json::to_value(event).unwrap_or_default();
    let name = json["event"].as_str().unwrap_or_default();
    let fields = json.as_object().into_iter().flatten().filter(|(key, _)| !SILENT.contains(&key.as_str()));
    let said: Vec<String> = fields.filter_map(|(key, value)| Some(format!("{key}={}", field(key, value)?))).collect();
    format!("{name} {}", said.join(" ")).trim_end().to_string()
}

/// The steps of a plan: `changed` is what waits for its checks.
fn steps(steps: &Value) -> String {
    list(steps, |it| match it["state"].as_str()? {
        "open" if !it["evidence"].is_null() => Some("changed"),
        state => Some(state),
    })
}

fn field(key: &str, value: &Value) -> Option<String> {
    match (key, value) {
        (_, Value::Null) => None,
        (_, Value::Bool(_) | Value::Number(_)) => Some(value.to_string()),
        (_, Value::String(text)) if text.is_empty() => None,
        ("system" | "reason", Value::String(_)) => Some("…".to_string()),
        (_, Value::String(text)) => Some(short(text)),
        ("outcome", it) => Some(it["status"].as_str()?.to_string()),
        ("stop", it) => Some(format!(
            "{}{}",
            it["reason"].as_str()?,
            it["kind"].as_str().map_or(String::new(), |it| format!(" {it}"))
        )),
        ("failure", it) => Some(it["kind"].as_str()?.to_string()),
        ("why" | "problem", it) => Some(it["code"].as_str()?.to_string()),
        ("decision", it) => Some(it["answer"].as_str()?.to_string()),
        ("report", it) => Some(list(&it["results"], |it| it["status"].as_str())),
        ("calls", it) => Some(list(it, |it| it["tool"].as_str())),
        ("items", it) => Some(list(it, |it| it["state"].as_str())),
        ("call", it) => Some(it["tool"].as_str()?.to_string()),
        ("tools" | "context", it) => Some(list(it, |it| it["name"].as_str())),
        ("plan", it) => Some(steps(&it["steps"])),
        ("request", it) => Some(format!("{} {}", it["kind"].as_str()?, short(it["task"].as_str()?))),
        ("findings", it) => Some(list(it, |it| it["severity"].as_str())),
        ("summary", it) => {
            let planned =
                it["steps"].is_array().then(|| format!(" steps={} undone={}", steps(&it["steps"]), it["undone"]));
            Some(short(it["text"].as_str()?) + &planned.unwrap_or_default() + &reviewed(&it["review"]))
        }
        _ => None,
    }
}

/// What a reviewer found that still stands, and why the change was not reviewed.
fn reviewed(it: &Value) -> String {
    let kept = if it["kept"].is_null() {
        String::new()
    } else {
        format!(" kept={}", list(&it["kept"], |it| it["path"].as_str()))
    };
    let missing = it["not_reviewed"]["code"].as_str().map_or(String::new(), |code| format!(" not_reviewed={code}"));
    kept + &missing
}

fn list<'a>(value: &'a Value, name: impl Fn(&'a Value) -> Option<&'a str>) -> String {
    let names: Vec<&str> = value.as_array().into_iter().flatten().filter_map(name).collect();
    format!("[{}]", names.join(" "))
}

/// The first line, of which not too much.
fn short(text: &str) -> String {
    const LONGEST: usize = 60;
    let line = text.lines().next().unwrap_or_default();
    let cut: String = line.chars().take(LONGEST).collect();
    if cut.len() < text.trim_end().len() { format!("{cut:?}…") } else { format!("{cut:?}") }
}
