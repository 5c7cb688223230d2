//! The three wire formats that the mock model speaks: OpenAI chat completions, OpenAI Responses, Anthropic Messages.
//!
//! It reads just what the script needs of a request; replies are streamed as the scenarios' servers stream them.

use ox_model::{RawCall, Reply};
use ox_protocol::{Tokens, Usage};
use ox_scenario::wire::{Anthropic, Format as _, OpenAi, Responses};
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
        let usage = Usage { input: Tokens(1000), output: Tokens(20), ..Usage::default() };
        match self {
            Format::Chat => OpenAi { tools: true, checks: false }.events(reply, usage, number),
            Format::Responses => Responses::default().events(reply, usage, number),
            Format::Messages => Anthropic::default().events(reply, usage, number),
        }
    }

    /// A reply in one piece, for clients that do not stream. Only chat completions are asked that way by a loop; in
    /// the other formats it is a side question (a title, a token count), and any answer will do.
    pub fn whole(self, reply: &Reply, number: usize) -> Value {
        let usage = json!({ "prompt_tokens": 1000, "completion_tokens": 20, "total_tokens": 1020,
                            "input_tokens": 1000, "output_tokens": 20 });
        let (finish, message, words) = match reply.calls.first() {
            None => ("stop", json!({ "role": "assistant", "content": reply.text }), reply.text.as_str()),
            Some(RawCall { name, args }) => {
                let function = json!({ "name": name, "arguments": args });
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
}
