//! Bodies of answers in each format, from what a model is to say.

use ox_model::{RawCall, Reply};
use ox_protocol::{Finish, Tokens, Usage};
use ox_scenario::wire::{Anthropic, Format as _, Gemini, Responses};
use serde_json::{Value, json};

/// What an answer says that it used.
const USAGE: Usage =
    Usage { input: Tokens(10), cache_read: Tokens(0), cache_write: Tokens(0), output: Tokens(5), reasoning: Tokens(0) };

/// A call as it stands in an answer; fields may be missing or odd on purpose.
#[derive(Clone, Debug, Default)]
pub struct Said {
    pub text: String,
    pub reasoning: String,
    pub calls: Vec<Value>,
    /// The finish reason in the words of chat completions; `stop` or `tool_calls` where it is empty.
    pub finish: String,
    pub usage: Option<Value>,
}

impl Said {
    pub fn text(text: &str) -> Said {
        Said { text: text.to_string(), ..Said::default() }
    }

    /// A call of `name` with arguments as JSON text.
    pub fn call(name: &str, args: &str) -> Said {
        let function = json!({"name": name, "arguments": args});
        Said { calls: vec![json!({"id": "call_a", "type": "function", "function": function})], ..Said::default() }
    }
}

impl Said {
    /// As a model's reply, what is odd about its calls left out.
    fn reply(&self) -> Reply {
        let text = |it: &Value| it.as_str().map_or_else(|| it.to_string(), str::to_string);
        let call =
            |it: &Value| RawCall { name: text(&it["function"]["name"]), args: text(&it["function"]["arguments"]) };
        let finish = match self.finish.as_str() {
            "length" => Finish::Length,
            "content_filter" => Finish::Filter,
            _ if self.calls.is_empty() => Finish::Stop,
            _ => Finish::Calls,
        };
        Reply { text: self.text.clone(), calls: self.calls.iter().map(call).collect(), finish, ..Reply::default() }
    }
}

fn event(value: &Value) -> String {
    format!("data: {value}\n\n")
}

fn named(name: &str, mut value: Value) -> String {
    value["type"] = json!(name);
    format!("event: {name}\ndata: {value}\n\n")
}

/// The answer in `format`; chat completions where the format has no other. Only these are ever odd.
pub fn of(format: &str, said: &Said) -> String {
    match format {
        "anthropic" => Anthropic::default().events(&said.reply(), USAGE, 1).concat(),
        "openai-responses" => Responses::default().events(&said.reply(), USAGE, 1).concat(),
        "gemini" => Gemini::default().events(&said.reply(), USAGE, 1).concat(),
        _ => chat(said),
    }
}

fn chat(said: &Said) -> String {
    let delta = |delta: Value| event(&json!({"choices": [{"index": 0, "delta": delta, "finish_reason": null}]}));
    let mut out = String::new();
    if !said.reasoning.is_empty() {
        out += &delta(json!({"reasoning_content": said.reasoning}));
    }
    if !said.text.is_empty() {
        // In two pieces, so that something is held back where it has to be.
        let half = said.text.char_indices().nth(said.text.chars().count() / 2).map_or(0, |it| it.0);
        out += &delta(json!({"content": said.text[..half]}));
        out += &delta(json!({"content": said.text[half..]}));
    }
    for (index, call) in said.calls.iter().enumerate() {
        let mut call = call.clone();
        call["index"] = json!(index);
        out += &delta(json!({"tool_calls": [call]}));
    }
    let usual = if said.calls.is_empty() { "stop" } else { "tool_calls" };
    let finish = if said.finish.is_empty() { usual } else { &said.finish };
    out += &event(&json!({"choices": [{"index": 0, "delta": {}, "finish_reason": finish}]}));
    if let Some(usage) = &said.usage {
        out += &event(&json!({"choices": [], "usage": usage}));
    }
    out + "data: [DONE]\n\n"
}

/// A stream of Anthropic's events by their names alone: `content_block_start:tool_use`, `input_json_delta:{"a"`, `error`.
pub fn events(names: &[&str]) -> String {
    let mut out = String::new();
    let mut block = "text";
    for name in names {
        let (name, detail) = name.split_once(':').unwrap_or((name, ""));
        let delta = |delta: Value| named("content_block_delta", json!({"index": 0, "delta": delta}));
        out += &match name {
            "message_start" => named(name, json!({"message": {"usage": {"input_tokens": 10, "output_tokens": 1}}})),
            "content_block_start" => {
                block = if detail.is_empty() { "text" } else { detail };
                let begin = match block {
                    "tool_use" => json!({"type": block, "id": "toolu_1", "name": "read_file", "input": {}}),
                    "thinking" => json!({"type": block, "thinking": "", "signature": ""}),
                    _ => json!({"type": block, "text": ""}),
                };
                named(name, json!({"index": 0, "content_block": begin}))
            }
            "content_block_delta" if block == "tool_use" => {
                let json = if detail.is_empty() { r#"{"path":"a.rs"}"# } else { detail };
                delta(json!({"type": "input_json_delta", "partial_json": json}))
            }
            "content_block_delta" if block == "thinking" => delta(json!({"type": "thinking_delta", "thinking": "Hm."})),
            "content_block_delta" => delta(json!({"type": "text_delta", "text": "Half a text."})),
            "text_delta" => delta(json!({"type": "text_delta", "text": detail})),
            "thinking_delta" => delta(json!({"type": "thinking_delta", "thinking": detail})),
            "signature_delta" => delta(json!({"type": "signature_delta", "signature": detail})),
            "input_json_delta" => delta(json!({"type": "input_json_delta", "partial_json": detail})),
            "content_block_stop" => named(name, json!({"index": 0})),
            "message_delta" => {
                let reason = if detail.is_empty() { "end_turn" } else { detail };
                named(name, json!({"delta": {"stop_reason": reason}, "usage": {"output_tokens": 5}}))
            }
            "error" => {
                let kind = if detail.is_empty() { "overloaded_error" } else { detail };
                let words = kind.replace('_', " ");
                named(name, json!({"error": {"type": kind, "message": words}}))
            }
            other => named(other, json!({})),
        };
    }
    out
}
