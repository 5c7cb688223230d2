//! OpenAI chat completions, from the provider's side.

use std::collections::BTreeSet;
use std::sync::Arc;

use ox_model::wire::{OpenAiChat, WireModel};
use ox_model::{Model, Reply, xml};
use ox_protocol::{Failure, FailureKind, Finish, ModelFacts, Usage};
use serde_json::{Value, json};

use super::check::Wrong;
use super::format::{Format, KEY, MODEL, pieces, plain, usual_code, words};
use super::server::Asked;

/// The format; without `tools` the endpoint refuses them and its model writes calls as XML.
pub struct OpenAi {
    /// False where the endpoint refuses tools and its model writes calls as XML.
    pub tools: bool,
    /// False where requests are not ours to judge.
    pub checks: bool,
}

impl Format for OpenAi {
    fn is_path(&self, path: &str) -> bool {
        path == "/v1/chat/completions"
    }

    fn check(&self, asked: &Asked, body: &Value) -> Vec<String> {
        let mut wrong = Wrong::default();
        if !self.checks {
            return wrong.0;
        }
        wrong.unless(asked.header("authorization") == format!("Bearer {KEY}"), || "no or another key".to_string());
        wrong.unless(asked.header("content-type") == "application/json", || "no JSON content type".to_string());
        let also = [
            "tools",
            "tool_choice",
            "parallel_tool_calls",
            "prompt_cache_key",
            "reasoning_effort",
            "max_tokens",
            "max_completion_tokens",
            "temperature",
            "stream_options",
        ];
        wrong.fields("the body", body, &["model", "messages", "stream"], &also);
        wrong.unless(body["model"] == MODEL, || format!("another model: {}", body["model"]));
        wrong.unless(body["stream"] == true, || "`stream` is not true".to_string());
        let limits = ["max_tokens", "max_completion_tokens"].iter().filter(|it| body.get(**it).is_some());
        wrong.unless(limits.count() < 2, || "two limits of the reply".to_string());
        if let Some(options) = body.get("stream_options") {
            wrong.fields("stream_options", options, &["include_usage"], &[]);
        }
        tools(&mut wrong, body);
        messages(&mut wrong, body);
        wrong.0
    }

    fn refusal(&self, body: &Value) -> Option<Failure> {
        let refused = !self.tools && body.get("tools").is_some();
        refused.then(|| plain(FailureKind::ToolsRejected, 400, &format!("{MODEL} does not support tools")))
    }

    fn events(&self, reply: &Reply, usage: Usage, number: usize) -> Vec<String> {
        let text = if self.tools { reply.text.clone() } else { xml::written(reply) };
        let mut deltas = vec![json!({"role": "assistant", "content": "", "refusal": null})];
        for reasoning in &reply.reasoning {
            deltas.extend(pieces(&reasoning.text).into_iter().map(|it| json!({"reasoning_content": it})));
        }
        deltas.extend(pieces(&text).into_iter().map(|it| json!({"content": it})));
        for (index, call) in reply.calls.iter().enumerate().filter(|_| self.tools) {
            let id = format!("call_mock_{number}_{index}");
            let function = json!({"name": call.name, "arguments": ""});
            deltas.push(json!({"tool_calls": [{"index": index, "id": id, "type": "function", "function": function}]}));
            for piece in pieces(&call.args) {
                deltas.push(json!({"tool_calls": [{"index": index, "function": {"arguments": piece}}]}));
            }
        }
        let reason = match &reply.finish {
            Finish::Calls if self.tools => "tool_calls",
            Finish::Calls | Finish::Stop => "stop",
            Finish::Length => "length",
            Finish::Filter => "content_filter",
            Finish::Other(word) => word,
        };
        let mut events: Vec<String> = deltas.into_iter().map(|it| chunk(number, &it, &Value::Null)).collect();
        events.push(chunk(number, &json!({}), &json!(reason)));
        let usage = json!({
            "prompt_tokens": usage.input,
            "completion_tokens": usage.output,
            "total_tokens": usage.total(),
            "prompt_tokens_details": {"cached_tokens": usage.cache_read, "audio_tokens": 0},
            "completion_tokens_details": {"reasoning_tokens": usage.reasoning},
        });
        let mut last = base(number);
        last["choices"] = json!([]);
        last["usage"] = usage;
        events.push(event(&last));
        events.push("data: [DONE]\n\n".to_string());
        events
    }

    fn beginning(&self, text: &str) -> Vec<String> {
        pieces(text).into_iter().map(|it| chunk(0, &json!({"content": it}), &Value::Null)).collect()
    }

    fn error(&self, failure: &Failure) -> Value {
        let code = usual_code(failure.kind);
        json!({"error": {"message": words(failure), "type": code, "param": null, "code": code}})
    }

    fn messages(&self, body: &Value) -> Vec<Value> {
        body["messages"].as_array().cloned().unwrap_or_default()
    }

    fn model(&self, facts: ModelFacts, base_url: &str) -> Arc<dyn Model> {
        let (format, url) = (OpenAiChat::default(), format!("{base_url}/v1"));
        Arc::new(WireModel::new(format, facts, MODEL, &url, Some(KEY.to_string())))
    }
}

fn base(number: usize) -> Value {
    json!({
        "id": format!("chatcmpl-mock{number}"),
        "object": "chat.completion.chunk",
        "created": 1,
        "model": MODEL,
        "service_tier": "default",
    })
}

