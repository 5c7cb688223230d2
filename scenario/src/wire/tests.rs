//! The servers against the models, and against requests that are wrong on purpose.

use std::sync::Arc;
use std::sync::Mutex;

use ox_model::scripted::{Step, parse_reply, parse_script};
use ox_model::xml::Xml;
use ox_model::{Model, Piece, Reply, Request};
use ox_protocol::{
    CallId, Failure, FailureKind, Finish, Image, Message, ModelFacts, Part, Reasoning, Role, Tokens, ToolChoice,
    ToolSpec,
};
use serde_json::{Value, json};

use super::*;

/// A conversation of two turns with parallel calls, an error, a picture and reasoning.
const SCRIPT: &str = "-- model --\n@@think First I look.\nI will look. 你好\n@read_file\npath: a.rs\n@run_checks\n-- model: fail 529 overloaded --\n-- model: cut --\nHalf of it\n-- model --\n@@usage 1000 20 900\n@write_file\npath: b.rs\ncontent: |\n  fn b() -> bool {\n      a < 1 && c\n  }\n-- model --\nDone.\n";

fn request() -> Request {
    let text = json!({"type": "string"});
    let tool = |name: &str, properties: Value| ToolSpec {
        name: name.into(),
        description: format!("Does {name}."),
        schema: json!({"type": "object", "properties": properties, "required": []}),
        edit_block: name == "edit_file",
    };
    Request {
        system: "You are Ox.".into(),
        tools: vec![
            tool("read_file", json!({"path": text})),
            tool("run_checks", json!({})),
            tool("write_file", json!({"path": text, "content": text})),
        ],
        messages: vec![Message::text(Role::User, "Context.").into(), Message::text(Role::User, "Fix it.").into()],
        max_output: Tokens(1000),
        ..Request::default()
    }
}

fn answer(request: &mut Request, reply: &Reply, turn: usize) {
    let mut parts: Vec<Part> = reply.reasoning.iter().map(|it| Part::Reasoning { reasoning: it.clone() }).collect();
    parts.push(Part::text(&reply.text));
    let mut results = Vec::new();
    for (at, call) in reply.calls.iter().enumerate() {
        let (id, name) = (CallId(format!("call_{turn}_{at}")), call.name.clone());
        parts.push(Part::Call { id: id.clone(), name: name.clone(), args: serde_json::from_str(&call.args).unwrap() });
        let picture = Image { media_type: "image/png".into(), data: "iVBORw==".into(), name: "p.png".into() };
        let images = if at == 0 { vec![picture] } else { vec![] };
        results.push(Part::Result { id, name, ok: at == 0, text: "seen".into(), images });
    }
    request.messages.push(Message { role: Role::Assistant, parts }.into());
    request.messages.push(Message { role: Role::Tool, parts: results }.into());
    request.messages.push(Message::text(Role::User, "Go on.").into());
}

async fn ask(model: &dyn Model, request: &Request) -> Result<Reply, Failure> {
    let shown = Mutex::new(String::new());
    let show = |piece: Piece<'_>| {
        if let Piece::Text(text) = piece {
            shown.lock().unwrap().push_str(text);
        }
    };
    let done = model.ask(request, &show).await;
    let text = done.as_ref().map_or_else(|it| it.partial.clone(), |it| it.text.clone());
    assert_eq!(*shown.lock().unwrap(), text);
    done
}

