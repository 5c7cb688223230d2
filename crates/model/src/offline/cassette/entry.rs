//! The lines of a cassette: how they are written, read and redacted.

use std::sync::Arc;

use ox_protocol::{ApprovalPolicy, Effort, Failure, Message, Mode, ModelFacts, ToolChoice, ToolSpec};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::keys;
use crate::model::{Reply, Request};
use crate::offline::scripted::small_pieces;

/// The version that this code writes and reads.
pub(super) const VERSION: u32 = 3;

/// What a cassette says of itself.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Head {
    /// The version of the format; the recorder fills it in.
    pub ox_cassette: u32,
    /// The version of Ox that recorded it.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub ox: String,
    /// The model that was asked.
    pub model: ModelFacts,
    /// The project's folder, absolute; empty where it is not known.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub root: String,
    /// What the turns were to do.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mode: Option<Mode>,
    /// How much was done unasked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub approval: Option<ApprovalPolicy>,
    /// How much the model was to reason.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub effort: Option<Effort>,
    /// What was allowed unasked beside that, as rules.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub allow: Vec<String>,
    /// The files that could be changed, as globs; all where there is none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub scope: Vec<String>,
    /// Somebody interrupted the run while the last request was answered, or what the reply asked for was done.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub interrupted: bool,
}

/// One request and what came of it, as a line holds it.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Line {
    pub request: NewInRequest,
    /// The model, where it is not that of the head.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub model: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub pieces: Vec<RecordedPiece>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reply: Option<Reply>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure: Option<Failure>,
}

/// A request without what it has in common with an earlier one.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct NewInRequest {
    /// How many messages are those of an earlier request.
    #[serde(skip_serializing_if = "is_zero")]
    pub keeps: usize,
    /// Which one, counted from 1; its system prompt and tools count too where none are given here.
    #[serde(skip_serializing_if = "is_zero")]
    pub of: usize,
    pub tool_choice: ToolChoice,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub system: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tools: Option<Vec<ToolSpec>>,
    pub messages: Vec<Arc<Message>>,
}

#[allow(clippy::trivially_copy_pass_by_ref)] // Serde hands out references.
fn is_zero(number: &usize) -> bool {
    *number == 0
}

/// A piece of an answer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum RecordedPiece {
    Text(String),
    Thinking(String),
}

/// A recorded request, whole. What it shares with another one is kept once.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct RecordedRequest {
    pub system: Arc<str>,
    pub tools: Arc<[ToolSpec]>,
    pub tool_choice: ToolChoice,
    pub messages: Vec<Arc<Message>>,
}

/// An answer as it streamed and as it ended.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Answer {
    pub pieces: Vec<RecordedPiece>,
    pub done: Result<Reply, Failure>,
}

/// A recorded request and its answer.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Entry {
    pub request: RecordedRequest,
    pub answer: Answer,
    /// The line of the cassette.
    pub line: usize,
}

/// The head and the entries of a cassette. Every error names its line.
pub(super) fn read(text: &str) -> Result<(Head, Vec<Entry>), String> {
    let mut lines = text.lines().enumerate().filter(|(_, it)| !it.trim().is_empty());
    let (_, first) = lines.next().ok_or("it is empty")?;
    let version = serde_json::from_str::<Value>(first).ok().and_then(|it| it["ox_cassette"].as_u64());
    match version.or_else(|| first.strip_prefix("ox-cassette ")?.trim().parse().ok()) {
        Some(version) if version == u64::from(VERSION) => {}
        Some(version) if version < u64::from(VERSION) => {
            return Err(format!(
                "it has version {version}, and this Ox reads version {VERSION}; record it again, with `ox record ID` \
                 from the stored conversation"
            ));
        }
        Some(version) => {
            return Err(format!("it has version {version}, and this Ox reads version {VERSION}; update Ox"));
        }
        None => {
            let begin: String = first.chars().take(60).collect();
            return Err(format!(
                "it is no cassette: its first line must begin with `{{\"ox_cassette\":{VERSION}`, not `{begin}`"
            ));
        }
    }
    let head = serde_json::from_str(first).map_err(|error| format!("its head is not JSON that Ox knows: {error}"))?;
    let mut entries = Vec::new();
    for (at, line) in lines {
        let read = serde_json::from_str(line).map_err(|error| error.to_string());
        let entry = read.and_then(|it| entry(it, &entries, at + 1)).map_err(|why| format!("line {}: {why}", at + 1))?;
        entries.push(entry);
    }
    Ok((head, entries))
}

fn entry(line: Line, before: &[Entry], number: usize) -> Result<Entry, String> {
    let NewInRequest { keeps, of, tool_choice, system, tools, messages } = line.request;
    let mut request = match of {
        0 => RecordedRequest::default(),
        _ => before.get(of - 1).ok_or_else(|| format!("there is no request {of} before this one"))?.request.clone(),
    };
    if keeps > request.messages.len() {
        return Err(format!("request {of} has only {} messages to keep", request.messages.len()));
    }
    request.messages.truncate(keeps);
    request.messages.extend(messages);
    request.system = system.map_or(request.system, Into::into);
    request.tools = tools.map_or(request.tools, Into::into);
    request.tool_choice = tool_choice;
    let done = match (line.reply, line.failure) {
        (Some(reply), None) => Ok(reply),
        (None, Some(failure)) => Err(failure),
        _ => return Err("this request has neither one reply nor one failure".to_string()),
    };
    Ok(Entry { request, answer: Answer { pieces: line.pieces, done }.in_step(), line: number })
}

