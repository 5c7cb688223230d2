//! Our request in the words of Anthropic Messages. Pure: the same request gives the same bytes, and a longer
//! conversation begins with the bytes of the shorter one, so that the provider's cache is hit.

use std::sync::Arc;

use ox_protocol::{Effort, Image, Message, ModelFacts, Part, Reasoning, Role, ToolChoice};
use serde_json::{Map, Value, json};

use super::quirks::{NO_DOCUMENTS, NO_TEMPERATURE, NO_THINKING, Quirks};
use crate::model::Request;
use crate::output::xml;
use crate::wire::attached::{self, Attached};
use crate::wire::format::function_name;
use crate::wire::interleave;

/// The body of a streaming request.
pub(super) fn body(model: &str, facts: &ModelFacts, request: &Request, quirks: &Quirks) -> Value {
    // The endpoint refuses calls in the history of a request that offers no tools; they go as text then.
    let in_words = (request.tools.is_empty() && has_calls(&request.messages)).then(|| xml::translate(request));
    let request = in_words.as_ref().unwrap_or(request);
    let mut body = Map::new();
    body.insert("model".into(), json!(model));
    let wanted = if request.max_output.0 > 0 { request.max_output } else { facts.max_output };
    body.insert("max_tokens".into(), json!(quirks.limit(wanted.0.max(1))));
    if !request.system.trim().is_empty() {
        body.insert("system".into(), json!([{"type": "text", "text": request.system, "cache_control": marker()}]));
    }
    body.insert("messages".into(), Value::Array(messages(&request.messages, quirks)));
    if !request.tools.is_empty() {
        body.insert("tools".into(), Value::Array(tools(request)));
        body.insert("tool_choice".into(), tool_choice(&request.tool_choice));
    }
    // Forcing a tool and thinking exclude each other.
    let forced = request.tool_choice == ToolChoice::Required && !request.tools.is_empty();
    let thinking = thinking(model).filter(|_| facts.reasons && !forced && !quirks.has(NO_THINKING));
    // A thinking model takes no temperature.
    if let Some(temperature) = request.temperature.filter(|_| thinking.is_none() && !quirks.has(NO_TEMPERATURE)) {
        body.insert("temperature".into(), crate::wire::format::temperature(temperature));
    }
    // Beyond `high` only a model that thinks can go.
    let most = if thinking.is_some() { Effort::Max } else { Effort::High };
    if let Some(effort) = request.effort.filter(|_| claude_version(model).is_none_or(|it| it >= (4, 5))) {
        body.insert("output_config".into(), json!({"effort": effort.clamp(Effort::Low, most).name()}));
    }
    body.extend(thinking.map(|it| ("thinking".to_string(), it)));
    body.insert("stream".into(), json!(true));
    Value::Object(body)
}

fn has_calls(messages: &[Arc<Message>]) -> bool {
    messages.iter().flat_map(|it| &it.parts).any(|it| matches!(it, Part::Call { .. } | Part::Result { .. }))
}

fn marker() -> Value {
    json!({"type": "ephemeral"})
}

fn tools(request: &Request) -> Vec<Value> {
    let tool =
        |it: &ox_protocol::ToolSpec| json!({"name": it.name, "description": it.description, "input_schema": it.schema});
    let mut tools: Vec<Value> = request.tools.iter().map(tool).collect();
    tools.last_mut().into_iter().for_each(mark);
    tools
}

fn tool_choice(choice: &ToolChoice) -> Value {
    match choice {
        ToolChoice::Auto => json!({"type": "auto"}),
        ToolChoice::None => json!({"type": "none"}),
        ToolChoice::Required => json!({"type": "any"}),
    }
}

/// The field that switches thinking on where the model decides itself how much (Claude from 4.6 on). From 4.7 on its text
/// comes back only when asked for.
fn thinking(model: &str) -> Option<Value> {
    match claude_version(model)? {
        version if version >= (4, 7) => Some(json!({"type": "adaptive", "display": "summarized"})),
        version if version >= (4, 6) => Some(json!({"type": "adaptive"})),
        _ => None,
    }
}

/// Major and minor version in `claude-sonnet-4-6` or `claude-haiku-4-5-20251001`; none for names of another form.
pub(crate) fn claude_version(model: &str) -> Option<(u32, u32)> {
    let words = model.rsplit('/').next()?.strip_prefix("claude-")?;
    // The family stood behind the numbers up to Claude 3; a date is not a version.
    let family = usize::from(words.starts_with(|c: char| c.is_ascii_alphabetic()));
    let mut numbers = words.split(['-', '.']).skip(family).map(|it| it.parse::<u32>().ok().filter(|it| *it < 1000));
    let major = numbers.next()??;
    Some((major, numbers.next().flatten().unwrap_or(0)))
}