fn chunk(number: usize, delta: &Value, finish: &Value) -> String {
    let mut chunk = base(number);
    chunk["choices"] = json!([{"index": 0, "delta": delta, "logprobs": null, "finish_reason": finish}]);
    chunk["usage"] = Value::Null;
    event(&chunk)
}

fn event(value: &Value) -> String {
    format!("data: {value}\n\n")
}

fn tools(wrong: &mut Wrong, body: &Value) {
    let Some(tools) = body.get("tools").and_then(Value::as_array) else {
        for key in ["tool_choice", "parallel_tool_calls"] {
            wrong.unless(body.get(key).is_none(), || format!("`{key}` without tools"));
        }
        return;
    };
    wrong.unless(!tools.is_empty(), || "`tools` is empty".to_string());
    for tool in tools {
        wrong.fields("a tool", tool, &["type", "function"], &[]);
        wrong.fields("a tool's function", &tool["function"], &["name", "description", "parameters"], &[]);
    }
    wrong.tools(tools.iter().map(|it| &it["function"]).map(|it| (&it["name"], &it["description"], &it["parameters"])));
    let choice = &body["tool_choice"];
    let known = choice.as_str().is_some_and(|it| ["auto", "none", "required"].contains(&it));
    wrong.unless(known, || format!("tool_choice is {choice}"));
}

fn messages(wrong: &mut Wrong, body: &Value) {
    let messages = body["messages"].as_array().cloned().unwrap_or_default();
    wrong.unless(!messages.is_empty(), || "no messages".to_string());
    let mut ids = BTreeSet::new();
    let mut open: BTreeSet<String> = BTreeSet::new();
    let mut before = "";
    for (at, message) in messages.iter().enumerate() {
        let place = format!("message {at}");
        let role = message["role"].as_str().unwrap_or_default();
        wrong.unless(role == "tool" || open.is_empty(), || format!("{place}: calls without results: {open:?}"));
        match role {
            "system" => {
                wrong.unless(at == 0, || format!("{place}: a system message that is not the first"));
                wrong.fields(&place, message, &["role", "content"], &[]);
                wrong.text(&place, &message["content"]);
            }
            "user" => {
                wrong.unless(before != "user", || format!("{place}: two messages of the user in a row"));
                wrong.fields(&place, message, &["role", "content"], &[]);
                user(wrong, &place, &message["content"]);
            }
            "assistant" => {
                wrong.unless(before == "user" || before == "tool", || format!("{place}: assistant after `{before}`"));
                wrong.fields(
                    &place,
                    message,
                    &["role", "content"],
                    &["tool_calls", "reasoning_content", "reasoning_details"],
                );
                open = assistant(wrong, &place, message, &mut ids);
            }
            "tool" => {
                wrong.fields(&place, message, &["role", "tool_call_id", "content"], &[]);
                let id = message["tool_call_id"].as_str().unwrap_or_default();
                wrong.unless(open.remove(id), || format!("{place}: a result of `{id}`, which waits for none"));
                wrong.unless(message["content"].is_string(), || format!("{place}: a result that is no text"));
            }
            other => wrong.0.push(format!("{place}: role `{other}`")),
        }
        before = role;
    }
    wrong.unless(open.is_empty(), || format!("calls without results: {open:?}"));
    wrong.unless(matches!(before, "user" | "tool"), || format!("the last message is of `{before}`"));
}

fn user(wrong: &mut Wrong, place: &str, content: &Value) {
    let Some(parts) = content.as_array() else { return wrong.text(place, content) };
    let mut text_seen = false;
    for part in parts {
        match part["type"].as_str() {
            Some("text") => {
                text_seen = true;
                wrong.fields(place, part, &["type", "text"], &[]);
                wrong.text(place, &part["text"]);
            }
            Some("image_url") => {
                wrong.unless(!text_seen, || format!("{place}: a picture behind the text"));
                wrong.fields(place, part, &["type", "image_url"], &[]);
                wrong.fields(place, &part["image_url"], &["url", "detail"], &[]);
                let url = part["image_url"]["url"].as_str().unwrap_or_default();
                let data = url.strip_prefix("data:").and_then(|it| it.split_once(";base64,")).unwrap_or_default();
                wrong.picture(place, data.0, data.1);
            }
            _ => wrong.0.push(format!("{place}: part {part}")),
        }
    }
}

/// Checks an assistant message and answers the ids of its calls.
fn assistant(wrong: &mut Wrong, place: &str, message: &Value, ids: &mut BTreeSet<String>) -> BTreeSet<String> {
    let content = &message["content"];
    let calls = message["tool_calls"].as_array().cloned().unwrap_or_default();
    wrong.unless(content.is_string() || (content.is_null() && !calls.is_empty()), || format!("{place}: says nothing"));
    wrong.unless(message.get("tool_calls").is_none() || !calls.is_empty(), || {
        format!("{place}: an empty list of calls")
    });
    let mut open = BTreeSet::new();
    for call in &calls {
        wrong.fields(place, call, &["id", "type", "function"], &[]);
        wrong.fields(place, &call["function"], &["name", "arguments"], &[]);
        wrong.name(place, &call["function"]["name"]);
        let args = call["function"]["arguments"].as_str().unwrap_or_default();
        let object = serde_json::from_str::<Value>(args).is_ok_and(|it| it.is_object());
        wrong.unless(object, || format!("{place}: arguments that are no object: {args}"));
        let id = call["id"].as_str().unwrap_or_default().to_string();
        wrong.unless(!id.is_empty() && ids.insert(id.clone()), || format!("{place}: the id `{id}` stands twice"));
        open.insert(id);
    }
    open
}
