//! The three wire formats that the mock model speaks: OpenAI chat completions, OpenAI Responses, Anthropic Messages.
//!
//! It reads just what the script needs of a request, and writes complete, streamed replies.

use serde_json::{Value, json};

/// A provider's format, told from the request's path.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Format {
    /// `/chat/completions`
    Chat,
    /// `/responses`
    Responses,
    /// `/messages`
    Messages,
}

/// What the script needs to know of a request.
#[derive(Debug, PartialEq)]
pub struct Ask {
    /// Offered tools: name and schema of the arguments.
    pub tools: Vec<(String, Value)>,
    /// Results of calls that the request carries.
    pub results: usize,
}

/// What the model says.
#[derive(Debug, PartialEq, Clone)]
pub enum Reply {
    /// One call: tool and arguments.
    Call(String, Value),
    /// The end.
    Text(String),
}

impl Format {
    /// The format spoken at `path`.
    pub fn of(path: &str) -> Option<Format> {
        let path = path.split('?').next().unwrap_or(path);
        [("/chat/completions", Format::Chat), ("/responses", Format::Responses), ("/messages", Format::Messages)]
            .into_iter()
            .find_map(|(end, format)| path.ends_with(end).then_some(format))
    }

    /// Reads a request.
    pub fn read(self, body: &Value) -> Ask {
        let tools = list(&body["tools"]).map(|tool| match self {
            Format::Chat => (text(&tool["function"]["name"]), tool["function"]["parameters"].clone()),
            Format::Responses => (text(&tool["name"]), tool["parameters"].clone()),
            Format::Messages => (text(&tool["name"]), tool["input_schema"].clone()),
        });
        let results = match self {
            Format::Chat => list(&body["messages"]).filter(|message| message["role"] == "tool").count(),
            Format::Responses => list(&body["input"]).filter(|item| item["type"] == "function_call_output").count(),
            Format::Messages => list(&body["messages"])
                .flat_map(|message| list(&message["content"]))
                .filter(|block| block["type"] == "tool_result")
                .count(),
        };
        Ask { tools: tools.collect(), results }
    }

    /// All that a model would read of the request: system prompt, tools and messages, as one text to count.
    pub fn prompt(self, body: &Value) -> String {
        let mut prompt = String::new();
        for key in ["system", "instructions", "messages", "input"] {
            strings(&body[key], &mut prompt);
        }
        if let Some(tools) = body.get("tools") {
            prompt.push_str(&tools.to_string());
        }
        prompt
    }

    /// The events of a streamed reply, each as one server-sent event.
    pub fn stream(self, reply: &Reply, number: usize) -> Vec<String> {
        match self {
            Format::Chat => chat(reply, number),
            Format::Responses => responses(reply, number),
            Format::Messages => messages(reply, number),
        }
    }

    /// A reply in one piece, for clients that do not stream. Only chat completions are asked that way by a loop; in
    /// the other formats it is a side question (a title, a token count), and any answer will do.
    pub fn whole(self, reply: &Reply, number: usize) -> Value {
        let usage = json!({ "prompt_tokens": 1000, "completion_tokens": 20, "total_tokens": 1020,
                            "input_tokens": 1000, "output_tokens": 20 });
        let (finish, message, words) = match reply {
            Reply::Text(words) => ("stop", json!({ "role": "assistant", "content": words }), words.as_str()),
            Reply::Call(name, args) => {
                let function = json!({ "name": name, "arguments": args.to_string() });
                let call = json!({ "id": format!("call_{number}"), "type": "function", "function": function });
                ("tool_calls", json!({ "role": "assistant", "content": null, "tool_calls": [call] }), "ok")
            }
        };
        json!({
            "id": format!("mock-{number}"), "object": "chat.completion", "created": 1, "model": "mock", "usage": usage,
            "choices": [{ "index": 0, "finish_reason": finish, "message": message }],
            "type": "message", "role": "assistant", "stop_reason": "end_turn",
            "content": [{ "type": "text", "text": words }],
        })
    }
}