/// The messages with user and assistant in turn, results first, and the last two of the user marked for the cache.
fn messages(messages: &[Arc<Message>], quirks: &Quirks) -> Vec<Value> {
    let mut merged: Vec<(&'static str, Vec<Value>)> = Vec::new();
    for (at, message) in messages.iter().enumerate() {
        let (role, blocks) = match message.role {
            Role::Assistant => ("assistant", assistant(message, quirks.keeps_reasoning(at))),
            Role::User | Role::Tool => ("user", user(message, !quirks.has(NO_DOCUMENTS))),
        };
        match merged.last_mut() {
            _ if blocks.is_empty() => {}
            Some((last, before)) if *last == role => before.extend(blocks),
            _ => merged.push((role, blocks)),
        }
    }
    for (role, blocks) in &mut merged {
        if *role == "user" {
            // A stable sort: results must precede everything else of their message.
            blocks.sort_by_key(|it| it["type"] != "tool_result");
        }
    }
    let users = merged.iter_mut().rev().filter(|(role, _)| *role == "user").take(2);
    users.filter_map(|(_, blocks)| blocks.last_mut()).for_each(mark);
    merged.into_iter().map(|(role, content)| json!({"role": role, "content": content})).collect()
}

fn mark(block: &mut Value) {
    block["cache_control"] = marker();
}

/// Pictures before the text; blank text is refused by the endpoint and left out.
fn user(message: &Message, documents: bool) -> Vec<Value> {
    let mut blocks: Vec<Value> = Vec::new();
    for part in &message.parts {
        match part {
            Part::Text { text } if !text.trim().is_empty() => blocks.push(json!({"type": "text", "text": text})),
            Part::Image { image } => blocks.push(attachment(image, documents)),
            Part::Result { id, ok, text, images, .. } => blocks.push(result(&id.0, *ok, text, images, documents)),
            _ => {}
        }
    }
    blocks.sort_by_key(|it| it["type"] == "text");
    blocks
}

fn result(id: &str, ok: bool, text: &str, images: &[Image], documents: bool) -> Value {
    let mut block = json!({"type": "tool_result", "tool_use_id": id});
    block["content"] = if images.is_empty() {
        json!(text)
    } else {
        let mut content: Vec<Value> = images.iter().map(|it| attachment(it, documents)).collect();
        if !text.trim().is_empty() {
            content.push(json!({"type": "text", "text": text}));
        }
        Value::Array(content)
    };
    if !ok {
        block["is_error"] = json!(true);
    }
    block
}

/// A picture or a document; where no documents are taken, what it says or that it is there.
fn attachment(it: &Image, documents: bool) -> Value {
    let words = |text: String| json!({"type": "text", "text": text});
    let source = match Attached::of(it) {
        Attached::Picture => {
            return json!({"type": "image", "source": {"type": "base64", "media_type": it.media_type, "data": it.data}});
        }
        Attached::Text(text) if !documents => return words(attached::in_words(it, &text)),
        // A document without a word in it is refused.
        Attached::Text(text) if text.trim().is_empty() => return words(attached::in_words(it, "")),
        Attached::Pdf if !documents => return words(attached::unseen(it)),
        Attached::Text(text) => json!({"type": "text", "media_type": "text/plain", "data": text}),
        Attached::Pdf => json!({"type": "base64", "media_type": it.media_type, "data": it.data}),
    };
    json!({"type": "document", "source": source, "title": attached::file_name(it)})
}

/// Text, calls and reasoning in the order in which the model gave them; the stream noted the place of each reasoning.
fn assistant(message: &Message, with_reasoning: bool) -> Vec<Value> {
    let mut reasoning: Vec<((usize, usize), Value)> = Vec::new();
    let mut text = String::new();
    let mut calls: Vec<Value> = Vec::new();
    for part in &message.parts {
        match part {
            Part::Text { text: words } => text += words,
            Part::Call { id, name, args } => calls.push(call(&id.0, name, args)),
            Part::Image { image } => attached::tell_made(&mut text, image),
            Part::Reasoning { reasoning: it } if with_reasoning => reasoning.extend(block(it)),
            _ => {}
        }
    }
    let blocks = interleave::interleave(&text, calls, reasoning, |text| json!({"type": "text", "text": text}));
    // Reasoning alone is not a message.
    if blocks.iter().all(|it| matches!(it["type"].as_str(), Some("thinking" | "redacted_thinking"))) {
        return Vec::new();
    }
    blocks
}

fn call(id: &str, name: &str, args: &Value) -> Value {
    let input = if args.is_object() { args.clone() } else { json!({"unparsed": args}) };
    json!({"type": "tool_use", "id": id, "name": function_name(name), "input": input})
}

/// The block that a reasoning was, with its place; none for another provider's reasoning.
fn block(reasoning: &Reasoning) -> Option<((usize, usize), Value)> {
    let kept = reasoning.opaque.as_ref()?;
    let block = match kept.get("type")?.as_str()? {
        "thinking" => json!({"type": "thinking", "thinking": reasoning.text, "signature": kept.get("signature")?}),
        "redacted_thinking" => json!({"type": "redacted_thinking", "data": kept.get("data")?}),
        _ => return None,
    };
    Some((interleave::position(kept), block))
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};
    use ox_protocol::Tokens;

    use super::*;
    use crate::sample;

    fn check(model: &str, request: &Request, expected: Expect) {
        let facts = ModelFacts { reasons: true, max_output: Tokens(64_000), ..ModelFacts::default() };
        expected.assert_eq(&sample::lines(&body(model, &facts, request, &Quirks::default())));
    }

    #[test]
    fn a_whole_conversation() {
        check(
            "claude-sonnet-5-5",
            &sample::conversation(),
            expect![[r#"
            model: "claude-sonnet-5-5"
            max_tokens: 8000
            system:
              {"type":"text","text":"You are Ox.","cache_control":{"type":"ephemeral"}}
            messages:
              {"role":"user","content":[{"type":"text","text":"Context."},{"type":"text","text":"Fix add.","cache_control":{"type":"ephemeral"}}]}
              {"role":"assistant","content":[{"type":"thinking","thinking":"The sign looks wrong.","signature":"sig=="},{"type":"text","text":"I will look."},{"type":"tool_use","id":"call_1_0","name":"read_file","input":{"path":"src/lib.rs"}},{"type":"tool_use","id":"call_1_1","name":"run_checks","input":{}}]}
              {"role":"user","content":[{"type":"tool_result","tool_use_id":"call_1_0","content":[{"type":"image","source":{"type":"base64","media_type":"image/png","data":"iVBORw0="}},{"type":"text","text":"a picture"}]},{"type":"tool_result","tool_use_id":"call_1_1","content":"1 test failed","is_error":true},{"type":"image","source":{"type":"base64","media_type":"image/png","data":"iVBORw0="}},{"type":"text","text":"Like this:","cache_control":{"type":"ephemeral"}}]}
            tools:
              {"name":"read_file","description":"Does read_file.","input_schema":{"type":"object","properties":{"path":{"type":"string"}},"required":["path"]}}
              {"name":"run_checks","description":"Does run_checks.","input_schema":{"type":"object","properties":{"scope":{"type":"string"}},"required":["scope"]},"cache_control":{"type":"ephemeral"}}
            tool_choice: {"type":"auto"}
            thinking: {"type":"adaptive","display":"summarized"}
            stream: true
        "#]],
        );
    }

    #[test]
    fn a_forced_call_without_system() {
        let request = Request {
            tools: vec![sample::tool("read_file", "path")],
            messages: vec![Message::text(Role::User, "a").into(), Message::text(Role::User, "b").into()],
            tool_choice: ToolChoice::Required,
            temperature: Some(0.0),
            ..Request::default()
        };
        check(
            "claude-sonnet-4-6",
            &request,
            expect![[r#"
            model: "claude-sonnet-4-6"
            max_tokens: 64000
            messages:
              {"role":"user","content":[{"type":"text","text":"a"},{"type":"text","text":"b","cache_control":{"type":"ephemeral"}}]}
            tools:
              {"name":"read_file","description":"Does read_file.","input_schema":{"type":"object","properties":{"path":{"type":"string"}},"required":["path"]},"cache_control":{"type":"ephemeral"}}
            tool_choice: {"type":"any"}
            temperature: 0
            stream: true
        "#]],
        );
    }

    #[test]
    fn the_effort_is_what_the_model_can_take() {
        let effort = |model: &str, effort, tool_choice: ToolChoice| {
            let request = Request { effort: Some(effort), tool_choice, ..sample::conversation() };
            let facts = ModelFacts { reasons: true, ..ModelFacts::default() };
            body(model, &facts, &request, &Quirks::default())["output_config"].to_string()
        };
        let cases = [
            ("claude-sonnet-5-5", Effort::Max, ToolChoice::Auto, r#"{"effort":"max"}"#),
            ("claude-sonnet-5-5", Effort::Minimal, ToolChoice::Auto, r#"{"effort":"low"}"#),
            // Where the model is not to think, more than `high` is refused.
            ("claude-sonnet-5-5", Effort::Max, ToolChoice::Required, r#"{"effort":"high"}"#),
            ("claude-3-7-sonnet", Effort::High, ToolChoice::Auto, "null"),
        ];
        for (model, wanted, choice, expected) in cases {
            assert_eq!(effort(model, wanted, choice), expected, "{model}");
        }
    }

    #[test]
    fn calls_without_tools_go_as_text() {
        let request = Request { tools: Vec::new(), ..sample::conversation() };
        let body = body("m", &ModelFacts::default(), &request, &Quirks::default()).to_string();
        assert!(!body.contains("tool_use") && !body.contains("tool_result"), "{body}");
        assert!(body.contains("<path>src/lib.rs</path>"), "{body}");
    }

    #[test]
    fn reasoning_returns_to_its_place() {
        let reasoning = |text: &str, text_before: usize, calls_before: usize| Part::Reasoning {
            reasoning: Reasoning {
                text: text.into(),
                opaque: Some(
                    json!({"type": "thinking", "signature": "s", "text_before": text_before, "calls_before": calls_before}),
                ),
            },
        };
        let call = |id: &str| Part::Call { id: ox_protocol::CallId(id.into()), name: "t".into(), args: json!({}) };
        let foreign = Part::Reasoning { reasoning: Reasoning { text: "other".into(), opaque: None } };
        let message = Message {
            role: Role::Assistant,
            parts: vec![
                foreign,
                reasoning("one", 0, 0),
                reasoning("two", 3, 0),
                reasoning("three", 3, 1),
                Part::text("abc"),
                call("c0"),
                call("c1"),
            ],
        };
        let shown: Vec<String> = assistant(&message, true).iter().map(Value::to_string).collect();
        expect![[r#"
            {"type":"thinking","thinking":"one","signature":"s"}
            {"type":"text","text":"abc"}
            {"type":"thinking","thinking":"two","signature":"s"}
            {"type":"tool_use","id":"c0","name":"t","input":{}}
            {"type":"thinking","thinking":"three","signature":"s"}
            {"type":"tool_use","id":"c1","name":"t","input":{}}"#]]
        .assert_eq(&shown.join("\n"));
        assert_eq!(assistant(&message, false).len(), 3);
    }

    #[test]
    fn choices_and_versions() {
        let shown = [ToolChoice::Auto, ToolChoice::None, ToolChoice::Required].map(|it| tool_choice(&it).to_string());
        expect![[r#"
            {"type":"auto"}
            {"type":"none"}
            {"type":"any"}"#]]
        .assert_eq(&shown.join("\n"));
        let cases = [
            ("claude-sonnet-5-5", Some((5, 5))),
            ("claude-opus-5", Some((5, 0))),
            ("claude-haiku-4-5-20251001", Some((4, 5))),
            ("claude-sonnet-4-20250514", Some((4, 0))),
            ("anthropic/claude-opus-4.7", Some((4, 7))),
            ("claude-3-7-sonnet-20250219", Some((3, 7))),
            ("deepseek-v4-pro", None),
        ];
        for (model, version) in cases {
            assert_eq!(claude_version(model), version, "{model}");
        }
    }

    #[test]
    fn documents() {
        check(
            "claude-haiku-4-5",
            &sample::documents(),
            expect![[r##"
                model: "claude-haiku-4-5"
                max_tokens: 100
                messages:
                  {"role":"user","content":[{"type":"text","text":"Draw.","cache_control":{"type":"ephemeral"}}]}
                  {"role":"assistant","content":[{"type":"text","text":"Here.\n\n(You made a picture here)"}]}
                  {"role":"user","content":[{"type":"document","source":{"type":"base64","media_type":"application/pdf","data":"JVBERi0xLjc="},"title":"plan.pdf"},{"type":"document","source":{"type":"text","media_type":"text/plain","data":"# Notes\n"},"title":"notes.md"},{"type":"text","text":"Sum up.","cache_control":{"type":"ephemeral"}}]}
                stream: true
            "##]],
        );
        let quirks = Quirks::default();
        let refusal = crate::failure::failure(ox_protocol::FailureKind::BadRequest, "unknown variant `document`");
        assert!(quirks.learn(&refusal, 1));
        let body = body("claude-haiku-4-5", &ModelFacts::default(), &sample::documents(), &quirks);
        expect![[r#"
            model: "claude-haiku-4-5"
            max_tokens: 100
            messages:
              {"role":"user","content":[{"type":"text","text":"Draw.","cache_control":{"type":"ephemeral"}}]}
              {"role":"assistant","content":[{"type":"text","text":"Here.\n\n(You made a picture here)"}]}
              {"role":"user","content":[{"type":"text","text":"(A document stands here that you cannot read: docs/plan.pdf)"},{"type":"text","text":"<document name=\"notes.md\">\n# Notes\n</document>"},{"type":"text","text":"Sum up.","cache_control":{"type":"ephemeral"}}]}
            stream: true
        "#]].assert_eq(&sample::lines(&body));
    }
}
