//! Bodies of answers in each format, from what a model is to say.

use serde_json::{Value, json};

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

fn event(value: &Value) -> String {
    format!("data: {value}\n\n")
}

fn named(name: &str, mut value: Value) -> String {
    value["type"] = json!(name);
    format!("event: {name}\ndata: {value}\n\n")
}

/// The answer in `format`; chat completions where the format has no other.
pub fn of(format: &str, said: &Said) -> String {
    match format {
        "anthropic" => anthropic(said),
        "openai-responses" => responses(said),
        "gemini" => gemini(said),
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

fn anthropic(said: &Said) -> String {
    let start = json!({"message": {"usage": {"input_tokens": 10, "output_tokens": 1}}});
    let mut out = named("message_start", start);
    let mut index = 0;
    let mut block = |begin: Value, delta: Value| {
        out += &named("content_block_start", json!({"index": index, "content_block": begin}));
        out += &named("content_block_delta", json!({"index": index, "delta": delta}));
        out += &named("content_block_stop", json!({"index": index}));
        index += 1;
    };
    if !said.text.is_empty() {
        block(json!({"type": "text", "text": ""}), json!({"type": "text_delta", "text": said.text}));
    }
    for call in &said.calls {
        let begin = json!({"type": "tool_use", "id": call["id"], "name": call["function"]["name"], "input": {}});
        block(begin, json!({"type": "input_json_delta", "partial_json": call["function"]["arguments"]}));
    }
    let reason = match said.finish.as_str() {
        "length" => "max_tokens",
        "content_filter" => "refusal",
        _ if said.calls.is_empty() => "end_turn",
        _ => "tool_use",
    };
    out += &named("message_delta", json!({"delta": {"stop_reason": reason}, "usage": {"output_tokens": 5}}));
    out + &named("message_stop", json!({}))
}

fn responses(said: &Said) -> String {
    let mut output = Vec::new();
    if !said.text.is_empty() {
        output.push(json!({"id": "m", "type": "message", "content": [{"type": "output_text", "text": said.text}]}));
    }
    for call in &said.calls {
        let function = &call["function"];
        output.push(json!({
            "id": call["id"], "call_id": call["id"], "type": "function_call",
            "name": function["name"], "arguments": function["arguments"],
        }));
    }
    let (name, status, reason) = match said.finish.as_str() {
        "length" => ("response.incomplete", "incomplete", json!({"reason": "max_output_tokens"})),
        "content_filter" => ("response.incomplete", "incomplete", json!({"reason": "content_filter"})),
        _ => ("response.completed", "completed", Value::Null),
    };
    named(name, json!({"response": {"status": status, "incomplete_details": reason, "output": output}}))
}

fn gemini(said: &Said) -> String {
    let mut parts = Vec::new();
    if !said.text.is_empty() {
        parts.push(json!({"text": said.text}));
    }
    for call in &said.calls {
        let args = &call["function"]["arguments"];
        let args = args.as_str().map_or(Some(args.clone()), |it| serde_json::from_str::<Value>(it).ok());
        parts.push(json!({"functionCall": {"name": call["function"]["name"], "args": args}}));
    }
    let reason = match said.finish.as_str() {
        "length" => "MAX_TOKENS",
        "content_filter" => "SAFETY",
        _ => "STOP",
    };
    let candidate = json!({"content": {"role": "model", "parts": parts}, "finishReason": reason});
    event(&json!({"candidates": [candidate], "usageMetadata": {"promptTokenCount": 10, "candidatesTokenCount": 5}}))
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
