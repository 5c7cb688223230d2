//! Our request in the words of Gemini. Pure: the same request gives the same bytes, and the contents of a longer
//! conversation begin with those of the shorter one.

use std::sync::Arc;

use ox_protocol::{Effort, Image, Message, Part, Reasoning, Role, ToolChoice, ToolSpec};
use serde_json::{Map, Value, json};

use crate::model::Request;
use crate::wire::attached::{self, Attached};
use crate::wire::format::function_name;
use crate::wire::learnt::{Learnt, Lesson};

/// Thoughts cannot be asked for.
const NO_THOUGHTS: u32 = 1;
/// Signatures of another account or model are not accepted.
const NO_SIGNATURES: u32 = 2;
/// The model sees no pictures.
const NO_IMAGES: u32 = 4;
/// Only the older form of a tool's schema is known.
const OLD_SCHEMA: u32 = 8;
/// A result carries no pictures of its own.
const NO_IMAGES_IN_RESULTS: u32 = 16;
/// Documents are not taken.
const NO_DOCUMENTS: u32 = 32;

/// What refusals teach.
pub(super) const LESSONS: &[Lesson] = &[
    (&["thought", "signature"], NO_SIGNATURES),
    (&["thinking"], NO_THOUGHTS),
    (&["include_thoughts"], NO_THOUGHTS),
    (&["parametersjsonschema"], OLD_SCHEMA),
    (&["parameters_json_schema"], OLD_SCHEMA),
    (&["function_response.parts"], NO_IMAGES_IN_RESULTS),
    (&["multimodal function response"], NO_IMAGES_IN_RESULTS),
    (&["mime type", "support"], NO_DOCUMENTS),
    (&["document", "support"], NO_DOCUMENTS),
    (&["image input"], NO_IMAGES),
    (&["image", "not", "support"], NO_IMAGES),
];

/// The signature that the provider documents for calls which its model did not make itself.
const FOREIGN: &str = "skip_thought_signature_validator";

/// The body of a streaming request.
pub(super) fn body(model: &str, request: &Request, learnt: &Learnt) -> Value {
    let version = version(model);
    let with = With {
        signatures: !learnt.has(NO_SIGNATURES),
        must_sign: version >= (3, 0),
        images: !learnt.has(NO_IMAGES),
        documents: !learnt.has(NO_DOCUMENTS),
        images_in_results: version >= (3, 0) && !learnt.has(NO_IMAGES_IN_RESULTS),
    };
    let mut body = Map::new();
    if !request.system.trim().is_empty() {
        body.insert("systemInstruction".into(), json!({"parts": [{"text": request.system}]}));
    }
    body.insert("contents".into(), Value::Array(contents(&request.messages, &with)));
    if !request.tools.is_empty() {
        let tools: Vec<Value> = request.tools.iter().map(|it| tool(it, learnt.has(OLD_SCHEMA))).collect();
        body.insert("tools".into(), json!([{"functionDeclarations": tools}]));
        body.insert("toolConfig".into(), json!({"functionCallingConfig": mode(&request.tool_choice)}));
    }
    let mut config = Map::new();
    // The provider asks to leave the temperature of its newer models alone.
    if let Some(temperature) = request.temperature.filter(|_| version < (3, 0)) {
        config.insert("temperature".into(), crate::wire::format::temperature(temperature));
    }
    if request.max_output.0 > 0 {
        config.insert("maxOutputTokens".into(), json!(request.max_output));
    }
    if version >= (2, 5) && !learnt.has(NO_THOUGHTS) {
        let mut thinking = json!({"includeThoughts": true});
        match request.effort {
            Some(effort) if version >= (3, 0) => {
                thinking["thinkingLevel"] = json!(effort.min(Effort::High));
            }
            Some(effort) => thinking["thinkingBudget"] = json!(budget(effort)),
            None => {}
        }
        config.insert("thinkingConfig".into(), thinking);
    }
    if draws(model) {
        config.insert("responseModalities".into(), json!(["TEXT", "IMAGE"]));
    }
    if !config.is_empty() {
        body.insert("generationConfig".into(), Value::Object(config));
    }
    Value::Object(body)
}

/// True for the models that answer with pictures, such as `gemini-3-pro-image`.
fn draws(model: &str) -> bool {
    let name = model.rsplit('/').next().unwrap_or(model);
    name.starts_with("gemini-") && name.split('-').any(|it| it == "image")
}

/// Major and minor version in `gemini-2.5-pro`; zero for names of another form.
fn version(model: &str) -> (u32, u32) {
    let name = model.rsplit('/').next().unwrap_or(model);
    let number = name.strip_prefix("gemini-").and_then(|it| it.split('-').next()).unwrap_or_default();
    let mut parts = number.split('.').map(|it| it.parse().unwrap_or_default());
    (parts.next().unwrap_or_default(), parts.next().unwrap_or_default())
}

