//! Our request in the words of OpenAI Responses. Pure: the same request gives the same bytes, and the input of a longer
//! conversation begins with that of the shorter one.

use ox_protocol::{Image, Message, ModelFacts, Part, Role, ToolSpec};
use serde_json::{Map, Value, json};

use crate::model::Request;
use crate::wire::attached::{self, Attached};
use crate::wire::format::function_name;
use crate::wire::learnt::{Learnt, Lesson};
use crate::wire::{cache, interleave};

/// The temperature cannot be chosen.
const NO_TEMPERATURE: u32 = 1;
/// Summaries of the reasoning are not given to this account.
const NO_SUMMARY: u32 = 2;
/// The model does not reason.
const NO_REASONING: u32 = 4;
/// `parallel_tool_calls` is unknown.
const NO_PARALLEL: u32 = 8;
/// The limit is more than the model can; it is left out.
const NO_LIMIT: u32 = 16;
/// The model sees no pictures.
const NO_IMAGES: u32 = 32;
/// The reasoning of earlier replies is not accepted: another account or model produced it.
const NO_REASONING_BACK: u32 = 64;
/// Documents are not taken.
const NO_DOCUMENTS: u32 = 128;
/// `prompt_cache_key` is unknown.
const NO_CACHE_KEY: u32 = 256;

/// What refusals teach.
pub(super) const LESSONS: &[Lesson] = &[
    (&["encrypted content", "could not be"], NO_REASONING_BACK),
    (&["reasoning", "without its required"], NO_REASONING_BACK),
    (&["item", "type 'reasoning'"], NO_REASONING_BACK),
    (&["encrypted content is not supported"], NO_REASONING),
    (&["summar", "verified"], NO_SUMMARY),
    (&["reasoning.summary"], NO_SUMMARY),
    (&["'reasoning"], NO_REASONING),
    (&["reasoning", "not supported"], NO_REASONING),
    (&["input_file"], NO_DOCUMENTS),
    (&["file_data"], NO_DOCUMENTS),
    (&["pdf", "support"], NO_DOCUMENTS),
    (&["temperature"], NO_TEMPERATURE),
    (&["parallel_tool_calls"], NO_PARALLEL),
    (&["prompt_cache_key"], NO_CACHE_KEY),
    (&["max_output_tokens"], NO_LIMIT),
    (&["input_image"], NO_IMAGES),
    (&["image input"], NO_IMAGES),
    (&["support image"], NO_IMAGES),
];

/// The least that the endpoint takes as a limit.
const LEAST_OUTPUT: u64 = 16;

/// The body of a streaming request.
pub(super) fn body(model: &str, facts: &ModelFacts, request: &Request, learnt: &Learnt) -> Value {
    let reasons = (facts.reasons || reasons(model)) && !learnt.has(NO_REASONING);
    let mut body = Map::new();
    body.insert("model".into(), json!(model));
    if !request.system.trim().is_empty() {
        body.insert("instructions".into(), json!(request.system));
    }
    let with = With {
        reasoning: !learnt.has(NO_REASONING_BACK),
        images: !learnt.has(NO_IMAGES),
        documents: !learnt.has(NO_DOCUMENTS),
    };
    body.insert("input".into(), request.messages.iter().flat_map(|it| items(it, &with)).collect());
    if !request.tools.is_empty() {
        body.insert("tools".into(), request.tools.iter().map(tool).collect());
        body.insert("tool_choice".into(), json!(request.tool_choice));
        if !learnt.has(NO_PARALLEL) {
            body.insert("parallel_tool_calls".into(), json!(true));
        }
    }
    if reasons {
        // Nothing is stored at the provider, so the reasoning must travel with us.
        body.insert("include".into(), json!(["reasoning.encrypted_content"]));
        let summary = (!learnt.has(NO_SUMMARY)).then(|| ("summary".to_string(), json!("auto")));
        let effort = request.effort.map(|it| ("effort".to_string(), json!(it)));
        let reasoning: Map<String, Value> = effort.into_iter().chain(summary).collect();
        if !reasoning.is_empty() {
            body.insert("reasoning".into(), Value::Object(reasoning));
        }
    } else if let Some(temperature) = request.temperature.filter(|_| !learnt.has(NO_TEMPERATURE)) {
        body.insert("temperature".into(), crate::wire::format::temperature(temperature));
    }
    if request.max_output.0 > 0 && !learnt.has(NO_LIMIT) {
        body.insert("max_output_tokens".into(), json!(request.max_output.0.max(LEAST_OUTPUT)));
    }
    if !learnt.has(NO_CACHE_KEY) {
        body.insert("prompt_cache_key".into(), json!(cache::key(request)));
    }
    body.insert("store".into(), json!(false));
    body.insert("stream".into(), json!(true));
    Value::Object(body)
}

