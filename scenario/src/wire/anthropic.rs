//! Anthropic Messages, from the provider's side.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, PoisonError};

use ox_model::wire::{self, WireModel};
use ox_model::{Model, Reply};
use ox_protocol::{Failure, Finish, ModelFacts, Usage};
use serde_json::{Value, json};

use super::check::Wrong;
use super::format::{Format, KEY, MODEL, pieces, usual_code, words};
use super::server::Asked;

/// The format. It remembers the reasoning that it gave, because that must come back unchanged.
#[derive(Default)]
pub struct Anthropic {
    /// Text by signature.
    given: Mutex<BTreeMap<String, String>>,
}

impl Format for Anthropic {
    fn is_path(&self, path: &str) -> bool {
        path == "/v1/messages"
    }

    fn check(&self, asked: &Asked, body: &Value) -> Vec<String> {
        let mut wrong = Wrong::default();
        // The provider's own client sends the key as a bearer token, and the later version.
        let bearer = asked.header("authorization").strip_prefix("Bearer ");
        wrong
            .unless([Some(asked.header("x-api-key")), bearer].contains(&Some(KEY)), || "no or another key".to_string());
        let version = asked.header("anthropic-version");
        wrong.unless(["2023-06-01", "2026-10-21"].contains(&version), || format!("unknown version `{version}`"));
        wrong.unless(asked.header("content-type") == "application/json", || "no JSON content type".to_string());
        let also = ["system", "tools", "tool_choice", "temperature", "thinking", "output_config"];
        wrong.fields("the body", body, &["model", "max_tokens", "messages", "stream"], &also);
        wrong.unless(body["model"] == MODEL, || format!("another model: {}", body["model"]));
        wrong.unless(body["stream"] == true, || "`stream` is not true".to_string());
        wrong.unless(body["max_tokens"].as_u64().is_some_and(|it| it > 0), || "max_tokens is not positive".to_string());
        let forced = body["tool_choice"]["type"] == "any";
        wrong.unless(body.get("thinking").is_none() || !forced, || "thinking while a tool is forced".to_string());
        system(&mut wrong, body);
        tools(&mut wrong, body);
        self.messages_of(&mut wrong, body);
        let marks = body.to_string().matches("\"cache_control\"").count();
        wrong.unless((1..=4).contains(&marks), || format!("{marks} cache markers"));
        wrong.0
    }

    fn events(&self, reply: &Reply, usage: Usage, number: usize) -> Vec<String> {
        let fresh = usage.input.0.saturating_sub(usage.cache_read.0 + usage.cache_write.0);
        let start = json!({
            "id": format!("msg_mock{number}"), "type": "message", "role": "assistant", "content": [], "model": MODEL,
            "stop_reason": null, "stop_sequence": null,
            "usage": {
                "input_tokens": fresh, "cache_creation_input_tokens": usage.cache_write,
                "cache_read_input_tokens": usage.cache_read, "output_tokens": 1,
            },
        });
        let mut events = vec![event("message_start", json!({"message": start})), event("ping", json!({}))];
        let mut index = 0;
        let mut block = |begin: Value, deltas: Vec<Value>| {
            events.push(event("content_block_start", json!({"index": index, "content_block": begin})));
            let delta = |it: Value| event("content_block_delta", json!({"index": index, "delta": it}));
            events.extend(deltas.into_iter().map(delta));
            events.push(event("content_block_stop", json!({"index": index})));
            index += 1;
        };
        for (at, reasoning) in reply.reasoning.iter().enumerate() {
            let signature = format!("mock-signature-{number}-{at}");
            self.given.lock().unwrap_or_else(PoisonError::into_inner).insert(signature.clone(), reasoning.text.clone());
            let text = pieces(&reasoning.text).into_iter().map(|it| json!({"type": "thinking_delta", "thinking": it}));
            let deltas = text.chain([json!({"type": "signature_delta", "signature": signature})]).collect();
            block(json!({"type": "thinking", "thinking": "", "signature": ""}), deltas);
        }
        if !reply.text.is_empty() {
            let deltas = pieces(&reply.text).into_iter().map(|it| json!({"type": "text_delta", "text": it}));
            block(json!({"type": "text", "text": ""}), deltas.collect());
        }
        for (at, call) in reply.calls.iter().enumerate() {
            let begin =
                json!({"type": "tool_use", "id": format!("toolu_mock_{number}_{at}"), "name": call.name, "input": {}});
            let args = if call.args == "{}" { "" } else { &call.args };
            let deltas = [String::new()].into_iter().chain(pieces(args));
            block(begin, deltas.map(|it| json!({"type": "input_json_delta", "partial_json": it})).collect());
        }
        let reason = match &reply.finish {
            Finish::Calls => "tool_use",
            Finish::Stop => "end_turn",
            Finish::Length => "max_tokens",
            Finish::Filter => "refusal",
            Finish::Other(word) => word,
        };
        let delta = json!({"stop_reason": reason, "stop_sequence": null});
        events.push(event("message_delta", json!({"delta": delta, "usage": {"output_tokens": usage.output}})));
        events.push(event("message_stop", json!({})));
        events
    }

