//! OpenAI Responses, from the provider's side.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, PoisonError};

use ox_model::wire::{OpenAiResponses, WireModel};
use ox_model::{Model, Reply};
use ox_protocol::{Failure, Finish, ModelFacts, Usage};
use serde_json::{Value, json};

use super::check::Wrong;
use super::format::{Format, KEY, MODEL, pieces, usual_code, words};
use super::server::Asked;

/// The format. It remembers the reasoning that it gave, because that must come back unchanged.
#[derive(Default)]
pub struct Responses {
    /// Items by their encrypted content.
    given: Mutex<BTreeMap<String, Value>>,
}

impl Format for Responses {
    fn is_path(&self, path: &str) -> bool {
        path == "/v1/responses"
    }

    fn check(&self, asked: &Asked, body: &Value) -> Vec<String> {
        let mut wrong = Wrong::default();
        wrong.unless(asked.header("authorization") == format!("Bearer {KEY}"), || "no or another key".to_string());
        wrong.unless(asked.header("content-type") == "application/json", || "no JSON content type".to_string());
        let also = [
            "instructions",
            "tools",
            "tool_choice",
            "parallel_tool_calls",
            "include",
            "reasoning",
            "temperature",
            "max_output_tokens",
            "prompt_cache_key",
        ];
        wrong.fields("the body", body, &["model", "input", "store", "stream"], &also);
        wrong.unless(body["model"] == MODEL, || format!("another model: {}", body["model"]));
        wrong.unless(body["stream"] == true, || "`stream` is not true".to_string());
        wrong.unless(body["store"] == false, || "the conversation would be stored".to_string());
        let limit = body.get("max_output_tokens").map(|it| it.as_u64().is_some_and(|it| it >= 16));
        wrong.unless(limit != Some(false), || "max_output_tokens is less than 16".to_string());
        for include in body["include"].as_array().into_iter().flatten() {
            wrong.unless(include == "reasoning.encrypted_content", || format!("include: {include}"));
        }
        if let Some(instructions) = body.get("instructions") {
            wrong.text("instructions", instructions);
        }
        tools(&mut wrong, body);
        self.input(&mut wrong, body);
        wrong.0
    }

    fn events(&self, reply: &Reply, usage: Usage, number: usize) -> Vec<String> {
        let mut out = Events { number: 0, index: 0, events: Vec::new(), output: Vec::new() };
        let response = |status: &str| json!({"id": format!("resp_mock{number}"), "object": "response", "created_at": 1, "status": status, "error": null, "incomplete_details": null, "model": MODEL, "output": [], "parallel_tool_calls": true, "tool_choice": "auto", "tools": [], "usage": null});
        out.send("response.created", json!({"response": response("in_progress")}));
        out.send("response.in_progress", json!({"response": response("in_progress")}));
        for (at, reasoning) in reply.reasoning.iter().enumerate() {
            let item = self.reasoning(&mut out, &format!("rs_mock_{number}_{at}"), &reasoning.text);
            out.done(item);
        }
        if !reply.text.is_empty() {
            let item = message(&mut out, &format!("msg_mock_{number}"), &reply.text);
            out.done(item);
        }
        for (at, call) in reply.calls.iter().enumerate() {
            let item = function_call(&mut out, &format!("{number}_{at}"), &call.name, &call.args);
            out.done(item);
        }
        let (name, status, reason) = match &reply.finish {
            Finish::Calls | Finish::Stop => ("response.completed", "completed", Value::Null),
            Finish::Length => ("response.incomplete", "incomplete", json!({"reason": "max_output_tokens"})),
            Finish::Filter => ("response.incomplete", "incomplete", json!({"reason": "content_filter"})),
            Finish::Other(word) => ("response.incomplete", "incomplete", json!({"reason": word})),
        };
        let mut last = response(status);
        last["output"] = json!(out.output);
        last["incomplete_details"] = reason;
        last["usage"] = json!({
            "input_tokens": usage.input,
            "input_tokens_details": {"cached_tokens": usage.cache_read, "cache_write_tokens": usage.cache_write},
            "output_tokens": usage.output,
            "output_tokens_details": {"reasoning_tokens": usage.reasoning},
            "total_tokens": usage.total(),
        });
        out.send(name, json!({"response": last}));
        out.events
    }

    fn beginning(&self, text: &str) -> Vec<String> {
        let mut out = Events { number: 0, index: 0, events: Vec::new(), output: Vec::new() };
        message(&mut out, "msg_mock", text);
        out.events.truncate(out.events.len().saturating_sub(2));
        out.events
    }