/// Plays the whole script; what comes is what the script says, whatever it travelled through.
async fn play(mock: &Mock, model: &dyn Model) {
    let mut request = request();
    let first = ask(model, &request).await.unwrap();
    assert_eq!(first.text, "I will look. 你好");
    assert_eq!(first.calls.iter().map(|it| it.name.as_str()).collect::<Vec<_>>(), ["read_file", "run_checks"]);
    assert_eq!((first.calls[0].args.as_str(), &first.finish), (r#"{"path":"a.rs"}"#, &Finish::Calls));
    assert_eq!(first.reasoning[0].text, "First I look.");
    answer(&mut request, &first, 1);
    let overloaded = ask(model, &request).await.unwrap_err();
    assert_eq!((overloaded.kind, overloaded.status), (FailureKind::Overloaded, Some(529)));
    let cut = ask(model, &request).await.unwrap_err();
    assert_eq!((cut.kind, cut.partial.as_str()), (FailureKind::Cut, "Half of it"));
    let second = ask(model, &request).await.unwrap();
    let written: Value = serde_json::from_str(&second.calls[0].args).unwrap();
    assert_eq!(written["content"], "fn b() -> bool {\n    a < 1 && c\n}\n");
    let usage = second.usage.unwrap();
    assert_eq!((usage.input, usage.cache_read, usage.output), (Tokens(1000), Tokens(900), Tokens(20)));
    answer(&mut request, &second, 2);
    request.tool_choice = ToolChoice::None;
    let last = ask(model, &request).await.unwrap();
    assert_eq!((last.text.as_str(), &last.finish), ("Done.", &Finish::Stop));
    assert_eq!(mock.violations(), Vec::<String>::new());
    assert_eq!((mock.left(), mock.rewritten()), (0, 0));
    assert_eq!(mock.connections(), 2, "one, and a new one after the stream was cut");
}

#[tokio::test]
async fn the_same_script_over_openai() {
    let mock = openai(parse_script(SCRIPT)).await.unwrap();
    play(&mock, &mock.model(ModelFacts::default())).await;
}

#[tokio::test]
async fn the_same_script_over_anthropic() {
    let mock = anthropic(parse_script(SCRIPT)).await.unwrap();
    play(&mock, &mock.model(ModelFacts { reasons: true, ..ModelFacts::default() })).await;
}

#[tokio::test]
async fn the_same_script_over_responses() {
    let mock = responses(parse_script(SCRIPT)).await.unwrap();
    play(&mock, &mock.model(ModelFacts { reasons: true, ..ModelFacts::default() })).await;
}

#[tokio::test]
async fn the_same_script_over_gemini() {
    let mock = gemini(parse_script(SCRIPT)).await.unwrap();
    play(&mock, &mock.model(ModelFacts::default())).await;
}

/// All formats, each with this script.
async fn all(script: &str) -> Vec<Mock> {
    let script = || parse_script(script);
    vec![
        openai(script()).await.unwrap(),
        anthropic(script()).await.unwrap(),
        responses(script()).await.unwrap(),
        gemini(script()).await.unwrap(),
    ]
}

#[tokio::test]
async fn an_endpoint_without_tools_is_asked_in_words() {
    let mock = xml(parse_script(SCRIPT)).await.unwrap();
    let native = mock.model(ModelFacts::default());
    let refused = ask(&native, &request()).await.unwrap_err();
    assert_eq!(refused.kind, FailureKind::ToolsRejected);
    let in_words = Xml::new(native);
    let mut plain = request();
    plain.messages.truncate(1);
    assert_eq!(ask(&in_words, &plain).await.unwrap().calls.len(), 2);
    assert_eq!(mock.violations(), Vec::<String>::new());
}

/// Each request is wrong in one way, and is told so by all.
#[tokio::test]
async fn what_is_wrong_is_noticed() {
    let call = |id: &str| Part::Call { id: CallId(id.into()), name: "read_file".into(), args: json!({}) };
    let result = |id: &str| Part::Result {
        id: CallId(id.into()),
        name: "read_file".into(),
        ok: true,
        text: String::new(),
        images: vec![],
    };
    let with = |messages: Vec<(Role, Vec<Part>)>| {
        let mut request = request();
        request.messages.extend(messages.into_iter().map(|(role, parts)| Message { role, parts }.into()));
        request
    };
    let mut schema = request();
    schema.tools[0].schema = json!({"type": "object", "properties": {"a": {"type": "array"}}, "required": ["b"]});
    let mut twice = request();
    twice.tools.push(twice.tools[0].clone());
    let mut picture = request();
    let broken = Image { media_type: "image/tiff".into(), data: "?".into(), name: String::new() };
    Arc::make_mut(&mut picture.messages[0]).parts.push(Part::Image { image: broken });
    let go_on = || (Role::User, vec![Part::text("and?")]);
    let cases = [
        (with(vec![(Role::Assistant, vec![call("a")]), go_on()]), "calls without results"),
        (with(vec![(Role::Assistant, vec![Part::text("x")]), (Role::Tool, vec![result("b")])]), "which waits for none"),
        (
            with(vec![(Role::Assistant, vec![call("a"), call("a")]), (Role::Tool, vec![result("a"), result("a")])]),
            "stands twice",
        ),
        (with(vec![(Role::Assistant, vec![Part::text("said")])]), "the last message is"),
        (schema, "a list without items"),
        (twice, "offered twice"),
        (picture, "not base64"),
    ];
    for (request, words) in cases {
        for mock in all("").await {
            let refused = ask(&mock.model(ModelFacts::default()), &request).await.unwrap_err();
            assert!(refused.message.contains(words), "{words}: {}", refused.message);
            assert!(mock.violations().iter().any(|it| it.contains(words)), "{:?}", mock.violations());
        }
    }
}

#[tokio::test]
async fn reasoning_that_was_changed_is_noticed() {
    let mock = anthropic(vec![Step::Reply(parse_reply("@@think A.\nHi"))]).await.unwrap();
    let model = mock.model(ModelFacts { reasons: true, ..ModelFacts::default() });
    let mut request = request();
    let reply = ask(&model, &request).await.unwrap();
    let changed = Reasoning { text: "B.".into(), ..reply.reasoning[0].clone() };
    let parts = vec![Part::Reasoning { reasoning: changed }, Part::text("Hi")];
    request.messages.push(Message { role: Role::Assistant, parts }.into());
    request.messages.push(Message::text(Role::User, "and?").into());
    // The model leaves the reasoning out after the refusal; the script is at its end then.
    ask(&model, &request).await.unwrap_err();
    assert!(mock.violations()[0].contains("changed block of reasoning"), "{:?}", mock.violations());
}

#[tokio::test]
async fn each_kind_of_failure_arrives_as_what_it_is() {
    let kinds = [
        "connect",
        "rate_limited",
        "overloaded",
        "server",
        "auth",
        "quota",
        "unknown_model",
        "tool_choice_rejected",
        "tools_rejected",
        "context_too_long",
        "content_filter",
        "bad_request",
        "malformed",
    ];
    let script: String = kinds.iter().map(|it| format!("-- model: fail {it} retry-after=3 sorry --\n")).collect();
    for mock in all(&script).await {
        let model = mock.model(ModelFacts::default());
        for kind in kinds {
            let failed = ask(&model, &request()).await.unwrap_err();
            assert_eq!(serde_json::to_value(failed.kind).unwrap(), kind, "{failed:?}");
            let reported = !matches!(kind, "connect" | "malformed");
            assert_eq!(failed.retry_after_ms, reported.then_some(3000), "{kind}");
        }
    }
}
