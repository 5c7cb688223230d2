//! Our request in the words of chat completions. Pure: the same request gives the same bytes.

use ox_protocol::{Image, Message, Part, Role, ToolSpec};
use serde_json::{Map, Value, json};

use super::dialect::Dialect;
use super::quirks::{Quirk, Quirks};
use crate::model::Request;
use crate::wire::attached::{self, Attached};
use crate::wire::cache;
use crate::wire::format::function_name;

/// The body of a streaming request.
pub(super) fn body(model: &str, request: &Request, dialect: &Dialect, quirks: &Quirks) -> Value {
    let mut body = Map::new();
    body.insert("model".into(), json!(model));
    let with = With {
        reasoning: (dialect.reasoning_back || quirks.has(Quirk::ReasoningBack)) && !quirks.has(Quirk::NoReasoningBack),
        images: !quirks.has(Quirk::NoImages),
        documents: dialect.documents && !quirks.has(Quirk::NoDocuments),
        short_ids: dialect.short_ids,
    };
    let mut messages = messages(request, &with);
    if !dialect.cache_marks_for.is_empty() && model.to_ascii_lowercase().contains(dialect.cache_marks_for) {
        cache::mark(&mut messages);
    }
    body.insert("messages".into(), Value::Array(messages));
    if !request.tools.is_empty() {
        body.insert("tools".into(), request.tools.iter().map(tool).collect());
        body.insert("tool_choice".into(), json!(request.tool_choice));
        if dialect.parallel_tool_calls && !quirks.has(Quirk::NoParallel) {
            body.insert("parallel_tool_calls".into(), json!(true));
        }
        if dialect.tools_without_effort || quirks.has(Quirk::NoEffort) {
            body.insert("reasoning_effort".into(), json!("none"));
        }
    }
    if request.max_output.0 > 0 && !quirks.has(Quirk::NoLimit) {
        let modern =
            (dialect.max_completion_tokens || quirks.has(Quirk::MaxCompletionTokens)) && !quirks.has(Quirk::MaxTokens);
        let name = if modern { "max_completion_tokens" } else { "max_tokens" };
        body.insert(name.into(), json!(request.max_output));
    }
    if let Some(temperature) = request.temperature.filter(|_| !quirks.has(Quirk::NoTemperature)) {
        body.insert("temperature".into(), crate::wire::format::temperature(temperature));
    }
    if dialect.cache_key && !quirks.has(Quirk::NoCacheKey) {
        body.insert("prompt_cache_key".into(), json!(cache::key(request)));
    }
    body.insert("stream".into(), json!(true));
    if dialect.stream_options && !quirks.has(Quirk::NoStreamOptions) {
        body.insert("stream_options".into(), json!({"include_usage": true}));
    }
    Value::Object(body)
}

fn tool(spec: &ToolSpec) -> Value {
    let function = json!({"name": spec.name, "description": spec.description, "parameters": spec.schema});
    json!({"type": "function", "function": function})
}

/// What of a conversation is sent, and in which form.
struct With {
    /// Reasoning goes back beside calls.
    reasoning: bool,
    /// Pictures are sent; they are named otherwise.
    images: bool,
    /// PDF documents are sent; they are named otherwise.
    documents: bool,
    short_ids: bool,
}

impl With {
    fn id(&self, id: &str) -> String {
        if self.short_ids { short_id(id) } else { id.to_string() }
    }
}

/// Nine letters and digits for an id, always the same ones.
fn short_id(id: &str) -> String {
    const LETTERS: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
    let mut rest = cache::steady_hash(id.bytes());
    let letter = |_| {
        let letter = LETTERS[(rest % 62) as usize];
        rest /= 62;
        char::from(letter)
    };
    (0..9).map(letter).collect()
}

fn messages(request: &Request, with: &With) -> Vec<Value> {
    let mut out = Vec::new();
    if !request.system.is_empty() {
        out.push(json!({"role": "system", "content": request.system}));
    }
    // What the user says waits: nothing may stand between the results of one reply, and the templates of small models
    // refuse two messages of the user in a row.
    let mut waiting = Waiting { sees: with.images, reads: with.documents, ..Waiting::default() };
    for message in &request.messages {
        if message.role == Role::Assistant {
            out.extend(waiting.message());
            out.extend(assistant(message, with));
        } else {
            for part in &message.parts {
                if let Part::Result { id, text, images, .. } = part {
                    out.push(json!({"role": "tool", "tool_call_id": with.id(&id.0), "content": text}));
                    waiting.pictures(images);
                }
            }
            waiting.said(message);
        }
    }
    out.extend(waiting.message());
    out
}

