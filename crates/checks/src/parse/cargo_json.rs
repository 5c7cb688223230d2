//! `cargo … --message-format=json`: one JSON object a line, between cargo's own words.

use std::sync::{Mutex, PoisonError};

use ox_protocol::Diagnostic;
use serde_json::Value;

use super::line::diagnostic;

/// The errors among the compiler's messages.
pub(super) fn read(lines: &[&str]) -> Vec<Diagnostic> {
    messages(lines.iter().copied()).filter_map(|it| error(&it)).collect()
}

fn messages<'a>(lines: impl Iterator<Item = &'a str>) -> impl Iterator<Item = Value> {
    let lines = lines.filter(|it| it.starts_with("{\"reason\":\"compiler-message\""));
    lines
        .filter_map(|it| serde_json::from_str::<Value>(it).ok())
        .filter_map(|mut it| it.get_mut("message").map(Value::take))
}

fn error(message: &Value) -> Option<Diagnostic> {
    if !message["level"].as_str()?.starts_with("error") {
        return None;
    }
    let spans = message["spans"].as_array().map(Vec::as_slice).unwrap_or_default();
    let main = spans.iter().find(|it| it["is_primary"] == true).or(spans.first());
    let head = message["message"].as_str()?;
    if main.is_none() && (head.starts_with("aborting due to") || head.starts_with("could not compile")) {
        return None;
    }
    let mut text = head.to_owned();
    // The main place says most, the others help to understand it.
    let labels = main.into_iter().chain(spans.iter().filter(|it| it["is_primary"] != true));
    for label in labels.filter_map(|it| it["label"].as_str()).take(4) {
        text.push_str("\n  ");
        text.push_str(label);
    }
    for child in message["children"].as_array().into_iter().flatten() {
        text.push_str(&advice(child));
    }
    let number = |key: &str| main.and_then(|it| it[key].as_u64()).and_then(|it| u32::try_from(it).ok()).unwrap_or(0);
    let file = main.and_then(|it| it["file_name"].as_str()).unwrap_or("");
    let code = message["code"]["code"].as_str().unwrap_or("");
    Some(diagnostic(file, number("line_start"), number("column_start"), code, &text))
}

/// A note or a help, with what it would replace; links to documentation are of no use here.
fn advice(child: &Value) -> String {
    let (level, text) = (child["level"].as_str().unwrap_or("note"), child["message"].as_str().unwrap_or(""));
    if text.starts_with("for further information") || text.starts_with("requested on the command line") {
        return String::new();
    }
    let text: Vec<&str> = text.lines().take(4).collect();
    let spans = child["spans"].as_array().into_iter().flatten();
    let replacements: Vec<&str> = spans.filter_map(|it| it["suggested_replacement"].as_str()).collect();
    let shown = replacements.iter().find(|it| !it.trim().is_empty()).map(|it| format!(": `{}`", it.trim()));
    format!("\n{level}: {}{}", text.join("\n  "), shown.unwrap_or_default())
}

/// Shows cargo's output as a person would see it: the rendered message instead of the object around it.
pub(crate) struct Shown<F: Fn(&[u8])> {
    live: F,
    partial: Mutex<Vec<u8>>,
}

/// The start of a line of cargo's JSON.
const OBJECT: &[u8] = b"{\"reason\":";

impl<F: Fn(&[u8])> Shown<F> {
    pub(crate) fn new(live: F) -> Shown<F> {
        Shown { live, partial: Mutex::new(Vec::new()) }
    }

    /// Passes on what is no JSON at once, and of JSON its rendered text when the line is complete.
    pub(crate) fn take(&self, piece: &[u8]) {
        let mut partial = self.partial.lock().unwrap_or_else(PoisonError::into_inner);
        for line in piece.split_inclusive(|it| *it == b'\n') {
            partial.extend_from_slice(line);
            let start = &partial[..partial.len().min(OBJECT.len())];
            let is_object = OBJECT.starts_with(start);
            if is_object && !partial.ends_with(b"\n") {
                continue;
            }
            let whole = std::mem::take(&mut *partial);
            if !is_object {
                (self.live)(&whole);
                continue;
            }
            let rendered = serde_json::from_slice::<Value>(&whole).ok();
            if let Some(text) = rendered.as_ref().and_then(|it| it["message"]["rendered"].as_str()) {
                (self.live)(text.as_bytes());
            }
        }
    }
}