/// How many tokens a model before Gemini 3 may think, as the provider itself translates OpenAI's efforts for it.
fn budget(effort: Effort) -> u32 {
    match effort {
        Effort::Minimal | Effort::Low => 1_024,
        Effort::Medium => 8_192,
        Effort::High | Effort::Xhigh | Effort::Max => 24_576,
    }
}

fn tool(spec: &ToolSpec, old: bool) -> Value {
    let mut tool = json!({"name": spec.name, "description": spec.description});
    // The older form refuses an object without properties.
    let empty = spec.schema["properties"].as_object().is_none_or(Map::is_empty);
    match old {
        true if empty => {}
        true => tool["parameters"] = spec.schema.clone(),
        false => tool["parametersJsonSchema"] = spec.schema.clone(),
    }
    tool
}

fn mode(choice: &ToolChoice) -> Value {
    match choice {
        ToolChoice::Auto => json!({"mode": "AUTO"}),
        ToolChoice::None => json!({"mode": "NONE"}),
        ToolChoice::Required => json!({"mode": "ANY"}),
    }
}

/// What of a conversation is sent, and in which form.
struct With {
    signatures: bool,
    /// The first call of each reply must bear a signature, and calls bear ids.
    must_sign: bool,
    images: bool,
    documents: bool,
    images_in_results: bool,
}