/// A message of the user in the making.
#[derive(Default)]
struct Waiting {
    /// False where the model sees no pictures; they are named instead.
    sees: bool,
    /// False where it takes no documents; they are named instead.
    reads: bool,
    images: Vec<Value>,
    texts: Vec<String>,
}

impl Waiting {
    /// Pictures of a result, with their names.
    fn pictures(&mut self, images: &[Image]) {
        if !images.is_empty() {
            let names: Vec<&str> = images.iter().map(|it| it.name.as_str()).filter(|it| !it.is_empty()).collect();
            let of = if names.is_empty() { "the results above".to_string() } else { names.join(", ") };
            self.texts.push(format!("(Pictures: {of})"));
            images.iter().for_each(|it| self.picture(it));
        }
    }

    fn picture(&mut self, picture: &Image) {
        match Attached::of(picture) {
            Attached::Picture if self.sees => self.images.push(image(picture)),
            Attached::Pdf if self.reads => self.images.push(file(picture)),
            // A text in words is understood by every endpoint.
            Attached::Text(text) => self.texts.push(attached::in_words(picture, &text)),
            Attached::Picture | Attached::Pdf => self.texts.push(attached::unseen(picture)),
        }
    }

    fn said(&mut self, message: &Message) {
        for part in &message.parts {
            match part {
                Part::Image { image } => self.picture(image),
                Part::Text { text } if !text.is_empty() => self.texts.push(text.clone()),
                _ => {}
            }
        }
    }

    /// Text alone is a plain string, which every endpoint takes; pictures stand before the text.
    fn message(&mut self) -> Option<Value> {
        let text = std::mem::take(&mut self.texts).join("\n\n");
        let mut content = std::mem::take(&mut self.images);
        if content.is_empty() {
            return (!text.is_empty()).then(|| json!({"role": "user", "content": text}));
        }
        if !text.is_empty() {
            content.push(json!({"type": "text", "text": text}));
        }
        Some(json!({"role": "user", "content": content}))
    }
}

fn assistant(message: &Message, with: &With) -> Option<Value> {
    let mut text = String::new();
    let mut calls: Vec<Value> = Vec::new();
    let mut reasoning = String::new();
    let mut details: Vec<Value> = Vec::new();
    for part in &message.parts {
        match part {
            Part::Text { text: words } => text += words,
            Part::Call { id, name, args } => calls.push(json!({
                "id": with.id(&id.0),
                "type": "function",
                "function": {"name": function_name(name), "arguments": args.to_string()},
            })),
            Part::Reasoning { reasoning: it } => {
                reasoning += &it.text;
                let kept = it.opaque.as_ref().and_then(|it| it.get("reasoning_details")).and_then(Value::as_array);
                details.extend(kept.into_iter().flatten().cloned());
            }
            Part::Image { image } => attached::tell_made(&mut text, image),
            Part::Result { .. } => {}
        }
    }
    if text.is_empty() && calls.is_empty() {
        return None;
    }
    let mut out = Map::new();
    out.insert("role".into(), json!("assistant"));
    out.insert("content".into(), if text.is_empty() { Value::Null } else { json!(text) });
    if with.reasoning && !reasoning.is_empty() && !calls.is_empty() {
        out.insert("reasoning_content".into(), json!(reasoning));
    }
    if !details.is_empty() {
        out.insert("reasoning_details".into(), Value::Array(details));
    }
    if !calls.is_empty() {
        out.insert("tool_calls".into(), Value::Array(calls));
    }
    Some(Value::Object(out))
}

fn image(image: &Image) -> Value {
    json!({"type": "image_url", "image_url": {"url": attached::data_url(image), "detail": "high"}})
}