    fn beginning(&self, text: &str) -> Vec<String> {
        let start = json!({"usage": {"input_tokens": 1, "output_tokens": 1}});
        let begin = json!({"index": 0, "content_block": {"type": "text", "text": ""}});
        let mut events = vec![event("message_start", json!({"message": start})), event("content_block_start", begin)];
        let delta = |it: String| json!({"index": 0, "delta": {"type": "text_delta", "text": it}});
        events.extend(pieces(text).into_iter().map(|it| event("content_block_delta", delta(it))));
        events
    }

    fn error(&self, failure: &Failure) -> Value {
        let code = usual_code(failure.kind);
        json!({"type": "error", "error": {"type": code, "message": words(failure)}, "request_id": "req_mock"})
    }

    fn messages(&self, body: &Value) -> Vec<Value> {
        let mut messages = body["messages"].as_array().cloned().unwrap_or_default();
        for block in messages.iter_mut().filter_map(|it| it["content"].as_array_mut()).flatten() {
            block.as_object_mut().and_then(|it| it.remove("cache_control"));
        }
        messages
    }

    fn model(&self, facts: ModelFacts, base_url: &str) -> Arc<dyn Model> {
        let format = wire::Anthropic::default();
        Arc::new(WireModel::new(format, facts, MODEL, base_url, Some(KEY.to_string())))
    }
}

/// An event; `type` stands first in its data, as the provider writes it.
fn event(name: &str, fields: Value) -> String {
    let mut data = json!({"type": name});
    for (key, value) in fields.as_object().into_iter().flatten() {
        data[key] = value.clone();
    }
    format!("event: {name}\ndata: {data}\n\n")
}

fn is_marked(block: Option<&Value>) -> bool {
    block.is_some_and(|it| it["cache_control"] == json!({"type": "ephemeral"}))
}

fn system(wrong: &mut Wrong, body: &Value) {
    let Some(system) = body.get("system") else { return };
    let blocks = system.as_array().cloned().unwrap_or_default();
    for block in &blocks {
        wrong.fields("system", block, &["type", "text"], &["cache_control"]);
        wrong.text("system", &block["text"]);
    }
    wrong.unless(is_marked(blocks.last()), || "the last block of the system prompt has no cache marker".to_string());
}

fn tools(wrong: &mut Wrong, body: &Value) {
    let Some(tools) = body.get("tools").and_then(Value::as_array) else {
        return wrong.unless(body.get("tool_choice").is_none(), || "`tool_choice` without tools".to_string());
    };
    for tool in tools {
        wrong.fields("a tool", tool, &["name", "description", "input_schema"], &["cache_control"]);
    }
    wrong.tools(tools.iter().map(|it| (&it["name"], &it["description"], &it["input_schema"])));
    wrong.unless(is_marked(tools.last()), || "the last tool has no cache marker".to_string());
    let choice = &body["tool_choice"];
    let known = ["auto", "any", "none"].iter().any(|it| *choice == json!({"type": it}));
    wrong.unless(known, || format!("tool_choice is {choice}"));
}

