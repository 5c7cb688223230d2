//! Reads cassettes of the first version: JSON lines, each with what was new in its request.
//!
//! They hold the names of tools and not what was said of them, so that these are not compared.

use std::sync::Arc;

use ox_protocol::{Failure, FailureKind, Message, ModelFacts, ToolChoice, ToolSpec};
use serde::Deserialize;
use serde_json::Value;

use super::{Entry, Head, Heard, Recorded};
use crate::Reply;
use crate::failure::failure;

#[derive(Deserialize)]
struct First {
    model: ModelFacts,
}

#[derive(Deserialize)]
struct Line {
    request: New,
    pieces: Vec<Recorded>,
    #[serde(default)]
    reply: Option<Reply>,
    #[serde(default)]
    failure: Option<Failure>,
}

#[derive(Deserialize)]
struct New {
    #[serde(default)]
    system: Option<String>,
    #[serde(default)]
    tools: Option<Vec<String>>,
    tool_choice: ToolChoice,
    messages: usize,
    new: Vec<Message>,
}

/// The version that a first line of JSON gives, where it is the head of a cassette.
pub(super) fn version(first: &str) -> Option<u64> {
    serde_json::from_str::<Value>(first).ok()?.get("ox_cassette")?.as_u64()
}

/// The head and the entries of such a cassette.
pub(super) fn read(text: &str) -> Result<(Head, Vec<Entry>), String> {
    let mut lines = text.lines().enumerate();
    let first = lines.next().map(|(_, it)| it).unwrap_or_default();
    let first: First = serde_json::from_str(first).map_err(|error| format!("line 1 is no header: {error}"))?;
    let mut entries: Vec<Entry> = Vec::new();
    for (at, line) in lines.filter(|(_, it)| !it.trim().is_empty()) {
        let line: Line = serde_json::from_str(line).map_err(|error| format!("line {}: {error}", at + 1))?;
        entries.push(entry(line, entries.last(), at + 1));
    }
    Ok((Head { model: first.model, ..Head::default() }, entries))
}

fn entry(line: Line, before: Option<&Entry>, at: usize) -> Entry {
    let mut asked = before.map(|it| it.asked.clone()).unwrap_or_default();
    let New { system, tools, tool_choice, messages, new } = line.request;
    asked.system = system.map_or(asked.system, Into::into);
    let named = |name| ToolSpec { name, description: String::new(), schema: Value::Null };
    asked.tools = tools.map_or(asked.tools, |it| it.into_iter().map(named).collect());
    asked.choice = tool_choice;
    asked.messages.truncate(messages.saturating_sub(new.len()));
    asked.messages.extend(new.into_iter().map(Arc::new));
    let none = || failure(FailureKind::Script, "the recorded entry has neither reply nor failure");
    let done = line.reply.ok_or_else(|| line.failure.unwrap_or_else(none));
    Entry { asked, heard: Heard { pieces: line.pieces, done }, line: at }
}
