//! Our request in the words of chat completions. Pure: the same request gives the same bytes.

use ox_protocol::{Effort, ToolSpec};
use serde::Serialize;
use serde_json::{Map, Value, json};

use super::dialect::Dialect;
use super::messages::{Said, With, mark, messages};
use super::quirks::{Quirk, Quirks};
use crate::model::Request;
use crate::wire::cache;
use crate::wire::endpoint::bytes;

#[derive(Serialize)]
struct Body<'a> {
    model: &'a str,
    messages: Vec<Said<'a>>,
    #[serde(flatten)]
    rest: Map<String, Value>,
}

/// The body of a streaming request.
pub(super) fn body(model: &str, request: &Request, dialect: &Dialect, quirks: &Quirks) -> Vec<u8> {
    let with = With {
        reasoning: (dialect.reasoning_back || quirks.has(Quirk::ReasoningBack)) && !quirks.has(Quirk::NoReasoningBack),
        images: !quirks.has(Quirk::NoImages),
        documents: dialect.documents && !quirks.has(Quirk::NoDocuments),
        short_ids: dialect.short_ids,
    };
    let mut messages = messages(request, &with);
    if !dialect.cache_marks_for.is_empty() && model.to_ascii_lowercase().contains(dialect.cache_marks_for) {
        mark(&mut messages);
    }
    let mut rest = Map::new();
    if !request.tools.is_empty() {
        rest.insert("tools".into(), request.tools.iter().map(tool).collect());
        rest.insert("tool_choice".into(), json!(request.tool_choice));
        if dialect.parallel_tool_calls && !quirks.has(Quirk::NoParallel) {
            rest.insert("parallel_tool_calls".into(), json!(true));
        }
    }
    if !request.tools.is_empty() && (dialect.tools_without_effort || quirks.has(Quirk::NoEffort)) {
        rest.insert("reasoning_effort".into(), json!("none"));
    } else if let Some(effort) = request.effort {
        let effort = if dialect.all_efforts { effort } else { effort.clamp(Effort::Low, Effort::High) };
        rest.insert("reasoning_effort".into(), json!(effort));
    }
    if request.max_output.0 > 0 && !quirks.has(Quirk::NoLimit) {
        let modern =
            (dialect.max_completion_tokens || quirks.has(Quirk::MaxCompletionTokens)) && !quirks.has(Quirk::MaxTokens);
        let name = if modern { "max_completion_tokens" } else { "max_tokens" };
        rest.insert(name.into(), json!(request.max_output));
    }
    if let Some(temperature) = request.temperature.filter(|_| !quirks.has(Quirk::NoTemperature)) {
        rest.insert("temperature".into(), crate::wire::format::temperature(temperature));
    }
    if dialect.cache_key && !quirks.has(Quirk::NoCacheKey) {
        rest.insert("prompt_cache_key".into(), json!(cache::key(request)));
    }
    rest.insert("stream".into(), json!(true));
    if dialect.stream_options && !quirks.has(Quirk::NoStreamOptions) {
        rest.insert("stream_options".into(), json!({"include_usage": true}));
    }
    bytes(&Body { model, messages, rest })
}

fn tool(spec: &ToolSpec) -> Value {
    let function = json!({"name": spec.name, "description": spec.description, "parameters": spec.schema});
    json!({"type": "function", "function": function})
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};
    use ox_protocol::{Message, Role, Tokens};

    use super::*;
    use crate::sample;

    fn body(model: &str, request: &Request, dialect: &Dialect, quirks: &Quirks) -> Value {
        serde_json::from_slice(&super::body(model, request, dialect, quirks)).unwrap()
    }

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
            messages: vec![Message::text(Role::User, "hi").into()],
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
    fn the_effort_is_one_that_the_server_knows() {
        let with = |request: Request| Request { effort: Some(Effort::Max), ..request };
        let effort = |provider: &str, url: &str, request: Request| {
            body("m", &with(request), &Dialect::of(provider, "gpt-5.6", url), &Quirks::default())["reasoning_effort"]
                .clone()
        };
        let plain = || Request { tools: Vec::new(), ..sample::conversation() };
        let (deepseek, openai) = ("https://api.deepseek.com/v1", "https://api.openai.com/v1");
        assert_eq!(effort("deepseek", deepseek, sample::conversation()), "max");
        assert_eq!(effort("openai", openai, plain()), "max");
        // With tools these models take no effort at all here.
        assert_eq!(effort("openai", openai, sample::conversation()), "none");
        assert_eq!(effort("mine", "http://127.0.0.1:9/v1", plain()), "high");
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