    fn error(&self, failure: &Failure) -> Value {
        let code = usual_code(failure.kind);
        json!({"error": {"message": words(failure), "type": code, "param": null, "code": code}})
    }

    fn messages(&self, body: &Value) -> Vec<Value> {
        body["input"].as_array().cloned().unwrap_or_default()
    }

    fn model(&self, facts: ModelFacts, base_url: &str) -> Arc<dyn Model> {
        Arc::new(WireModel::new(
            OpenAiResponses::default(),
            facts,
            MODEL,
            &format!("{base_url}/v1"),
            Some(KEY.to_string()),
        ))
    }
}

/// Events in the making: each has its number, each item its place.
struct Events {
    number: usize,
    index: usize,
    events: Vec<String>,
    output: Vec<Value>,
}

impl Events {
    fn send(&mut self, name: &str, fields: Value) {
        let mut data = json!({"type": name, "sequence_number": self.number});
        for (key, value) in fields.as_object().into_iter().flatten() {
            data[key] = value.clone();
        }
        self.number += 1;
        self.events.push(format!("event: {name}\ndata: {data}\n\n"));
    }

    fn added(&mut self, item: Value) {
        self.send("response.output_item.added", json!({"output_index": self.index, "item": item}));
    }

    /// The item at its end, as it stands in the whole response too.
    fn done(&mut self, item: Value) {
        self.send("response.output_item.done", json!({"output_index": self.index, "item": item}));
        self.output.push(item);
        self.index += 1;
    }

    fn deltas(&mut self, name: &str, place: &Value, whole: &str) {
        for piece in pieces(whole) {
            let mut fields = place.clone();
            fields["delta"] = json!(piece);
            self.send(&format!("response.{name}.delta"), fields);
        }
    }

    /// Deltas of one part, then its end with the whole.
    fn part(&mut self, name: &str, place: &Value, whole: (&str, &str)) {
        self.deltas(name, place, whole.1);
        let mut fields = place.clone();
        fields[whole.0] = json!(whole.1);
        self.send(&format!("response.{name}.done"), fields);
    }
}

fn message(out: &mut Events, id: &str, text: &str) -> Value {
    let item = |status: &str, content: Value| json!({"id": id, "type": "message", "status": status, "role": "assistant", "content": content});
    out.added(item("in_progress", json!([])));
    let place = json!({"item_id": id, "output_index": out.index, "content_index": 0});
    let part = |text: &str| json!({"type": "output_text", "text": text, "annotations": []});
    let mut added = place.clone();
    added["part"] = part("");
    out.send("response.content_part.added", added);
    let mut pieces = place.clone();
    pieces["logprobs"] = json!([]);
    out.part("output_text", &pieces, ("text", text));
    let mut done = place;
    done["part"] = part(text);
    out.send("response.content_part.done", done);
    item("completed", json!([part(text)]))
}

fn function_call(out: &mut Events, number: &str, name: &str, args: &str) -> Value {
    let id = format!("fc_mock_{number}");
    let item = |status: &str, args: &str| json!({"id": id, "type": "function_call", "status": status, "arguments": args, "call_id": format!("call_mock_{number}"), "name": name});
    out.added(item("in_progress", ""));
    let place = json!({"item_id": id, "output_index": out.index});
    out.deltas("function_call_arguments", &place, args);
    let mut whole = place;
    whole["name"] = json!(name);
    whole["arguments"] = json!(args);
    out.send("response.function_call_arguments.done", whole);
    item("completed", args)
}

fn tools(wrong: &mut Wrong, body: &Value) {
    let Some(tools) = body.get("tools").and_then(Value::as_array) else {
        for key in ["tool_choice", "parallel_tool_calls"] {
            wrong.unless(body.get(key).is_none(), || format!("`{key}` without tools"));
        }
        return;
    };
    for tool in tools {
        wrong.fields("a tool", tool, &["type", "name", "description", "parameters", "strict"], &[]);
        wrong.unless(tool["strict"] == false, || format!("tool {} is strict", tool["name"]));
    }
    wrong.tools(tools.iter().map(|it| (&it["name"], &it["description"], &it["parameters"])));
    let choice = &body["tool_choice"];
    let known = choice.as_str().is_some_and(|it| ["auto", "none", "required"].contains(&it));
    wrong.unless(known, || format!("tool_choice is {choice}"));
}

