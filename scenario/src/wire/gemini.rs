//! Gemini's `streamGenerateContent`, from the provider's side.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use ox_model::wire::{self, WireModel};
use ox_model::{Model, Reply};
use ox_protocol::{Failure, FailureKind, Finish, ModelFacts, Usage};
use serde_json::{Value, json};

use super::check::Wrong;
use super::format::{Format, KEY, pieces, usual_status, words};
use super::server::Asked;

/// The model is one of a generation that must get its signatures back.
const GEMINI: &str = "gemini-3-mock";
/// The signature for calls that the model did not make.
const FOREIGN: &str = "skip_thought_signature_validator";

/// The format. It remembers the signatures that it gave, because they must come back.
#[derive(Default)]
pub struct Gemini {
    given: Mutex<BTreeSet<String>>,
}

impl Format for Gemini {
    fn is_path(&self, path: &str) -> bool {
        let versions = ["v1beta", "v1"];
        versions.iter().any(|it| path == format!("/{it}/models/{GEMINI}:streamGenerateContent?alt=sse"))
    }

    fn check(&self, asked: &Asked, body: &Value) -> Vec<String> {
        let body = &in_camel_case(body);
        let mut wrong = Wrong::default();
        wrong.unless(asked.header("x-goog-api-key") == KEY, || "no or another key".to_string());
        wrong.unless(asked.header("content-type") == "application/json", || "no JSON content type".to_string());
        wrong.fields(
            "the body",
            body,
            &["contents"],
            &["systemInstruction", "tools", "toolConfig", "generationConfig"],
        );
        if let Some(system) = body.get("systemInstruction") {
            wrong.fields("the system instruction", system, &["parts"], &["role"]);
            wrong.text("the system instruction", &system["parts"][0]["text"]);
        }
        if let Some(config) = body.get("generationConfig") {
            wrong.fields("generationConfig", config, &[], &["maxOutputTokens", "thinkingConfig", "temperature"]);
        }
        tools(&mut wrong, body);
        self.contents(&mut wrong, body);
        wrong.0
    }

    fn events(&self, reply: &Reply, usage: Usage, number: usize) -> Vec<String> {
        let sign = |name: &str| {
            let signature = STANDARD.encode(format!("mock-signature-{number}-{name}"));
            self.given.lock().unwrap_or_else(PoisonError::into_inner).insert(signature.clone());
            signature
        };
        let mut parts: Vec<Value> = Vec::new();
        for reasoning in &reply.reasoning {
            parts.extend(pieces(&reasoning.text).into_iter().map(|it| json!({"text": it, "thought": true})));
        }
        parts.extend(pieces(&reply.text).into_iter().map(|it| json!({"text": it})));
        for (at, call) in reply.calls.iter().enumerate() {
            let args = serde_json::from_str::<Value>(&call.args).unwrap_or_default();
            let id = format!("mock_{number}_{at}");
            let mut part = json!({"functionCall": {"id": id, "name": call.name, "args": args}});
            // Of parallel calls only the first is signed; a story without reasoning has nothing to sign.
            if at == 0 && !reply.reasoning.is_empty() {
                part["thoughtSignature"] = json!(sign("call"));
            }
            parts.push(part);
        }
        if reply.calls.is_empty() && (parts.is_empty() || !reply.reasoning.is_empty()) {
            let mut end = json!({"text": ""});
            if !reply.reasoning.is_empty() {
                end["thoughtSignature"] = json!(sign("text"));
            }
            parts.push(end);
        }
        let chunk = |content: Value| {
            json!({
                "candidates": [{"content": {"role": "model", "parts": [content]}, "index": 0}],
                "usageMetadata": {"promptTokenCount": usage.input, "totalTokenCount": usage.input},
                "modelVersion": GEMINI,
                "responseId": format!("mock{number}"),
            })
        };
        let mut chunks: Vec<Value> = parts.into_iter().map(chunk).collect();
        if let Some(last) = chunks.last_mut() {
            last["candidates"][0]["finishReason"] = json!(match &reply.finish {
                Finish::Calls | Finish::Stop => "STOP",
                Finish::Length => "MAX_TOKENS",
                Finish::Filter => "SAFETY",
                Finish::Other(word) => word,
            });
            last["usageMetadata"] = json!({
                "promptTokenCount": usage.input,
                "cachedContentTokenCount": usage.cache_read,
                "candidatesTokenCount": usage.output.0 - usage.reasoning.0,
                "thoughtsTokenCount": usage.reasoning,
                "totalTokenCount": usage.total(),
            });
        }
        chunks.iter().map(event).collect()
    }

