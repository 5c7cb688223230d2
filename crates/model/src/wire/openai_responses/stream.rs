//! The answer of a Responses endpoint, streamed or whole.
//!
//! Each piece of text is shown once, whether it comes as deltas, with the end of its part, or with the whole response.

use ox_protocol::{Failure, FailureKind, Finish, Reasoning, Tokens, Usage};
use serde_json::{Value, json};

use super::items::{Items, Kind, Slot};
use crate::failure::{failure, from_event};
use crate::model::{RawCall, Reply};
use crate::wire::attached::made_of;
use crate::wire::exchange::{Collector, Shown, count, cut, lacks};
use crate::wire::interleave;

/// The type under which reasoning items are kept.
pub(super) const KEPT: &str = "openai_reasoning";

/// What has come of the answer so far.
#[derive(Debug, Default)]
pub struct Stream {
    text: String,
    items: Items,
    finish: Option<Finish>,
    usage: Option<Usage>,
    done: bool,
}

impl Collector for Stream {
    fn end(&mut self) {
        self.done = true;
    }

    fn value(&mut self, name: &str, value: &Value, show: &Shown<'_>) -> Result<(), Failure> {
        let name = value.get("type").and_then(Value::as_str).unwrap_or(name);
        match name {
            "response.completed" | "response.incomplete" | "response.failed" | "response.done" => {
                self.response(value.get("response").unwrap_or(value), show)
            }
            "error" | "response.error" => Err(from_event(value)),
            // A proxy may answer with an error object that has no type.
            _ if value.get("type").is_none() && value.get("error").is_some_and(|it| !it.is_null()) => {
                Err(from_event(value))
            }
            _ => {
                self.piece(name, value, show);
                Ok(())
            }
        }
    }

    fn whole(&mut self, body: &Value, show: &Shown<'_>) -> Result<(), Failure> {
        if body.get("output").is_none() && body.get("error").is_none_or(Value::is_null) {
            return Err(lacks("`output`", body));
        }
        self.response(body, show)
    }

    fn held(&self) -> usize {
        self.text.len() + self.items.held()
    }

    fn is_over(&self) -> bool {
        self.done || self.finish.is_some()
    }

    fn is_complete(&self) -> bool {
        self.finish.is_some()
    }

    fn finish(self) -> Result<Reply, Failure> {
        let Some(finish) = self.finish else { return Err(cut()) };
        let mut reply = Reply { text: self.text, usage: self.usage, ..Reply::default() };
        let all = self.items.into_sorted().into_iter().flat_map(|Slot { kind, before, text_before, .. }| {
            before.into_iter().chain([kind]).map(move |kind| (kind, text_before))
        });
        for (kind, text_before) in all {
            match kind {
                Kind::Reasoning { text, item } => {
                    let opaque = item.is_object().then(|| {
                        let mut kept = json!({"type": KEPT, "item": item});
                        interleave::note_position(&mut kept, text_before, reply.calls.len());
                        kept
                    });
                    if !text.is_empty() || opaque.is_some() {
                        reply.reasoning.push(Reasoning { text, opaque });
                    }
                }
                Kind::Call { name, args } => reply.calls.push(RawCall { name, args }),
                Kind::Picture(image) => reply.images.extend(image),
                Kind::Message(_) | Kind::Other => {}
            }
        }
        reply.finish = if finish == Finish::Stop && !reply.calls.is_empty() { Finish::Calls } else { finish };
        Ok(reply)
    }
}

impl Stream {
    /// Takes an event about one item.
    fn piece(&mut self, name: &str, value: &Value, show: &Shown<'_>) {
        let Some(what) = name.strip_prefix("response.") else { return };
        let about_an_item = ["output_item.", "output_text.", "refusal.", "function_call_arguments.", "reasoning_"];
        if !about_an_item.iter().any(|it| what.starts_with(it)) {
            return;
        }
        let slot = self.items.of(value, self.text.len());
        let text = |key: &str| value.get(key).and_then(Value::as_str).unwrap_or_default();
        let part = value["content_index"].as_u64().unwrap_or_default() as usize;
        match what {
            "output_item.added" => item(slot, &value["item"], false, &mut self.text, show),
            "output_item.done" => item(slot, &value["item"], true, &mut self.text, show),
            "output_text.delta" | "refusal.delta" => say(slot, part, text("delta"), &mut self.text, show),
            "output_text.done" => rest(slot, part, text("text"), &mut self.text, show),
            "refusal.done" => rest(slot, part, text("refusal"), &mut self.text, show),
            "reasoning_summary_part.added" => think_apart(slot, show),
            "reasoning_summary_text.delta" | "reasoning_text.delta" => think(slot, text("delta"), show),
            "function_call_arguments.delta" => call(slot).1.push_str(text("delta")),
            // The end repeats the whole; what it says counts.
            "function_call_arguments.done" if !text("arguments").is_empty() => {
                *call(slot).1 = text("arguments").to_string()
            }
            _ => {}
        }
    }