/// True for OpenAI's models that reason: the `o` series, and GPT from 5 on but for its chat models.
fn reasons(model: &str) -> bool {
    let name = model.rsplit('/').next().unwrap_or(model);
    let version = name.strip_prefix("gpt-").and_then(|it| it.split(['-', '.']).next()).and_then(|it| it.parse().ok());
    let series_o = name.strip_prefix('o').is_some_and(|it| it.starts_with(|c: char| c.is_ascii_digit()));
    series_o || (version.is_some_and(|it: u32| it >= 5) && !name.contains("-chat"))
}

/// Not strict: a strict schema must list every property as required.
fn tool(spec: &ToolSpec) -> Value {
    json!({
        "type": "function",
        "name": spec.name,
        "description": spec.description,
        "parameters": spec.schema,
        "strict": false,
    })
}

/// What of a conversation is sent.
struct With {
    reasoning: bool,
    images: bool,
    documents: bool,
}

impl With {
    /// The attachment as a part of a content; in words where it cannot be one.
    fn attachment(&self, it: &Image) -> Result<Value, String> {
        match Attached::of(it) {
            Attached::Picture if self.images => Ok(image(it)),
            Attached::Pdf | Attached::Text(_) if self.documents => Ok(json!({
                "type": "input_file",
                "filename": attached::file_name(it),
                "file_data": attached::data_url(it),
            })),
            Attached::Text(text) => Err(attached::in_words(it, &text)),
            Attached::Picture | Attached::Pdf => Err(attached::unseen(it)),
        }
    }
}

fn items(message: &Message, with: &With) -> Vec<Value> {
    match message.role {
        Role::Assistant => assistant(message, with.reasoning),
        Role::User | Role::Tool => user(message, with),
    }
}

/// The results, then what the user says; pictures before the text.
fn user(message: &Message, with: &With) -> Vec<Value> {
    let mut out = Vec::new();
    let mut pictures = Vec::new();
    let mut texts: Vec<String> = Vec::new();
    for part in &message.parts {
        match part {
            Part::Result { id, text, images, .. } => out.push(result(&id.0, text, images, with)),
            Part::Image { image } => match with.attachment(image) {
                Ok(part) => pictures.push(part),
                Err(words) => texts.push(words),
            },
            Part::Text { text } if !text.is_empty() => texts.push(text.clone()),
            _ => {}
        }
    }
    let text = texts.join("\n\n");
    let content = match (pictures.is_empty(), text.is_empty()) {
        (true, true) => return out,
        (true, false) => json!(text),
        (false, true) => Value::Array(pictures),
        (false, false) => pictures.into_iter().chain([json!({"type": "input_text", "text": text})]).collect(),
    };
    out.push(json!({"type": "message", "role": "user", "content": content}));
    out
}

fn result(id: &str, text: &str, images: &[Image], with: &With) -> Value {
    let (parts, words): (Vec<_>, Vec<_>) = images.iter().map(|it| with.attachment(it)).partition(Result::is_ok);
    let parts: Vec<Value> = parts.into_iter().flatten().collect();
    let words = words.into_iter().filter_map(Result::err);
    let text = [text.to_string()].into_iter().chain(words).filter(|it| !it.is_empty()).collect::<Vec<_>>().join("\n\n");
    let output = if parts.is_empty() {
        json!(text)
    } else {
        let text = (!text.is_empty()).then(|| json!({"type": "input_text", "text": text}));
        parts.into_iter().chain(text).collect()
    };
    json!({"type": "function_call_output", "call_id": id, "output": output})
}

fn image(image: &Image) -> Value {
    json!({"type": "input_image", "image_url": attached::data_url(image), "detail": "high"})
}

/// Reasoning must be followed by what came of it; the endpoint refuses it alone.
fn assistant(message: &Message, with_reasoning: bool) -> Vec<Value> {
    let mut text = String::new();
    let mut calls = Vec::new();
    let mut reasoning = Vec::new();
    for part in &message.parts {
        match part {
            Part::Text { text: words } => text += words,
            Part::Call { id, name, args } => calls.push(json!({
                "type": "function_call",
                "call_id": id,
                "name": function_name(name),
                "arguments": args.to_string(),
            })),
            Part::Image { image } => attached::tell_made(&mut text, image),
            Part::Reasoning { reasoning: it } if with_reasoning => reasoning.extend(kept(it)),
            _ => {}
        }
    }
    let say = |text: &str| json!({"type": "message", "role": "assistant", "content": text});
    let mut items = interleave::interleave(&text, calls, reasoning, say);
    while items.last().is_some_and(|it| it["type"] == "reasoning") {
        items.pop();
    }
    items
}