    fn beginning(&self, text: &str) -> Vec<String> {
        let part = |it: String| json!({"candidates": [{"content": {"role": "model", "parts": [{"text": it}]}}]});
        pieces(text).into_iter().map(|it| event(&part(it))).collect()
    }

    fn error(&self, failure: &Failure) -> Value {
        let status = match failure.kind {
            FailureKind::RateLimited => "RESOURCE_EXHAUSTED",
            FailureKind::Overloaded => "UNAVAILABLE",
            FailureKind::Server => "INTERNAL",
            FailureKind::Auth => "UNAUTHENTICATED",
            FailureKind::UnknownModel => "NOT_FOUND",
            _ => "INVALID_ARGUMENT",
        };
        // The provider tells these kinds by its words alone.
        let needed = match failure.kind {
            FailureKind::Overloaded => " The model is overloaded.",
            FailureKind::Quota => " You exceeded your current quota.",
            FailureKind::ContextTooLong => " The input token count exceeds the maximum.",
            FailureKind::UnknownModel => " models/x is not found for API version v1beta",
            FailureKind::ContentFilter => " content_filter",
            _ => "",
        };
        let code = failure.status.unwrap_or_else(|| usual_status(failure.kind));
        json!({"error": {"code": code, "message": format!("{}{needed}", words(failure)), "status": status}})
    }

    fn messages(&self, body: &Value) -> Vec<Value> {
        // Turns of one role are one content, so that what grows is the list of parts.
        let contents = body["contents"].as_array().cloned().unwrap_or_default();
        contents
            .iter()
            .flat_map(|content| {
                let parts = content["parts"].as_array().cloned().unwrap_or_default();
                parts.into_iter().map(|part| json!([content["role"], part])).collect::<Vec<_>>()
            })
            .collect()
    }

    fn model(&self, facts: ModelFacts, base_url: &str) -> Arc<dyn Model> {
        Arc::new(WireModel::new(wire::Gemini::default(), facts, GEMINI, base_url, Some(KEY.to_string())))
    }
}

fn event(chunk: &Value) -> String {
    format!("data: {chunk}\r\n\r\n")
}

/// The request as the format is documented: the endpoint takes names of fields in snake case too, and the provider's own
/// client writes some that way. What the caller chose is left alone: schemas, arguments and results.
fn in_camel_case(value: &Value) -> Value {
    match value {
        Value::Array(items) => items.iter().map(in_camel_case).collect(),
        Value::Object(fields) => {
            let field = |(name, value): (&String, &Value)| {
                let mut words = name.split('_');
                let first = words.next().unwrap_or_default().to_string();
                let camel = words.fold(first, |name, word| {
                    let (head, tail) = word.split_at(word.len().min(1));
                    name + &head.to_ascii_uppercase() + tail
                });
                let chosen = ["parametersJsonSchema", "parameters", "args", "response"].contains(&camel.as_str());
                (camel, if chosen { value.clone() } else { in_camel_case(value) })
            };
            Value::Object(fields.iter().map(field).collect())
        }
        _ => value.clone(),
    }
}

fn tools(wrong: &mut Wrong, body: &Value) {
    let Some(tools) = body.get("tools") else {
        return wrong.unless(body.get("toolConfig").is_none(), || "`toolConfig` without tools".to_string());
    };
    let declared = tools.pointer("/0/functionDeclarations").and_then(Value::as_array).cloned().unwrap_or_default();
    wrong.unless(!declared.is_empty(), || "no functions are declared".to_string());
    for tool in &declared {
        wrong.fields("a function", tool, &["name", "description", "parametersJsonSchema"], &[]);
    }
    wrong.tools(declared.iter().map(|it| (&it["name"], &it["description"], &it["parametersJsonSchema"])));
    let calling = &body["toolConfig"]["functionCallingConfig"];
    let known = ["AUTO", "NONE", "ANY"].iter().any(|it| *calling == json!({"mode": it}));
    wrong.unless(known, || format!("functionCallingConfig is {calling}"));
}