fn list(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

/// Collects what is said in messages: strings and the `text` of their parts.
fn strings(value: &Value, out: &mut String) {
    match value {
        Value::String(text) => {
            out.push_str(text);
            out.push('\n');
        }
        Value::Array(items) => items.iter().for_each(|item| strings(item, out)),
        Value::Object(fields) => {
            for key in ["content", "text", "arguments", "tool_calls", "function", "output"] {
                fields.get(key).into_iter().for_each(|field| strings(field, out));
            }
        }
        _ => {}
    }
}

fn chat(reply: &Reply, number: usize) -> Vec<String> {
    let chunk = |delta: Value, finish: Value| {
        let choice = json!({ "index": 0, "delta": delta, "finish_reason": finish });
        let object = "chat.completion.chunk";
        data(
            &json!({ "id": format!("mock-{number}"), "object": object, "created": 1, "model": "mock", "choices": [choice] }),
        )
    };
    let mut events = vec![chunk(json!({ "role": "assistant", "content": "" }), Value::Null)];
    let finish = match reply {
        Reply::Text(words) => {
            events.push(chunk(json!({ "content": words }), Value::Null));
            "stop"
        }
        Reply::Call(name, args) => {
            let head = json!({ "index": 0, "id": format!("call_{number}"), "type": "function",
                               "function": { "name": name, "arguments": "" } });
            events.push(chunk(json!({ "tool_calls": [head] }), Value::Null));
            for piece in pieces(&args.to_string()) {
                let part = json!({ "index": 0, "function": { "arguments": piece } });
                events.push(chunk(json!({ "tool_calls": [part] }), Value::Null));
            }
            "tool_calls"
        }
    };
    events.push(chunk(json!({}), json!(finish)));
    let usage = json!({ "prompt_tokens": 1000, "completion_tokens": 20, "total_tokens": 1020 });
    events.push(data(&json!({ "id": format!("mock-{number}"), "object": "chat.completion.chunk", "created": 1,
                              "model": "mock", "choices": [], "usage": usage })));
    events.push("data: [DONE]\n\n".to_owned());
    events
}

fn responses(reply: &Reply, number: usize) -> Vec<String> {
    let id = format!("resp_{number}");
    let item = match reply {
        Reply::Text(words) => json!({ "type": "message", "id": format!("msg_{number}"), "role": "assistant",
            "status": "completed", "content": [{ "type": "output_text", "text": words, "annotations": [] }] }),
        Reply::Call(name, args) => {
            json!({ "type": "function_call", "id": format!("fc_{number}"), "status": "completed",
            "call_id": format!("call_{number}"), "name": name, "arguments": args.to_string() })
        }
    };
    let usage = json!({ "input_tokens": 1000, "input_tokens_details": { "cached_tokens": 0 }, "output_tokens": 20,
                        "output_tokens_details": { "reasoning_tokens": 0 }, "total_tokens": 1020 });
    let done = json!({ "id": id, "object": "response", "status": "completed", "model": "mock", "output": [item], "usage": usage });
    let begun = json!({ "id": id, "object": "response", "status": "in_progress", "model": "mock", "output": [] });
    vec![
        event("response.created", json!({ "response": begun })),
        event("response.output_item.added", json!({ "output_index": 0, "item": item })),
        event("response.output_item.done", json!({ "output_index": 0, "item": item })),
        event("response.completed", json!({ "response": done })),
    ]
}

fn messages(reply: &Reply, number: usize) -> Vec<String> {
    let usage = json!({ "input_tokens": 1000, "output_tokens": 20 });
    let message = json!({ "id": format!("msg_{number}"), "type": "message", "role": "assistant", "model": "mock",
                          "content": [], "stop_reason": null, "stop_sequence": null, "usage": usage });
    let (block, deltas, stop) = match reply {
        Reply::Text(words) => {
            let delta = json!({ "type": "text_delta", "text": words });
            (json!({ "type": "text", "text": "" }), vec![delta], "end_turn")
        }
        Reply::Call(name, args) => {
            let args = args.to_string();
            let deltas =
                pieces(&args).map(|piece| json!({ "type": "input_json_delta", "partial_json": piece })).collect();
            (
                json!({ "type": "tool_use", "id": format!("toolu_{number}"), "name": name, "input": {} }),
                deltas,
                "tool_use",
            )
        }
    };
    let mut events = vec![
        event("message_start", json!({ "message": message })),
        event("content_block_start", json!({ "index": 0, "content_block": block })),
    ];
    events.extend(deltas.into_iter().map(|delta| event("content_block_delta", json!({ "index": 0, "delta": delta }))));
    events.push(event("content_block_stop", json!({ "index": 0 })));
    let delta = json!({ "stop_reason": stop, "stop_sequence": null });
    events.push(event("message_delta", json!({ "delta": delta, "usage": { "output_tokens": 20 } })));
    events.push(event("message_stop", json!({})));
    events
}

/// Arguments arrive in pieces, as from a real model; the arguments here are ASCII.
fn pieces(text: &str) -> impl Iterator<Item = &str> {
    text.as_bytes().chunks(16).map(|piece| std::str::from_utf8(piece).expect("the script's arguments are ASCII"))
}

fn data(value: &Value) -> String {
    format!("data: {value}\n\n")
}

fn event(kind: &str, mut fields: Value) -> String {
    fields["type"] = json!(kind);
    format!("event: {kind}\ndata: {fields}\n\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_is_read_alike_in_each_format() {
        let schema = json!({ "type": "object" });
        let chat = json!({ "tools": [{ "type": "function", "function": { "name": "a", "parameters": schema } }],
            "messages": [{ "role": "user", "content": "x" }, { "role": "tool", "content": "y" }] });
        let responses = json!({ "tools": [{ "type": "function", "name": "a", "parameters": schema }],
            "input": [{ "type": "function_call_output", "output": "y" }] });
        let messages = json!({ "tools": [{ "name": "a", "input_schema": schema }],
            "messages": [{ "role": "user", "content": [{ "type": "tool_result", "content": "y" }] }] });
        for (path, body) in
            [("/v1/chat/completions", chat), ("/v1/responses", responses), ("/v1/messages?beta=true", messages)]
        {
            let format = Format::of(path).expect("a known path");
            assert_eq!(format.read(&body), Ask { tools: vec![("a".into(), schema.clone())], results: 1 }, "{path}");
        }
        assert_eq!(Format::of("/v1/models"), None);
    }

    #[test]
    fn the_counted_prompt_holds_system_tools_and_messages() {
        let body = json!({ "model": "m", "tools": [{ "name": "t" }], "messages": [
            { "role": "system", "content": "sys" }, { "role": "user", "content": [{ "type": "text", "text": "hi" }] }] });
        assert_eq!(Format::Chat.prompt(&body), "sys\nhi\n[{\"name\":\"t\"}]");
    }

    #[test]
    fn streamed_arguments_add_up() {
        let args = json!({ "path": "a/long/path/to/some/file.rs" });
        let events = Format::Chat.stream(&Reply::Call("read_file".into(), args.clone()), 1);
        let mut joined = String::new();
        for event in &events {
            let payload = event.trim().strip_prefix("data: ").expect("each event is a data line");
            let value: Value = serde_json::from_str(payload).unwrap_or_default();
            joined +=
                value["choices"][0]["delta"]["tool_calls"][0]["function"]["arguments"].as_str().unwrap_or_default();
        }
        assert_eq!(serde_json::from_str::<Value>(&joined).expect("whole JSON"), args);
        assert_eq!(events.last().map(String::as_str), Some("data: [DONE]\n\n"));
    }
}
