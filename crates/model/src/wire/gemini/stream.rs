//! The answer of a Gemini endpoint: chunks that each hold some parts, streamed or as a list.

use std::borrow::Cow;

use ox_protocol::{Failure, FailureKind, Finish, Reasoning, Tokens, Usage};
use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::{Value, json};

use crate::failure::{failure, from_event};
use crate::model::{RawCall, Reply};
use crate::wire::attached::made_of;
use crate::wire::exchange::{Collector, Shown, count, cut, lacks};

/// The type under which signatures are kept.
pub(super) const KEPT: &str = "gemini";

/// What has come of the answer so far.
#[derive(Debug, Default)]
pub struct Stream {
    reply: Reply,
    thinking: String,
    signatures: Vec<Value>,
    finish: Option<Finish>,
    over: bool,
}

impl Collector for Stream {
    fn value(&mut self, _: &str, chunk: &Value, show: &Shown<'_>) -> Result<(), Failure> {
        self.chunk(chunk, show)
    }

    fn end(&mut self) {
        self.over = true;
    }

    /// Most chunks are a piece of text and nothing else.
    fn plain(&mut self, data: &str, show: &Shown<'_>) -> bool {
        let Ok(Plain { candidates: [Candidate { content: Content { parts: [Words { text }], .. }, .. }], .. }) =
            serde_json::from_str(data)
        else {
            return false;
        };
        self.reply.text += &text;
        show.text(&text);
        true
    }

    fn whole(&mut self, body: &Value, show: &Shown<'_>) -> Result<(), Failure> {
        match body.as_array() {
            Some(chunks) => chunks.iter().try_for_each(|it| self.chunk(it, show))?,
            None => self.chunk(body, show)?,
        }
        if self.finish.is_none() {
            return Err(lacks("finished candidate", body));
        }
        Ok(())
    }

    fn held(&self) -> usize {
        let calls = self.reply.calls.iter().map(|it| it.args.len()).sum::<usize>();
        self.reply.text.len() + self.thinking.len() + calls
    }

    fn is_over(&self) -> bool {
        self.over
    }

    fn is_complete(&self) -> bool {
        self.finish.is_some()
    }

    fn finish(mut self) -> Result<Reply, Failure> {
        let Some(finish) = self.finish else { return Err(cut()) };
        let opaque = (!self.signatures.is_empty()).then(|| json!({"type": KEPT, "signatures": self.signatures}));
        if !self.thinking.is_empty() || opaque.is_some() {
            self.reply.reasoning.push(Reasoning { text: self.thinking, opaque });
        }
        self.reply.finish = if finish == Finish::Stop && !self.reply.calls.is_empty() { Finish::Calls } else { finish };
        Ok(self.reply)
    }
}

impl Stream {
    fn chunk(&mut self, chunk: &Value, show: &Shown<'_>) -> Result<(), Failure> {
        if chunk.get("error").is_some_and(|it| !it.is_null()) {
            return Err(from_event(chunk));
        }
        if let Some(reason) = chunk.pointer("/promptFeedback/blockReason").and_then(Value::as_str) {
            let words = chunk.pointer("/promptFeedback/blockReasonMessage").and_then(Value::as_str);
            let words = words.map(|it| format!(": {it}")).unwrap_or_default();
            return Err(failure(FailureKind::ContentFilter, format!("the prompt was blocked, {reason}{words}")));
        }
        if let Some(usage) = chunk.get("usageMetadata").filter(|it| it.is_object()) {
            self.reply.usage = Some(read_usage(usage));
        }
        let Some(candidate) = chunk.pointer("/candidates/0") else { return Ok(()) };
        for part in candidate.pointer("/content/parts").and_then(Value::as_array).into_iter().flatten() {
            self.part(part, show);
        }
        if let Some(reason) = candidate.get("finishReason").and_then(Value::as_str) {
            self.finish = Some(finish_of(reason, candidate)?);
        }
        // The last chunk has both; nothing of interest follows.
        self.over = self.finish.is_some() && self.reply.usage.is_some();
        Ok(())
    }