/// The contents with user and model in turn.
fn contents(messages: &[Arc<Message>], with: &With) -> Vec<Value> {
    let mut merged: Vec<(&'static str, Vec<Value>)> = Vec::new();
    for message in messages {
        let (role, parts) = match message.role {
            Role::Assistant => ("model", model(message, with)),
            Role::User | Role::Tool => ("user", user(message, with)),
        };
        match merged.last_mut() {
            _ if parts.is_empty() => {}
            Some((last, before)) if *last == role => before.extend(parts),
            _ => merged.push((role, parts)),
        }
    }
    merged.into_iter().map(|(role, parts)| json!({"role": role, "parts": parts})).collect()
}

/// Results, then pictures, then text.
fn user(message: &Message, with: &With) -> Vec<Value> {
    let (mut results, mut pictures, mut texts) = (Vec::new(), Vec::new(), Vec::new());
    for part in &message.parts {
        match part {
            Part::Result { id, name, ok, text, images } => {
                let mut response = json!({"name": function_name(name)});
                if with.must_sign {
                    response["id"] = json!(id);
                }
                response["response"] = if *ok { json!({"output": text}) } else { json!({"error": text}) };
                if with.images_in_results && !images.is_empty() && images.iter().all(|it| with.takes(it)) {
                    response["parts"] = images.iter().map(image).collect();
                } else {
                    images.iter().for_each(|it| pictures.push(picture(it, with)));
                }
                results.push(json!({"functionResponse": response}));
            }
            Part::Image { image } => pictures.push(picture(image, with)),
            Part::Text { text } if !text.is_empty() => texts.push(json!({"text": text})),
            _ => {}
        }
    }
    results.into_iter().chain(pictures).chain(texts).collect()
}

impl With {
    fn takes(&self, it: &Image) -> bool {
        if attached::is_document(it) { self.documents } else { self.images }
    }
}

fn picture(it: &Image, with: &With) -> Value {
    match Attached::of(it) {
        _ if with.takes(it) => image(it),
        Attached::Text(text) => json!({"text": attached::in_words(it, &text)}),
        Attached::Picture | Attached::Pdf => json!({"text": attached::unseen(it)}),
    }
}

/// Every text goes as a plain one: of the others each model knows some.
fn image(image: &Image) -> Value {
    let plain = matches!(Attached::of(image), Attached::Text(_));
    let media_type = if plain { "text/plain" } else { &image.media_type };
    json!({"inlineData": {"mimeType": media_type, "data": image.data}})
}

/// Text and calls, each signed part apart from the others and with its signature.
fn model(message: &Message, with: &With) -> Vec<Value> {
    let mut text = String::new();
    let mut calls: Vec<Value> = Vec::new();
    let mut pictures: Vec<Value> = Vec::new();
    let mut signatures: Vec<&Value> = Vec::new();
    for part in &message.parts {
        match part {
            Part::Text { text: words } => text += words,
            Part::Call { id, name, args } => {
                let args = if args.is_object() { args.clone() } else { json!({"unparsed": args}) };
                let mut call = json!({"name": function_name(name), "args": args});
                if with.must_sign {
                    call["id"] = json!(id);
                }
                calls.push(json!({"functionCall": call}));
            }
            Part::Image { image: it } => pictures.push(picture(it, with)),
            Part::Reasoning { reasoning } if with.signatures => signatures.extend(kept(reasoning)),
            _ => {}
        }
    }
    let mut parts = Vec::new();
    let mut said = 0;
    for it in &signatures {
        let place = |key: &str| it[key].as_u64().map(|it| it as usize);
        let call = place("call").and_then(|at| calls.get_mut(at));
        if let Some(part) = call.or(place("image").and_then(|at| pictures.get_mut(at))) {
            part["thoughtSignature"] = it["signature"].clone();
        }
        let (Some(from), Some(to)) = (place("from"), place("to")) else { continue };
        if let (Some(before), Some(signed)) = (text.get(said..from), text.get(from..to)) {
            parts.extend((!before.is_empty()).then(|| json!({"text": before})));
            parts.push(json!({"text": signed, "thoughtSignature": it["signature"]}));
            said = to;
        }
    }
    parts.extend((said < text.len()).then(|| json!({"text": &text[said..]})));
    if let Some(first) = calls.first_mut().filter(|it| with.must_sign && it.get("thoughtSignature").is_none()) {
        first["thoughtSignature"] = json!(FOREIGN);
    }
    parts.extend(pictures);
    parts.extend(calls);
    parts
}

/// The signatures of a piece of reasoning; none of another provider's.
fn kept(reasoning: &Reasoning) -> impl Iterator<Item = &Value> {
    let kept = reasoning.opaque.as_ref().filter(|it| it["type"] == super::stream::KEPT);
    kept.and_then(|it| it["signatures"].as_array()).into_iter().flatten()
}

#[cfg(test)]
mod unit {
    use expect_test::{Expect, expect};
    use ox_protocol::{CallId, FailureKind};

    use super::*;
    use crate::failure::failure;
    use crate::sample;

    fn check(model: &str, request: &Request, expected: Expect) {
        expected.assert_eq(&sample::lines(&body(model, request, &Learnt::default())));
    }

    #[test]
    fn a_whole_conversation() {
        check(
            "gemini-3-pro-preview",
            &sample::conversation(),
            expect![[r#"
            systemInstruction: {"parts":[{"text":"You are Ox."}]}
            contents:
              {"role":"user","parts":[{"text":"Context."},{"text":"Fix add."}]}
              {"role":"model","parts":[{"text":"I will look."},{"functionCall":{"name":"read_file","args":{"path":"src/lib.rs"},"id":"call_1_0"},"thoughtSignature":"skip_thought_signature_validator"},{"functionCall":{"name":"run_checks","args":{},"id":"call_1_1"}}]}
              {"role":"user","parts":[{"functionResponse":{"name":"read_file","id":"call_1_0","response":{"output":"a picture"},"parts":[{"inlineData":{"mimeType":"image/png","data":"iVBORw0="}}]}},{"functionResponse":{"name":"run_checks","id":"call_1_1","response":{"error":"1 test failed"}}},{"inlineData":{"mimeType":"image/png","data":"iVBORw0="}},{"text":"Like this:"}]}
            tools:
              {"functionDeclarations":[{"name":"read_file","description":"Does read_file.","parametersJsonSchema":{"type":"object","properties":{"path":{"type":"string"}},"required":["path"]}},{"name":"run_checks","description":"Does run_checks.","parametersJsonSchema":{"type":"object","properties":{"scope":{"type":"string"}},"required":["scope"]}}]}
            toolConfig: {"functionCallingConfig":{"mode":"AUTO"}}
            generationConfig: {"maxOutputTokens":8000,"thinkingConfig":{"includeThoughts":true}}
        "#]],
        );
    }

    #[test]
    fn the_effort_is_a_level_or_a_budget() {
        let thinking = |model: &str, effort| {
            let request = Request { effort: Some(effort), ..sample::conversation() };
            body(model, &request, &Learnt::default())["generationConfig"]["thinkingConfig"].to_string()
        };
        let cases = [
            ("gemini-3.8-flash", Effort::Minimal, r#"{"includeThoughts":true,"thinkingLevel":"minimal"}"#),
            ("gemini-3.1-pro-preview", Effort::Max, r#"{"includeThoughts":true,"thinkingLevel":"high"}"#),
            ("gemini-2.5-pro", Effort::Medium, r#"{"includeThoughts":true,"thinkingBudget":8192}"#),
            ("gemini-2.0-flash", Effort::High, "null"),
        ];
        for (model, effort, expected) in cases {
            assert_eq!(thinking(model, effort), expected, "{model}");
        }
    }

    #[test]
    fn an_older_model_and_a_forced_call() {
        let request = Request { tool_choice: ToolChoice::Required, temperature: Some(0.2), ..sample::conversation() };
        check(
            "gemini-2.0-flash",
            &request,
            expect![[r#"
            systemInstruction: {"parts":[{"text":"You are Ox."}]}
            contents:
              {"role":"user","parts":[{"text":"Context."},{"text":"Fix add."}]}
              {"role":"model","parts":[{"text":"I will look."},{"functionCall":{"name":"read_file","args":{"path":"src/lib.rs"}}},{"functionCall":{"name":"run_checks","args":{}}}]}
              {"role":"user","parts":[{"functionResponse":{"name":"read_file","response":{"output":"a picture"}}},{"functionResponse":{"name":"run_checks","response":{"error":"1 test failed"}}},{"inlineData":{"mimeType":"image/png","data":"iVBORw0="}},{"inlineData":{"mimeType":"image/png","data":"iVBORw0="}},{"text":"Like this:"}]}
            tools:
              {"functionDeclarations":[{"name":"read_file","description":"Does read_file.","parametersJsonSchema":{"type":"object","properties":{"path":{"type":"string"}},"required":["path"]}},{"name":"run_checks","description":"Does run_checks.","parametersJsonSchema":{"type":"object","properties":{"scope":{"type":"string"}},"required":["scope"]}}]}
            toolConfig: {"functionCallingConfig":{"mode":"ANY"}}
            generationConfig: {"temperature":0.2,"maxOutputTokens":8000}
        "#]],
        );
    }

    #[test]
    fn signatures_return_to_their_parts() {
        let signature = |mut at: Value, name: &str| {
            at["signature"] = json!(name);
            at
        };
        let signatures = json!([
            signature(json!({"from": 2, "to": 4}), "s-text"),
            signature(json!({"call": 0}), "s-call"),
            signature(json!({"from": 6, "to": 6}), "s-end"),
        ]);
        let opaque = Some(json!({"type": super::super::stream::KEPT, "signatures": signatures}));
        let call = |id: &str| Part::Call { id: CallId(id.into()), name: "t".into(), args: json!({}) };
        let parts = vec![
            Part::Reasoning { reasoning: Reasoning { text: "hm".into(), opaque } },
            Part::text("abcdef"),
            call("c0"),
            call("c1"),
        ];
        let message = Message { role: Role::Assistant, parts };
        let with = With { signatures: true, must_sign: true, images: true, documents: true, images_in_results: true };
        let shown: Vec<String> = model(&message, &with).iter().map(Value::to_string).collect();
        expect![[r#"
            {"text":"ab"}
            {"text":"cd","thoughtSignature":"s-text"}
            {"text":"ef"}
            {"text":"","thoughtSignature":"s-end"}
            {"functionCall":{"name":"t","args":{},"id":"c0"},"thoughtSignature":"s-call"}
            {"functionCall":{"name":"t","args":{},"id":"c1"}}"#]]
        .assert_eq(&shown.join("\n"));
        let without = model(&message, &With { signatures: false, ..with });
        assert_eq!(without[1]["thoughtSignature"], FOREIGN);
    }

    #[test]
    fn what_was_refused_is_left_out() {
        let learnt = Learnt::default();
        for words in [
            "Invalid JSON payload received. Unknown name \"parametersJsonSchema\" at 'tools[0]'",
            "Thinking is not enabled for this model.",
            "The model does not support image input.",
        ] {
            assert!(learnt.learn(&failure(FailureKind::BadRequest, words), LESSONS), "{words}");
        }
        let text = body("gemini-3-pro", &sample::conversation(), &learnt).to_string();
        for absent in ["thinkingConfig", "inlineData", "parametersJsonSchema"] {
            assert!(!text.contains(absent), "{absent}: {text}");
        }
    }

    #[test]
    fn versions() {
        for (model, expected) in [
            ("gemini-2.5-pro", (2, 5)),
            ("gemini-3-pro-preview", (3, 0)),
            ("google/gemini-3.1-pro", (3, 1)),
            ("gemma-3", (0, 0)),
        ] {
            assert_eq!(version(model), expected, "{model}");
        }
    }

    #[test]
    fn documents_and_drawing() {
        check(
            "gemini-2.5-flash",
            &sample::documents(),
            expect![[r#"
            contents:
              {"role":"user","parts":[{"text":"Draw."}]}
              {"role":"model","parts":[{"text":"Here."},{"inlineData":{"mimeType":"image/png","data":"iVBORw0="}}]}
              {"role":"user","parts":[{"inlineData":{"mimeType":"application/pdf","data":"JVBERi0xLjc="}},{"inlineData":{"mimeType":"text/plain","data":"IyBOb3Rlcwo="}},{"text":"Sum up."}]}
            generationConfig: {"maxOutputTokens":100,"thinkingConfig":{"includeThoughts":true}}
        "#]],
        );
        let draws = body("gemini-3-pro-image-preview", &sample::conversation(), &Learnt::default());
        assert_eq!(draws["generationConfig"]["responseModalities"], json!(["TEXT", "IMAGE"]));
    }
}
