//! A conversation as a text to keep or to show: Markdown for people, JSON for programs.
//!
//! JSON carries every event unchanged, also those that this Ox does not understand. Markdown never carries prompts
//! that Ox wrote itself.

use std::fmt::Write;

use ox_protocol::locale::Language;
use ox_protocol::{CheckStatus, Event, Frame, Status};
use serde_json::{Value, json};

use crate::log::{History, Info};

/// Longest tool output in Markdown, in characters; the rest is counted.
const OUTPUT: usize = 2_000;

/// The conversation as one JSON object: its entry in the list and all events in order.
pub fn export_json(info: &Info, history: &History) -> Value {
    json!({
        "id": info.id, "root": info.root, "name": info.name, "title": info.title(), "created": info.created,
        "updated": info.updated, "turns": info.turns, "stop": info.stop, "cost": info.cost, "tokens": info.tokens,
        "events": history.frames,
    })
}

/// The conversation as Markdown: prompts, replies, tool calls with their results, check results, summaries.
pub fn export_markdown(info: &Info, history: &History, language: Language) -> String {
    let title = if info.title().is_empty() { &info.id.0 } else { info.title() };
    let mut out = format!("# {title}\n\n`{}` · `{}`\n", info.id, info.root);
    for frame in &history.frames {
        event(&mut out, frame, language);
    }
    out
}

fn event(out: &mut String, frame: &Frame, language: Language) {
    let say = |key: &str| language.say(key, &[]);
    // Writing to a string cannot fail.
    let _ = match &frame.event {
        Event::TurnStart { prompt, .. } if !prompt.is_empty() => {
            write!(out, "\n## {}\n\n{prompt}\n", say("export.user"))
        }
        Event::Steered { text, .. } => write!(out, "\n## {}\n\n{text}\n", say("export.user")),
        Event::Answer { text, .. } => write!(out, "\n## {}\n\n{text}\n", say("export.user")),
        Event::Question { text, .. } => write!(out, "\n## {}\n\n{text}\n", say("export.ox")),
        Event::StreamComplete { text, .. } if !text.is_empty() => write!(out, "\n## {}\n\n{text}\n", say("export.ox")),
        Event::ToolStart { tool, args, .. } => {
            let args = serde_json::to_string_pretty(args).unwrap_or_default();
            write!(out, "\n### {} `{tool}`\n\n{}", say("export.tool"), block("json", &args))
        }
        Event::ToolComplete { outcome, .. } => {
            let mark = if outcome.status == Status::Ok { "" } else { "✗ " };
            let diffs: String = outcome.changed.iter().map(|it| block("diff", &it.diff)).collect();
            write!(out, "\n{mark}{}{diffs}", block("", &cut(&outcome.output)))
        }
        Event::CheckResult { report, .. } => {
            let lines = report.results.iter().map(|it| format!("- {} `{}`\n", mark(it.status), it.check.name));
            write!(out, "\n### {}\n\n{}", say("export.checks"), lines.collect::<String>())
        }
        Event::Completion { stop, .. } => write!(out, "\n_{}_\n", say(stop.code())),
        Event::Error { problem } => write!(out, "\n_{}_\n", language.problem(problem)),
        Event::Unknown(_) => {
            let (seq, kind) = (frame.seq.to_string(), frame.event.unknown().unwrap_or_default());
            write!(out, "\n_{}_\n", language.say("export.unread", &[("seq", &seq), ("kind", kind)]))
        }
        _ => Ok(()),
    };
}

fn mark(status: CheckStatus) -> &'static str {
    match status {
        CheckStatus::Passed => "✓",
        CheckStatus::Failed => "✗",
        CheckStatus::TimedOut => "⏱",
        _ => "–",
    }
}

/// A fenced block whose fence is longer than any run of backticks in the text.
fn block(language: &str, text: &str) -> String {
    if text.trim().is_empty() {
        return String::new();
    }
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest.max(2) + 1);
    format!("{fence}{language}\n{}\n{fence}\n", text.trim_end())
}

fn cut(text: &str) -> String {
    match text.char_indices().nth(OUTPUT) {
        None => text.to_string(),
        Some((at, _)) => format!("{}\n… +{}", &text[..at], text[at..].chars().count()),
    }
}
