//! The answer of a Messages endpoint, streamed or whole.

use ox_protocol::{Failure, Finish, Reasoning, Tokens, Usage};
use serde_json::{Value, json};

use crate::failure::from_event;
use crate::model::{RawCall, Reply};
use crate::wire::exchange::{Collector, Shown, count, cut, lacks};
use crate::wire::interleave;

/// What has come of the answer so far.
#[derive(Debug, Default)]
pub struct Stream {
    reply: Reply,
    usage: Usage,
    /// All blocks so far, in the order in which they began.
    blocks: Vec<Slot>,
    finish: Option<Finish>,
    stopped: bool,
}

/// One block. Servers that translate another format may stream several side by side, or count them all as 0.
#[derive(Debug)]
struct Slot {
    index: Option<u64>,
    /// Nothing belongs to it any more.
    done: bool,
    /// Bytes of the reply's text before it.
    text_before: usize,
    block: Block,
}

#[derive(Debug)]
enum Block {
    Text,
    Thinking { text: String, signature: String },
    Redacted { data: Value },
    Call { name: String, json: String, given: Value },
    Other,
}

impl Collector for Stream {
    fn value(&mut self, name: &str, value: &Value, show: &Shown<'_>) -> Result<(), Failure> {
        match value.get("type").and_then(Value::as_str).unwrap_or(name) {
            "message_start" => self.usage_of(value.pointer("/message/usage")),
            "content_block_start" => {
                self.close(value);
                let index = value.get("index").and_then(Value::as_u64);
                self.begin(index, value.get("content_block").unwrap_or(&Value::Null), show);
            }
            "content_block_delta" => self.delta(value, show),
            "content_block_stop" => self.close(value),
            "message_delta" => {
                self.usage_of(value.get("usage"));
                self.stop_reason(value.pointer("/delta/stop_reason"));
            }
            "message_stop" => self.stopped = true,
            "error" => return Err(from_event(value)),
            // `ping`, and whatever is added later.
            _ => {}
        }
        Ok(())
    }

    fn whole(&mut self, body: &Value, show: &Shown<'_>) -> Result<(), Failure> {
        if body.get("type").and_then(Value::as_str) == Some("error") || body.get("error").is_some() {
            return Err(from_event(body));
        }
        let Some(content) = body.get("content").and_then(Value::as_array) else {
            return Err(lacks("`content`", body));
        };
        for block in content {
            self.begin(None, block, show);
        }
        self.usage_of(body.get("usage"));
        self.stop_reason(body.get("stop_reason"));
        self.stopped = true;
        Ok(())
    }

    fn held(&self) -> usize {
        let of = |it: &Slot| match &it.block {
            Block::Thinking { text, .. } => text.len(),
            Block::Call { json, .. } => json.len(),
            Block::Text | Block::Redacted { .. } | Block::Other => 0,
        };
        self.reply.text.len() + self.blocks.iter().map(of).sum::<usize>()
    }

    fn is_over(&self) -> bool {
        self.stopped
    }

    fn is_complete(&self) -> bool {
        self.stopped || self.finish.is_some()
    }

    fn finish(mut self) -> Result<Reply, Failure> {
        if !self.is_complete() {
            return Err(cut());
        }
        for slot in std::mem::take(&mut self.blocks) {
            self.take(slot);
        }
        self.reply.usage = Some(self.usage);
        self.reply.finish = match self.finish.unwrap_or_default() {
            Finish::Stop if !self.reply.calls.is_empty() => Finish::Calls,
            finish => finish,
        };
        Ok(self.reply)
    }
}

impl Stream {
    /// A block at its beginning; whatever it already holds is taken.
    fn begin(&mut self, index: Option<u64>, block: &Value, show: &Shown<'_>) {
        let text = |key: &str| block.get(key).and_then(Value::as_str).unwrap_or_default().to_string();
        let text_before = self.reply.text.len();
        let block = match block.get("type").and_then(Value::as_str) {
            Some("text") => {
                self.reply.text += &text("text");
                show.text(&text("text"));
                Block::Text
            }
            Some("thinking") => {
                show.thinking(&text("thinking"));
                Block::Thinking { text: text("thinking"), signature: text("signature") }
            }
            Some("redacted_thinking") => Block::Redacted { data: block.get("data").cloned().unwrap_or_default() },
            Some("tool_use") => {
                let given = block.get("input").cloned().unwrap_or_default();
                Block::Call { name: text("name"), json: String::new(), given }
            }
            _ => Block::Other,
        };
        self.blocks.push(Slot { index, done: false, text_before, block });
    }