impl Gemini {
    fn contents(&self, wrong: &mut Wrong, body: &Value) {
        let contents = body["contents"].as_array().cloned().unwrap_or_default();
        let role_of = |it: Option<&Value>| it.map(|it| it["role"].clone()).unwrap_or_default();
        wrong.unless(role_of(contents.first()) == "user", || "the first message is not the user's".to_string());
        wrong.unless(role_of(contents.last()) == "user", || "the last message is the model's".to_string());
        let mut ids = BTreeSet::new();
        let mut open: Vec<String> = Vec::new();
        let mut before = Value::Null;
        for (at, content) in contents.iter().enumerate() {
            let place = format!("content {at}");
            wrong.fields(&place, content, &["role", "parts"], &[]);
            wrong.unless(content["role"] != before, || format!("{place}: two contents of {before} in a row"));
            before = content["role"].clone();
            let parts = content["parts"].as_array().cloned().unwrap_or_default();
            wrong.unless(!parts.is_empty(), || format!("{place} is empty"));
            if before == "model" {
                open = self.of_model(wrong, &place, &parts, &mut ids);
            } else {
                of_user(wrong, &place, &parts, &mut open);
                wrong.unless(open.is_empty(), || format!("{place}: calls without results: {open:?}"));
                open.clear();
            }
        }
    }

    /// Checks what the model is said to have said, and answers the ids of its calls.
    fn of_model(&self, wrong: &mut Wrong, place: &str, parts: &[Value], ids: &mut BTreeSet<String>) -> Vec<String> {
        let mut open = Vec::new();
        for part in parts {
            wrong.fields(place, part, &[], &["text", "functionCall", "thoughtSignature"]);
            if let Some(signature) = part.get("thoughtSignature").and_then(Value::as_str) {
                // Both alphabets of base64 are taken; the provider's own client answers in the other one.
                let plain = signature.replace('-', "+").replace('_', "/");
                let given = self.given.lock().unwrap_or_else(PoisonError::into_inner).contains(&plain);
                wrong.unless(given || signature == FOREIGN, || format!("{place}: an invalid thought signature"));
            }
            let Some(call) = part.get("functionCall") else { continue };
            wrong.fields(place, call, &["id", "name", "args"], &[]);
            wrong.name(place, &call["name"]);
            wrong.unless(call["args"].is_object(), || format!("{place}: arguments that are no object"));
            let first = open.is_empty();
            wrong.unless(!first || part.get("thoughtSignature").is_some(), || {
                format!("{place}: function call is missing a thought_signature")
            });
            let id = call["id"].as_str().unwrap_or_default().to_string();
            wrong.unless(ids.insert(id.clone()), || format!("{place}: the id `{id}` stands twice"));
            open.push(id);
        }
        open
    }
}

fn of_user(wrong: &mut Wrong, place: &str, parts: &[Value], open: &mut Vec<String>) {
    let mut others = false;
    for part in parts {
        if let Some(response) = part.get("functionResponse") {
            wrong.fields(place, response, &["id", "name", "response"], &["parts"]);
            wrong.unless(!others, || format!("{place}: a result behind other parts"));
            wrong.unless(response["response"].is_object(), || format!("{place}: a result that is no object"));
            let id = response["id"].as_str().unwrap_or_default();
            let known = open.iter().position(|it| it == id).map(|at| open.remove(at));
            wrong.unless(known.is_some(), || format!("{place}: a result of `{id}`, which waits for none"));
            response["parts"].as_array().into_iter().flatten().for_each(|it| picture(wrong, place, it));
            continue;
        }
        others = true;
        match part.get("text") {
            Some(text) => wrong.text(place, text),
            None => picture(wrong, place, part),
        }
    }
}

fn picture(wrong: &mut Wrong, place: &str, part: &Value) {
    wrong.fields(place, part, &["inlineData"], &[]);
    let data = &part["inlineData"];
    wrong.fields(place, data, &["mimeType", "data"], &[]);
    wrong.picture(place, data["mimeType"].as_str().unwrap_or_default(), data["data"].as_str().unwrap_or_default());
}