impl Answer {
    /// All that was thought, and all that was said, in the pieces.
    fn joined(&self) -> (String, String) {
        let (mut thinking, mut text) = (String::new(), String::new());
        for piece in &self.pieces {
            match piece {
                RecordedPiece::Thinking(it) => thinking += it,
                RecordedPiece::Text(it) => text += it,
            }
        }
        (thinking, text)
    }

    /// The answer with pieces that add up to its text: where they do not, because somebody changed it, they are cut anew.
    pub(super) fn in_step(mut self) -> Answer {
        let text = self.done.as_ref().map_or_else(|it| &it.partial, |it| &it.text);
        let (thinking, streamed) = self.joined();
        if streamed != *text {
            self.pieces = cut(&thinking, text);
        }
        self
    }

    /// An answer of which only the whole is known.
    pub(super) fn whole(done: Result<Reply, Failure>) -> Answer {
        let text = done.as_ref().map_or_else(|it| &it.partial, |it| &it.text);
        let thinking: String = done.iter().flat_map(|it| &it.reasoning).map(|it| it.text.as_str()).collect();
        Answer { pieces: cut(&thinking, text), done }
    }

    /// The answer with `change` made to what was thought, said and called; what is sealed or drawn stays.
    pub(super) fn changed(&self, change: &dyn Fn(&str) -> String) -> Answer {
        let (thinking, text) = self.joined();
        let same = change(&thinking) == thinking && change(&text) == text;
        let pieces = if same { self.pieces.clone() } else { cut(&change(&thinking), &change(&text)) };
        let done = match &self.done {
            Ok(reply) => Ok(through(reply, change, &str::to_string)),
            Err(failure) => Err(through(failure, change, &str::to_string)),
        };
        Answer { pieces, done }
    }
}

/// A text in small pieces, thinking first.
fn cut(thinking: &str, text: &str) -> Vec<RecordedPiece> {
    let thinking = small_pieces(thinking).map(|it| RecordedPiece::Thinking(it.to_string()));
    thinking.chain(small_pieces(text).map(|it| RecordedPiece::Text(it.to_string()))).collect()
}

/// `value` with `change` made to every text in it, and `sealed` to what a provider sealed and to the bytes of pictures.
fn through<T>(value: &T, change: &dyn Fn(&str) -> String, sealed: &dyn Fn(&str) -> String) -> T
where
    T: Serialize + for<'a> Deserialize<'a>,
{
    let value = serde_json::to_value(value).expect("invariant: what is recorded has a form in JSON");
    serde_json::from_value(changed(value, change, sealed)).expect("invariant: only texts were changed")
}

fn changed(value: Value, change: &dyn Fn(&str) -> String, sealed: &dyn Fn(&str) -> String) -> Value {
    match value {
        Value::String(text) => Value::String(change(&text)),
        Value::Array(all) => all.into_iter().map(|it| changed(it, change, sealed)).collect(),
        Value::Object(all) => {
            let picture = all.contains_key("media_type");
            let member = |(key, value): (String, Value)| match key.as_str() {
                "opaque" => (key, changed(value, sealed, sealed)),
                "data" if picture => (key, changed(value, sealed, sealed)),
                _ => (change(&key), changed(value, change, sealed)),
            };
            Value::Object(all.into_iter().map(member).collect())
        }
        other => other,
    }
}

/// What must not be in a cassette beside what looks like a secret: the keys themselves.
#[derive(Clone, Debug, Default)]
pub(super) struct Secrets(pub Vec<String>);

impl Secrets {
    /// The text without keys and secrets.
    pub(super) fn hide(&self, text: &str) -> String {
        let text = self.hide_keys(text);
        let redacted = ox_core::secrets::redact(&text);
        if redacted.found.is_empty() { text } else { redacted.text }
    }

    /// The text without keys. What a provider sealed is left as it is otherwise.
    fn hide_keys(&self, text: &str) -> String {
        let keys: Vec<&str> = self.0.iter().map(String::as_str).collect();
        keys::redact(text, &keys)
    }

    /// `value` without keys and secrets in any text of it.
    pub(super) fn hide_in<T: Serialize + for<'a> Deserialize<'a>>(&self, value: &T) -> T {
        through(value, &|it| self.hide(it), &|it| self.hide_keys(it))
    }
}

impl RecordedRequest {
    /// The request without its secrets, as it is read again.
    pub(super) fn of(request: &Request, secrets: &Secrets) -> RecordedRequest {
        RecordedRequest {
            system: secrets.hide(&request.system).into(),
            tools: secrets.hide_in(&request.tools).into(),
            tool_choice: request.tool_choice.clone(),
            messages: request.messages.iter().map(|it| secrets.hide_in(it)).collect(),
        }
    }

    /// The request with `change` made to its texts.
    pub(super) fn changed(&self, change: &dyn Fn(&str) -> String) -> RecordedRequest {
        let message = |it: &Arc<Message>| Arc::new(through(it.as_ref(), change, &str::to_string));
        RecordedRequest {
            system: change(&self.system).into(),
            messages: self.messages.iter().map(message).collect(),
            ..self.clone()
        }
    }
}