impl Anthropic {
    fn messages_of(&self, wrong: &mut Wrong, body: &Value) {
        let messages = body["messages"].as_array().cloned().unwrap_or_default();
        wrong.unless(messages.first().is_some_and(|it| it["role"] == "user"), || {
            "the first message is not the user's".to_string()
        });
        wrong.unless(messages.last().is_some_and(|it| it["role"] == "user"), || {
            "the last message is not the user's".to_string()
        });
        let last = messages.last().and_then(|it| it["content"].as_array()).and_then(|it| it.last());
        wrong.unless(is_marked(last), || "the last block of the last message has no cache marker".to_string());
        let mut ids = BTreeSet::new();
        let mut open: BTreeSet<String> = BTreeSet::new();
        let mut before = "";
        for (at, message) in messages.iter().enumerate() {
            let place = format!("message {at}");
            let role = message["role"].as_str().unwrap_or_default();
            wrong.fields(&place, message, &["role", "content"], &[]);
            wrong.unless(role != before, || format!("{place}: two messages of `{role}` in a row"));
            let blocks = message["content"].as_array().cloned().unwrap_or_default();
            wrong.unless(!blocks.is_empty(), || format!("{place} is empty"));
            if role == "assistant" {
                open = self.assistant(wrong, &place, &blocks, &mut ids);
            } else {
                user(wrong, &place, &blocks, &mut open);
                wrong.unless(open.is_empty(), || format!("{place}: calls without results: {open:?}"));
                open.clear();
            }
            before = role;
        }
    }

    /// Checks an assistant message and answers the ids of its calls.
    fn assistant(
        &self,
        wrong: &mut Wrong,
        place: &str,
        blocks: &[Value],
        ids: &mut BTreeSet<String>,
    ) -> BTreeSet<String> {
        let mut open = BTreeSet::new();
        for block in blocks {
            match block["type"].as_str() {
                Some("text") => {
                    wrong.fields(place, block, &["type", "text"], &["cache_control"]);
                    wrong.text(place, &block["text"]);
                }
                Some("thinking") => {
                    wrong.fields(place, block, &["type", "thinking", "signature"], &[]);
                    let given = self.given.lock().unwrap_or_else(PoisonError::into_inner);
                    let known = given.get(block["signature"].as_str().unwrap_or_default());
                    wrong.unless(known.map(String::as_str) == block["thinking"].as_str(), || {
                        format!("{place}: Invalid `signature` in a changed block of reasoning: {block}")
                    });
                }
                Some("redacted_thinking") => wrong.fields(place, block, &["type", "data"], &[]),
                Some("tool_use") => {
                    wrong.fields(place, block, &["type", "id", "name", "input"], &["cache_control"]);
                    wrong.name(place, &block["name"]);
                    wrong.unless(block["input"].is_object(), || format!("{place}: input that is no object"));
                    let id = block["id"].as_str().unwrap_or_default().to_string();
                    wrong.name(&format!("{place}: id"), &block["id"]);
                    wrong.unless(ids.insert(id.clone()), || format!("{place}: the id `{id}` stands twice"));
                    open.insert(id);
                }
                _ => wrong.0.push(format!("{place}: block {block}")),
            }
        }
        open
    }
}

fn user(wrong: &mut Wrong, place: &str, blocks: &[Value], open: &mut BTreeSet<String>) {
    let mut others = false;
    for block in blocks {
        match block["type"].as_str() {
            Some("tool_result") => {
                wrong.fields(place, block, &["type", "tool_use_id", "content"], &["is_error", "cache_control"]);
                wrong.unless(!others, || format!("{place}: a result behind other blocks"));
                let id = block["tool_use_id"].as_str().unwrap_or_default();
                wrong.unless(open.remove(id), || format!("{place}: a result of `{id}`, which waits for none"));
                match block["content"].as_array() {
                    Some(inner) => inner.iter().for_each(|it| content(wrong, place, it)),
                    None => wrong.unless(block["content"].is_string(), || format!("{place}: a result that is no text")),
                }
            }
            _ => {
                others = true;
                content(wrong, place, block);
            }
        }
    }
}

fn content(wrong: &mut Wrong, place: &str, block: &Value) {
    match block["type"].as_str() {
        Some("text") => {
            wrong.fields(place, block, &["type", "text"], &["cache_control"]);
            wrong.text(place, &block["text"]);
        }
        Some("image") => {
            wrong.fields(place, block, &["type", "source"], &["cache_control"]);
            let source = &block["source"];
            wrong.fields(place, source, &["type", "media_type", "data"], &[]);
            let text = |key: &str| source[key].as_str().unwrap_or_default();
            wrong.picture(place, text("media_type"), text("data"));
        }
        _ => wrong.0.push(format!("{place}: block {block}")),
    }
}