    /// The block that an event is about: the last open one of its index, or the last where it has none.
    fn open(&mut self, event: &Value) -> Option<&mut Slot> {
        let index = event.get("index").and_then(Value::as_u64);
        let fits = |it: &&mut Slot| !it.done && (index.is_none() || it.index.is_none() || it.index == index);
        self.blocks.iter_mut().rev().find(fits)
    }

    /// Ends the block that an event is about, where one is open.
    fn close(&mut self, event: &Value) {
        if let Some(slot) = self.open(event) {
            slot.done = true;
        }
    }

    fn delta(&mut self, value: &Value, show: &Shown<'_>) {
        let delta = value.get("delta").unwrap_or(&Value::Null);
        let text = |key: &str| delta.get(key).and_then(Value::as_str).unwrap_or_default();
        let kind = delta.get("type").and_then(Value::as_str);
        if kind == Some("text_delta") {
            self.reply.text += text("text");
            return show.text(text("text"));
        }
        match (kind, self.open(value).map(|it| &mut it.block)) {
            (Some("thinking_delta"), Some(Block::Thinking { text: all, .. })) => {
                *all += text("thinking");
                show.thinking(text("thinking"));
            }
            (Some("signature_delta"), Some(Block::Thinking { signature, .. })) => *signature += text("signature"),
            (Some("input_json_delta"), Some(Block::Call { json, .. })) => *json += text("partial_json"),
            _ => {}
        }
    }

    /// Takes what a block has become. Reasoning notes its place, so that it can go back there.
    fn take(&mut self, slot: Slot) {
        let at = (slot.text_before, self.reply.calls.len());
        let reasoning = |text, mut opaque: Value| {
            interleave::note_position(&mut opaque, at.0, at.1);
            Reasoning { text, opaque: Some(opaque) }
        };
        match slot.block {
            Block::Thinking { text, signature } => {
                self.reply.reasoning.push(reasoning(text, json!({"type": "thinking", "signature": signature})));
            }
            Block::Redacted { data } => {
                let kept = json!({"type": "redacted_thinking", "data": data});
                self.reply.reasoning.push(reasoning(String::new(), kept));
            }
            Block::Call { name, json, given } => {
                let args = match (json.trim().is_empty(), given) {
                    (false, _) => json,
                    (true, Value::Null) => "{}".to_string(),
                    (true, given) => given.to_string(),
                };
                self.reply.calls.push(RawCall { name, args });
            }
            Block::Text | Block::Other => {}
        }
    }

    /// Counts are cumulative: later ones replace earlier ones. Ours counts the whole prompt, cached parts included.
    fn usage_of(&mut self, usage: Option<&Value>) {
        let Some(usage) = usage else { return };
        let count = |key: &str| count(usage, &format!("/{key}"));
        let fresh = self.usage.input.0 - self.usage.cache_read.0 - self.usage.cache_write.0;
        let fresh = count("input_tokens").unwrap_or(fresh);
        let read = count("cache_read_input_tokens").unwrap_or(self.usage.cache_read.0);
        let written = count("cache_creation_input_tokens").unwrap_or(self.usage.cache_write.0);
        let reasoning = usage.pointer("/output_tokens_details/thinking_tokens").and_then(Value::as_u64);
        self.usage = Usage {
            input: Tokens(fresh + read + written),
            cache_read: Tokens(read),
            cache_write: Tokens(written),
            output: count("output_tokens").map_or(self.usage.output, Tokens),
            reasoning: reasoning.map_or(self.usage.reasoning, Tokens),
        };
    }

    fn stop_reason(&mut self, reason: Option<&Value>) {
        if let Some(reason) = reason.and_then(Value::as_str) {
            self.finish = Some(match reason {
                "tool_use" => Finish::Calls,
                "max_tokens" | "model_context_window_exceeded" => Finish::Length,
                "refusal" => Finish::Filter,
                "end_turn" | "stop_sequence" | "pause_turn" => Finish::Stop,
                other => Finish::Other(other.to_owned()),
            });
        }
    }
}
