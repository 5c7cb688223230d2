//! Records a conversation's model traffic to a file and replays it without any network.
//!
//! A cassette is a text that a person can read and change; `form` says how it looks. An entry holds what is new in a
//! request, the pieces of the answer as they arrived, and the answer, failures among them. Keys and whatever looks like a
//! secret are never written. A replay answers a request by what it says, never by its place alone, and where no recorded
//! request says the same it names the first difference and answers nothing.

mod compare;
mod form;
mod lines;
mod record;
mod replay;
mod then;
mod vary;

use std::sync::Arc;

use ox_protocol::{Approval, Failure, Message, Mode, ModelFacts, ToolChoice, ToolSpec};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::Reply;
#[cfg(test)]
use crate::Request;

pub use record::{Tape, written};
pub use replay::{Match, Replay};
pub use then::Then;

/// The version that this code writes; it reads no later one.
const VERSION: u32 = 2;

/// What a cassette says of itself.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Head {
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
    pub approval: Option<Approval>,
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

/// One request and what came of it.
#[derive(Clone, Debug, PartialEq)]
struct Entry {
    asked: Asked,
    heard: Heard,
    /// The line of the cassette where it begins.
    line: usize,
}

/// A request as it is recorded. What it shares with another one is kept once.
#[derive(Clone, Debug, Default, PartialEq)]
struct Asked {
    system: Arc<str>,
    tools: Arc<[ToolSpec]>,
    choice: ToolChoice,
    messages: Vec<Arc<Message>>,
    /// What the text of the reply had to be valid against.
    schema: Option<Value>,
    /// False where the cassette has the names of tools only, and no system prompt.
    whole: bool,
}

/// An answer as it streamed and as it ended.
#[derive(Clone, Debug, PartialEq)]
struct Heard {
    pieces: Vec<Recorded>,
    done: Result<Reply, Failure>,
}

/// A recorded piece.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Recorded {
    Text(String),
    Thinking(String),
}

/// What must not be in a cassette beside what looks like a secret: the keys themselves.
#[derive(Clone, Debug, Default)]
struct Secrets(Vec<String>);

impl Secrets {
    /// The text without keys and secrets.
    fn hide(&self, text: &str) -> String {
        let text = self.hide_keys(text);
        let redacted = ox_core::secrets::redact(&text);
        if redacted.found.is_empty() { text } else { redacted.text }
    }

    /// The text without keys. What a provider sealed is left as it is otherwise.
    fn hide_keys(&self, text: &str) -> String {
        let keys: Vec<&str> = self.0.iter().map(String::as_str).collect();
        crate::failure::redact(text, &keys)
    }

    /// The value with every text in it hidden by `hide`.
    fn hide_in(&self, value: &Value, hide: fn(&Secrets, &str) -> String) -> Value {
        match value {
            Value::String(text) => Value::String(hide(self, text)),
            Value::Array(all) => Value::Array(all.iter().map(|it| self.hide_in(it, hide)).collect()),
            Value::Object(all) => {
                Value::Object(all.iter().map(|(key, it)| (hide(self, key), self.hide_in(it, hide))).collect())
            }
            other => other.clone(),
        }
    }

    fn hide_message(&self, message: &Message) -> Message {
        use ox_protocol::Part;
        let part = |it: &Part| match it {
            Part::Text { text } => Part::Text { text: self.hide(text) },
            Part::Image { image } => Part::Image { image: image.clone() },
            Part::Reasoning { reasoning } => Part::Reasoning { reasoning: self.hide_reasoning(reasoning) },
            Part::Call { id, name, args } => {
                let args = self.hide_in(args, Secrets::hide);
                Part::Call { id: id.clone(), name: self.hide(name), args }
            }
            Part::Result { id, name, ok, text, images } => {
                let text = self.hide(text);
                Part::Result { id: id.clone(), name: self.hide(name), ok: *ok, text, images: images.clone() }
            }
        };
        Message { role: message.role, parts: message.parts.iter().map(part).collect() }
    }

    fn hide_reasoning(&self, it: &ox_protocol::Reasoning) -> ox_protocol::Reasoning {
        let opaque = it.opaque.as_ref().map(|it| self.hide_in(it, Secrets::hide_keys));
        ox_protocol::Reasoning { text: self.hide(&it.text), opaque }
    }

    fn hide_reply(&self, reply: &Reply) -> Reply {
        let call = |it: &crate::RawCall| crate::RawCall { name: self.hide(&it.name), args: self.hide(&it.args) };
        Reply {
            text: self.hide(&reply.text),
            reasoning: reply.reasoning.iter().map(|it| self.hide_reasoning(it)).collect(),
            calls: reply.calls.iter().map(call).collect(),
            ..reply.clone()
        }
    }

    fn hide_failure(&self, failure: &Failure) -> Failure {
        let (message, partial) = (self.hide(&failure.message), self.hide(&failure.partial));
        Failure { message, partial, ..failure.clone() }
    }
}

impl Asked {
    /// The request without its secrets, as it is read again.
    #[cfg(test)]
    fn of(request: &Request, secrets: &Secrets) -> Asked {
        Asked {
            system: secrets.hide(&request.system).into(),
            tools: request.tools.clone().into(),
            choice: request.tool_choice.clone(),
            messages: request.messages.iter().map(|it| Arc::new(secrets.hide_message(it))).collect(),
            schema: request.schema.clone(),
            whole: true,
        }
    }
}

impl Recorded {
    fn text(&self) -> &str {
        match self {
            Recorded::Text(text) | Recorded::Thinking(text) => text,
        }
    }
}

/// A text in small pieces, for an answer of which only the whole is known.
fn cut_anew(thinking: &str, text: &str) -> Vec<Recorded> {
    use crate::scripted::small_pieces;
    let thinking = small_pieces(thinking).map(|it| Recorded::Thinking(it.to_string()));
    thinking.chain(small_pieces(text).map(|it| Recorded::Text(it.to_string()))).collect()
}

/// All that was thought, and all that was said, in `pieces`.
fn joined(pieces: &[Recorded]) -> (String, String) {
    let of = |thought: bool| -> String {
        let wanted = pieces.iter().filter(|it| matches!(it, Recorded::Thinking(_)) == thought);
        wanted.map(Recorded::text).collect()
    };
    (of(true), of(false))
}

#[cfg(test)]
mod tests;