fn file(it: &Image) -> Value {
    json!({"type": "file", "file": {"filename": attached::file_name(it), "file_data": attached::data_url(it)}})
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};
    use ox_protocol::Tokens;

    use super::*;
    use crate::sample;

    fn check(request: &Request, dialect: Dialect, expected: Expect) {
        expected.assert_eq(&crate::sample::lines(&body("gpt-x", request, &dialect, &Quirks::default())));
    }

    #[test]
    fn a_whole_conversation() {
        check(
            &sample::conversation(),
            Dialect::of("openai", "gpt-5.6", "https://api.openai.com/v1"),
            expect![[r#"
                model: "gpt-x"
                messages:
                  {"role":"system","content":"You are Ox."}
                  {"role":"user","content":"Context.\n\nFix add."}
                  {"role":"assistant","content":"I will look.","tool_calls":[{"id":"call_1_0","type":"function","function":{"name":"read_file","arguments":"{\"path\":\"src/lib.rs\"}"}},{"id":"call_1_1","type":"function","function":{"name":"run_checks","arguments":"{}"}}]}
                  {"role":"tool","tool_call_id":"call_1_0","content":"a picture"}
                  {"role":"tool","tool_call_id":"call_1_1","content":"1 test failed"}
                  {"role":"user","content":[{"type":"image_url","image_url":{"url":"data:image/png;base64,iVBORw0=","detail":"high"}},{"type":"image_url","image_url":{"url":"data:image/png;base64,iVBORw0=","detail":"high"}},{"type":"text","text":"(Pictures: shot.png)\n\nLike this:"}]}
                tools:
                  {"type":"function","function":{"name":"read_file","description":"Does read_file.","parameters":{"type":"object","properties":{"path":{"type":"string"}},"required":["path"]}}}
                  {"type":"function","function":{"name":"run_checks","description":"Does run_checks.","parameters":{"type":"object","properties":{"scope":{"type":"string"}},"required":["scope"]}}}
                tool_choice: "auto"
                parallel_tool_calls: true
                reasoning_effort: "none"
                max_completion_tokens: 8000
                prompt_cache_key: "ox-580c657dbc5fe30f"
                stream: true
                stream_options: {"include_usage":true}
            "#]],
        );
    }

    #[test]
    fn a_model_that_sees_no_pictures() {
        let quirks = Quirks::default();
        assert!(quirks.learn(&crate::failure::failure(ox_protocol::FailureKind::BadRequest, "image_url is unknown")));
        let body = body("m", &sample::conversation(), &Dialect::default(), &quirks);
        expect![[r#"
            (Pictures: shot.png)

            (A picture stands here that you cannot see: shot.png)

            Like this:

            (A picture stands here that you cannot see: shot.png)"#]]
        .assert_eq(body["messages"][5]["content"].as_str().unwrap());
    }

    #[test]
    fn a_bare_request_to_a_small_server() {
        let request = Request {
            messages: vec![Message::text(Role::User, "hi")],
            max_output: Tokens(100),
            temperature: Some(0.2),
            ..Request::default()
        };
        check(
            &request,
            Dialect::default(),
            expect![[r#"
            model: "gpt-x"
            messages:
              {"role":"user","content":"hi"}
            max_tokens: 100
            temperature: 0.2
            stream: true
            stream_options: {"include_usage":true}
        "#]],
        );
    }

    #[test]
    fn dialects_change_only_what_they_say() {
        let body = |dialect: &Dialect, model: &str| body(model, &sample::conversation(), dialect, &Quirks::default());
        let mistral = body(&Dialect::of("mistral", "m", "https://api.mistral.ai/v1"), "devstral");
        let (call, result) = (&mistral["messages"][2]["tool_calls"][0]["id"], &mistral["messages"][3]["tool_call_id"]);
        assert_eq!(call, result);
        assert!(call.as_str().is_some_and(|it| it.len() == 9 && it.chars().all(char::is_alphanumeric)), "{call}");
        assert_ne!(call, &mistral["messages"][2]["tool_calls"][1]["id"]);
        assert!(mistral.get("stream_options").is_none());
        let router = Dialect::of("openrouter", "m", "https://openrouter.ai/api/v1");
        let marks = |model: &str| body(&router, model).to_string().matches("cache_control").count();
        assert_eq!((marks("anthropic/claude-sonnet-5.5"), marks("openai/gpt-5")), (3, 0));
    }

    #[test]
    fn documents() {
        check(
            &sample::documents(),
            Dialect::of("openai", "gpt-5.1", "https://api.openai.com/v1"),
            expect![[r#"
                model: "gpt-x"
                messages:
                  {"role":"user","content":"Draw."}
                  {"role":"assistant","content":"Here.\n\n(You made a picture here)"}
                  {"role":"user","content":[{"type":"file","file":{"filename":"plan.pdf","file_data":"data:application/pdf;base64,JVBERi0xLjc="}},{"type":"text","text":"<document name=\"notes.md\">\n# Notes\n</document>\n\nSum up."}]}
                max_completion_tokens: 100
                prompt_cache_key: "ox-6367a9ada78c66e9"
                stream: true
                stream_options: {"include_usage":true}
            "#]],
        );
        // Of such a server nothing is known: everything is said in words.
        check(
            &sample::documents(),
            Dialect::default(),
            expect![[r#"
                model: "gpt-x"
                messages:
                  {"role":"user","content":"Draw."}
                  {"role":"assistant","content":"Here.\n\n(You made a picture here)"}
                  {"role":"user","content":"(A document stands here that you cannot read: docs/plan.pdf)\n\n<document name=\"notes.md\">\n# Notes\n</document>\n\nSum up."}
                max_tokens: 100
                stream: true
                stream_options: {"include_usage":true}
            "#]],
        );
    }
}