impl Responses {
    fn reasoning(&self, out: &mut Events, id: &str, text: &str) -> Value {
        out.added(json!({"id": id, "type": "reasoning", "encrypted_content": "begun", "summary": []}));
        let place = json!({"item_id": id, "output_index": out.index, "summary_index": 0});
        let mut added = place.clone();
        added["part"] = json!({"type": "summary_text", "text": ""});
        out.send("response.reasoning_summary_part.added", added);
        out.part("reasoning_summary_text", &place, ("text", text));
        let sealed = format!("mock-sealed-{id}");
        let item = json!({"id": id, "type": "reasoning", "summary": [{"type": "summary_text", "text": text}], "encrypted_content": sealed});
        self.given.lock().unwrap_or_else(PoisonError::into_inner).insert(sealed, item.clone());
        item
    }

    fn input(&self, wrong: &mut Wrong, body: &Value) {
        let items = body["input"].as_array().cloned().unwrap_or_default();
        wrong.unless(!items.is_empty(), || "no input".to_string());
        let mut ids = BTreeSet::new();
        let mut open: BTreeSet<String> = BTreeSet::new();
        for (at, item) in items.iter().enumerate() {
            let place = format!("item {at}");
            match item["type"].as_str() {
                Some("message") => {
                    wrong.unless(open.is_empty(), || format!("{place}: calls without results: {open:?}"));
                    message_of(wrong, &place, item);
                }
                Some("function_call") => {
                    wrong.fields(&place, item, &["type", "call_id", "name", "arguments"], &[]);
                    wrong.name(&place, &item["name"]);
                    let args = item["arguments"].as_str().unwrap_or_default();
                    let object = serde_json::from_str::<Value>(args).is_ok_and(|it| it.is_object());
                    wrong.unless(object, || format!("{place}: arguments that are no object: {args}"));
                    let id = item["call_id"].as_str().unwrap_or_default().to_string();
                    wrong.unless(!id.is_empty() && ids.insert(id.clone()), || {
                        format!("{place}: the id `{id}` stands twice")
                    });
                    open.insert(id);
                }
                Some("function_call_output") => output(wrong, &place, item, &mut open),
                Some("reasoning") => {
                    let next = items.get(at + 1).map(|it| it["type"].clone()).unwrap_or_default();
                    let followed = next == "reasoning" || next == "message" || next == "function_call";
                    wrong.unless(followed, || format!("{place}: reasoning without its required following item"));
                    let given = self.given.lock().unwrap_or_else(PoisonError::into_inner);
                    let known = given.get(item["encrypted_content"].as_str().unwrap_or_default());
                    wrong.unless(known == Some(item), || format!("{place}: a changed item of reasoning: {item}"));
                }
                _ => wrong.0.push(format!("{place}: {item}")),
            }
        }
        wrong.unless(open.is_empty(), || format!("calls without results: {open:?}"));
        let last_is_ours = items.last().is_some_and(|it| it["type"] == "message" && it["role"] == "assistant");
        wrong.unless(!last_is_ours, || "the last message is the model's".to_string());
    }
}

fn output(wrong: &mut Wrong, place: &str, item: &Value, open: &mut BTreeSet<String>) {
    wrong.fields(place, item, &["type", "call_id", "output"], &[]);
    let id = item["call_id"].as_str().unwrap_or_default();
    wrong.unless(open.remove(id), || format!("{place}: a result of `{id}`, which waits for none"));
    match item["output"].as_array() {
        Some(parts) => parts.iter().for_each(|it| content(wrong, place, it)),
        None => wrong.unless(item["output"].is_string(), || format!("{place}: a result that is no text")),
    }
}

fn message_of(wrong: &mut Wrong, place: &str, item: &Value) {
    wrong.fields(place, item, &["type", "role", "content"], &[]);
    match (item["role"].as_str(), item["content"].as_array()) {
        (Some("user" | "assistant"), None) => wrong.text(place, &item["content"]),
        (Some("user"), Some(parts)) => parts.iter().for_each(|it| content(wrong, place, it)),
        _ => wrong.0.push(format!("{place}: {item}")),
    }
}

fn content(wrong: &mut Wrong, place: &str, part: &Value) {
    match part["type"].as_str() {
        Some("input_text") => {
            wrong.fields(place, part, &["type", "text"], &[]);
            wrong.text(place, &part["text"]);
        }
        Some("input_image") => {
            wrong.fields(place, part, &["type", "image_url", "detail"], &[]);
            let url = part["image_url"].as_str().unwrap_or_default();
            let data = url.strip_prefix("data:").and_then(|it| it.split_once(";base64,")).unwrap_or_default();
            wrong.picture(place, data.0, data.1);
        }
        _ => wrong.0.push(format!("{place}: part {part}")),
    }
}