    /// Takes a response at its end: whatever of it has not come before, and why it ended.
    fn response(&mut self, response: &Value, show: &Shown<'_>) -> Result<(), Failure> {
        if let Some(error) = response.get("error").filter(|it| !it.is_null()) {
            return Err(from_event(error));
        }
        for (index, output) in response["output"].as_array().into_iter().flatten().enumerate() {
            let event = json!({"output_index": index, "item": {"id": output["id"]}});
            let slot = self.items.of(&event, self.text.len());
            if !slot.done {
                item(slot, output, true, &mut self.text, show);
            }
        }
        self.usage = response.get("usage").filter(|it| it.is_object()).map(read_usage).or(self.usage);
        let reason = response.pointer("/incomplete_details/reason").and_then(Value::as_str);
        self.finish = Some(match (response["status"].as_str(), reason) {
            (Some("failed" | "cancelled"), _) => {
                return Err(failure(FailureKind::Server, "the provider stopped the reply without saying why"));
            }
            (_, Some("content_filter")) => Finish::Filter,
            (_, Some("max_output_tokens")) | (Some("incomplete"), None) => Finish::Length,
            (_, Some(other)) => Finish::Other(other.to_owned()),
            _ => Finish::Stop,
        });
        Ok(())
    }
}

/// Takes an item as it begins or ends.
fn item(slot: &mut Slot, item: &Value, done: bool, all: &mut String, show: &Shown<'_>) {
    let text = |key: &str| item.get(key).and_then(Value::as_str).unwrap_or_default();
    match text("type") {
        "message" => {
            for (part, content) in item["content"].as_array().into_iter().flatten().enumerate() {
                let words = content["text"].as_str().or(content["refusal"].as_str()).unwrap_or_default();
                rest(slot, part, words, all, show);
            }
        }
        "function_call" => {
            let (name, args) = call(slot);
            if name.is_empty() {
                *name = text("name").to_string();
            }
            match &item["arguments"] {
                Value::String(whole) if !whole.is_empty() => whole.clone_into(args),
                whole @ Value::Object(_) => *args = whole.to_string(),
                _ if done && args.trim().is_empty() => *args = "{}".to_string(),
                _ => {}
            }
        }
        "image_generation_call" if done => {
            let format = item["output_format"].as_str().unwrap_or("png");
            let image = made_of(&format!("image/{format}"), text("result"));
            slot.become_kind(Kind::Picture(image));
        }
        "reasoning" => {
            let seen = matches!(&slot.kind, Kind::Reasoning { text, .. } if !text.is_empty());
            for part in ["summary", "content"].iter().flat_map(|it| item[it].as_array()).flatten().filter(|_| !seen) {
                think_apart(slot, show);
                think(slot, part["text"].as_str().unwrap_or_default(), show);
            }
            if let (true, Kind::Reasoning { item: kept, .. }) = (done, reasoning(slot)) {
                *kept = sendable(item);
            }
        }
        _ => {}
    }
    slot.done |= done;
}

/// The item as it may go back; nothing where the provider would have to look it up, because it stores nothing for us.
fn sendable(item: &Value) -> Value {
    let has_content = item["content"].as_array().is_some_and(|it| !it.is_empty());
    if item["encrypted_content"].as_str().is_none_or(str::is_empty) && !has_content {
        return Value::Null;
    }
    let mut item = item.clone();
    if let Some(fields) = item.as_object_mut() {
        fields.remove("status");
        fields.entry("summary").or_insert(json!([]));
    }
    item
}

fn parts(slot: &mut Slot) -> &mut Vec<usize> {
    if !matches!(slot.kind, Kind::Message(_)) {
        slot.become_kind(Kind::Message(Vec::new()));
    }
    let Kind::Message(parts) = &mut slot.kind else { unreachable!("it was just made a message") };
    parts
}

fn call(slot: &mut Slot) -> (&mut String, &mut String) {
    if !matches!(slot.kind, Kind::Call { .. }) {
        slot.become_kind(Kind::Call { name: String::new(), args: String::new() });
    }
    let Kind::Call { name, args } = &mut slot.kind else { unreachable!("it was just made a call") };
    (name, args)
}

fn reasoning(slot: &mut Slot) -> &mut Kind {
    if !matches!(slot.kind, Kind::Reasoning { .. }) {
        slot.become_kind(Kind::Reasoning { text: String::new(), item: Value::Null });
    }
    &mut slot.kind
}

/// Shows more of a part.
fn say(slot: &mut Slot, part: usize, words: &str, all: &mut String, show: &Shown<'_>) {
    const PARTS: usize = 1 << 10;
    let parts = parts(slot);
    let part = part.min(PARTS);
    if parts.len() <= part {
        parts.resize(part + 1, 0);
    }
    parts[part] += words.len();
    *all += words;
    show.text(words);
}

/// Shows what of a whole part has not been shown.
fn rest(slot: &mut Slot, part: usize, whole: &str, all: &mut String, show: &Shown<'_>) {
    let shown = parts(slot).get(part).copied().unwrap_or_default();
    if let Some(words) = whole.get(shown..).filter(|it| !it.is_empty()) {
        say(slot, part, words, all, show);
    }
}

fn think(slot: &mut Slot, words: &str, show: &Shown<'_>) {
    if let Kind::Reasoning { text, .. } = reasoning(slot) {
        *text += words;
        show.thinking(words);
    }
}

/// A new part of a summary is a new paragraph.
fn think_apart(slot: &mut Slot, show: &Shown<'_>) {
    if matches!(&slot.kind, Kind::Reasoning { text, .. } if !text.is_empty()) {
        think(slot, "\n\n", show);
    }
}

fn read_usage(usage: &Value) -> Usage {
    let count = |path: &str| Tokens(count(usage, path).unwrap_or_default());
    Usage {
        input: count("/input_tokens"),
        cache_read: count("/input_tokens_details/cached_tokens"),
        cache_write: count("/input_tokens_details/cache_write_tokens"),
        output: count("/output_tokens"),
        reasoning: count("/output_tokens_details/reasoning_tokens"),
    }
}