/// The item that a piece of reasoning was, with its place; none for another provider's reasoning.
fn kept(reasoning: &ox_protocol::Reasoning) -> Option<((usize, usize), Value)> {
    let kept = reasoning.opaque.as_ref().filter(|it| it["type"] == super::stream::KEPT)?;
    Some((interleave::position(kept), kept.get("item")?.clone()))
}

#[cfg(test)]
mod unit {
    use expect_test::{Expect, expect};
    use ox_protocol::{CallId, FailureKind, Reasoning, Tokens};

    use super::*;
    use crate::failure::failure;
    use crate::sample;

    fn check(model: &str, request: &Request, learnt: &Learnt, expected: Expect) {
        expected.assert_eq(&sample::lines(&body(model, &ModelFacts::default(), request, learnt)));
    }

    #[test]
    fn a_whole_conversation() {
        check(
            "gpt-5.6",
            &sample::conversation(),
            &Learnt::default(),
            expect![[r#"
                model: "gpt-5.6"
                instructions: "You are Ox."
                input:
                  {"type":"message","role":"user","content":"Context.\n\nFix add."}
                  {"type":"message","role":"assistant","content":"I will look."}
                  {"type":"function_call","call_id":"call_1_0","name":"read_file","arguments":"{\"path\":\"src/lib.rs\"}"}
                  {"type":"function_call","call_id":"call_1_1","name":"run_checks","arguments":"{}"}
                  {"type":"function_call_output","call_id":"call_1_0","output":[{"type":"input_image","image_url":"data:image/png;base64,iVBORw0=","detail":"high"},{"type":"input_text","text":"a picture"}]}
                  {"type":"function_call_output","call_id":"call_1_1","output":"1 test failed"}
                  {"type":"message","role":"user","content":[{"type":"input_image","image_url":"data:image/png;base64,iVBORw0=","detail":"high"},{"type":"input_text","text":"Like this:"}]}
                tools:
                  {"type":"function","name":"read_file","description":"Does read_file.","parameters":{"type":"object","properties":{"path":{"type":"string"}},"required":["path"]},"strict":false}
                  {"type":"function","name":"run_checks","description":"Does run_checks.","parameters":{"type":"object","properties":{"scope":{"type":"string"}},"required":["scope"]},"strict":false}
                tool_choice: "auto"
                parallel_tool_calls: true
                include:
                  "reasoning.encrypted_content"
                reasoning: {"summary":"auto"}
                max_output_tokens: 8000
                prompt_cache_key: "ox-580c657dbc5fe30f"
                store: false
                stream: true
            "#]],
        );
    }

    #[test]
    fn the_effort_stands_beside_the_summary_where_the_model_reasons() {
        let request = Request { effort: Some(ox_protocol::Effort::Xhigh), ..sample::conversation() };
        let reasoning = |model: &str, learnt: &Learnt| {
            body(model, &ModelFacts::default(), &request, learnt)["reasoning"].to_string()
        };
        let without_summary = Learnt::default();
        assert!(without_summary.learn(&failure(FailureKind::BadRequest, "Unknown: reasoning.summary"), LESSONS));
        assert_eq!(reasoning("gpt-5.6", &Learnt::default()), r#"{"effort":"xhigh","summary":"auto"}"#);
        assert_eq!(reasoning("gpt-5.6", &without_summary), r#"{"effort":"xhigh"}"#);
        assert_eq!(reasoning("gpt-4.1", &Learnt::default()), "null");
    }

    #[test]
    fn a_bare_request_to_a_model_that_does_not_reason() {
        let request = Request {
            messages: vec![Message::text(Role::User, "hi").into()],
            max_output: Tokens(1),
            temperature: Some(0.2),
            ..Request::default()
        };
        check(
            "gpt-4.1",
            &request,
            &Learnt::default(),
            expect![[r#"
                model: "gpt-4.1"
                input:
                  {"type":"message","role":"user","content":"hi"}
                temperature: 0.2
                max_output_tokens: 16
                prompt_cache_key: "ox-0a173c917d0af2da"
                store: false
                stream: true
            "#]],
        );
    }

    #[test]
    fn what_was_refused_is_left_out() {
        let learnt = Learnt::default();
        for words in [
            "Your organization must be verified to generate reasoning summaries.",
            "Invalid value: 'input_image'. Supported values are: 'input_text'.",
            "Unknown parameter: 'parallel_tool_calls'.",
            "The encrypted content gAAA could not be verified.",
        ] {
            assert!(learnt.learn(&failure(FailureKind::BadRequest, words), LESSONS), "{words}");
        }
        let text = body("o4-mini", &ModelFacts::default(), &sample::conversation(), &learnt).to_string();
        for absent in ["summary", "input_image", "parallel_tool_calls"] {
            assert!(!text.contains(absent), "{absent}: {text}");
        }
        assert!(text.contains("reasoning.encrypted_content") && text.contains("cannot see: shot.png"), "{text}");
        assert!(
            learnt.learn(
                &failure(FailureKind::BadRequest, "Encrypted content is not supported with this model."),
                LESSONS
            )
        );
        assert!(
            !body("o4-mini", &ModelFacts::default(), &sample::conversation(), &learnt)
                .to_string()
                .contains("encrypted")
        );
    }

    #[test]
    fn reasoning_returns_to_its_place_and_never_stands_alone() {
        let reasoning = |id: &str, text_before: usize, calls_before: usize| {
            let mut kept = json!({"type": super::super::stream::KEPT, "item": {"type": "reasoning", "id": id}});
            interleave::note_position(&mut kept, text_before, calls_before);
            Part::Reasoning { reasoning: Reasoning { text: String::new(), opaque: Some(kept) } }
        };
        let call = |id: &str| Part::Call { id: CallId(id.into()), name: "t".into(), args: json!({}) };
        let parts =
            vec![reasoning("r1", 0, 0), reasoning("r2", 3, 0), reasoning("r3", 3, 1), Part::text("abc"), call("c")];
        let kinds = |message: &Message| -> Vec<String> {
            let show = |it: &Value| it.get("id").unwrap_or(&it["type"]).as_str().unwrap_or_default().to_string();
            assistant(message, true).iter().map(show).collect()
        };
        let message = Message { role: Role::Assistant, parts };
        assert_eq!(kinds(&message), ["r1", "message", "r2", "function_call"]);
        let alone = Message { role: Role::Assistant, parts: vec![reasoning("r1", 0, 0)] };
        assert!(kinds(&alone).is_empty());
    }

    #[test]
    fn which_models_reason() {
        for (model, expected) in [
            ("gpt-5.6-terra", true),
            ("o3", true),
            ("openai/gpt-6-sol", true),
            ("gpt-5-chat-latest", false),
            ("gpt-4o", false),
            ("olmo", false),
            ("gpt-oss-120b", false),
        ] {
            assert_eq!(reasons(model), expected, "{model}");
        }
    }

    #[test]
    fn documents() {
        check(
            "gpt-4.1",
            &sample::documents(),
            &Learnt::default(),
            expect![[r#"
                model: "gpt-4.1"
                input:
                  {"type":"message","role":"user","content":"Draw."}
                  {"type":"message","role":"assistant","content":"Here.\n\n(You made a picture here)"}
                  {"type":"message","role":"user","content":[{"type":"input_file","filename":"plan.pdf","file_data":"data:application/pdf;base64,JVBERi0xLjc="},{"type":"input_file","filename":"notes.md","file_data":"data:text/markdown;base64,IyBOb3Rlcwo="},{"type":"input_text","text":"Sum up."}]}
                max_output_tokens: 100
                prompt_cache_key: "ox-6367a9ada78c66e9"
                store: false
                stream: true
            "#]],
        );
        let learnt = Learnt::default();
        assert!(learnt.learn(&failure(FailureKind::BadRequest, "Invalid value: 'input_file'."), LESSONS));
        let body = body("gpt-4.1", &ModelFacts::default(), &sample::documents(), &learnt);
        expect![[r#"
            model: "gpt-4.1"
            input:
              {"type":"message","role":"user","content":"Draw."}
              {"type":"message","role":"assistant","content":"Here.\n\n(You made a picture here)"}
              {"type":"message","role":"user","content":"(A document stands here that you cannot read: docs/plan.pdf)\n\n<document name=\"notes.md\">\n# Notes\n</document>\n\nSum up."}
            max_output_tokens: 100
            prompt_cache_key: "ox-6367a9ada78c66e9"
            store: false
            stream: true
        "#]].assert_eq(&sample::lines(&body));
    }
}