    fn part(&mut self, part: &Value, show: &Shown<'_>) {
        let text = part.get("text").and_then(Value::as_str);
        if part["thought"] == true {
            self.thinking += text.unwrap_or_default();
            show.thinking(text.unwrap_or_default());
            return;
        }
        let mut place = Value::Null;
        if let Some(text) = text {
            let from = self.reply.text.len();
            self.reply.text += text;
            show.text(text);
            place = json!({"from": from, "to": self.reply.text.len()});
        }
        if let Some(call) = part.get("functionCall") {
            place = json!({"call": self.reply.calls.len()});
            let name = call["name"].as_str().unwrap_or_default().to_string();
            let args = call.get("args").filter(|it| !it.is_null());
            self.reply.calls.push(RawCall { name, args: args.map_or("{}".to_string(), Value::to_string) });
        }
        if let Some(data) = part.get("inlineData").or(part.get("inline_data")) {
            let media_type = data["mimeType"].as_str().or(data["mime_type"].as_str()).unwrap_or_default();
            if let Some(image) = made_of(media_type, data["data"].as_str().unwrap_or_default()) {
                place = json!({"image": self.reply.images.len()});
                self.reply.images.push(image);
            }
        }
        if let (Some(signature), true) = (part.get("thoughtSignature").filter(|it| it.is_string()), place.is_object()) {
            place["signature"] = signature.clone();
            self.signatures.push(place);
        }
    }
}

/// A chunk that is a piece of text. Any field that says more, such as a finish reason or a signature, makes it another one.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct Plain<'a> {
    #[serde(borrow)]
    candidates: [Candidate<'a>; 1],
    /// Counts are cumulative; the last chunk has them too.
    #[serde(rename = "usageMetadata")]
    _usage: Option<IgnoredAny>,
    #[serde(rename = "modelVersion")]
    _model: Option<IgnoredAny>,
    #[serde(rename = "responseId")]
    _id: Option<IgnoredAny>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Candidate<'a> {
    #[serde(borrow)]
    content: Content<'a>,
    #[serde(rename = "index")]
    _index: Option<IgnoredAny>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Content<'a> {
    #[serde(borrow)]
    parts: [Words<'a>; 1],
    #[serde(rename = "role")]
    _role: Option<IgnoredAny>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Words<'a> {
    #[serde(borrow)]
    text: Cow<'a, str>,
}

/// What a finish reason means; the provider may end a reply because its own model failed.
fn finish_of(reason: &str, candidate: &Value) -> Result<Finish, Failure> {
    let failed = |kind| {
        let words = candidate.get("finishMessage").and_then(Value::as_str);
        let words = words.map(|it| format!(": {it}")).unwrap_or_default();
        Err(failure(kind, format!("the provider stopped the reply: {reason}{words}")))
    };
    match reason {
        "MAX_TOKENS" => Ok(Finish::Length),
        "SAFETY" | "RECITATION" | "LANGUAGE" | "BLOCKLIST" | "PROHIBITED_CONTENT" | "SPII" | "MODEL_ARMOR" => {
            Ok(Finish::Filter)
        }
        _ if reason.starts_with("IMAGE_") => Ok(Finish::Filter),
        "MALFORMED_FUNCTION_CALL" | "UNEXPECTED_TOOL_CALL" | "TOO_MANY_TOOL_CALLS" | "MALFORMED_RESPONSE" => {
            failed(FailureKind::Malformed)
        }
        "MISSING_THOUGHT_SIGNATURE" => failed(FailureKind::BadRequest),
        "OTHER" => failed(FailureKind::Server),
        "STOP" | "FINISH_REASON_UNSPECIFIED" => Ok(Finish::Stop),
        other => Ok(Finish::Other(other.to_owned())),
    }
}

/// Thoughts are counted apart from the candidates; ours counts all of the reply.
fn read_usage(usage: &Value) -> Usage {
    let count = |key: &str| count(usage, &format!("/{key}")).unwrap_or_default();
    let thoughts = count("thoughtsTokenCount");
    Usage {
        input: Tokens(count("promptTokenCount") + count("toolUsePromptTokenCount")),
        cache_read: Tokens(count("cachedContentTokenCount")),
        cache_write: Tokens(0),
        output: Tokens(count("candidatesTokenCount") + thoughts),
        reasoning: Tokens(thoughts),
    }
}
