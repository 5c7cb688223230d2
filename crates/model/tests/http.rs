//! Both wire formats over real connections to small servers on this machine.

#![allow(clippy::unwrap_used)] // The tests' own steps may panic too.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::http::{HeaderMap, Response};
use axum::routing::post;
use ox_model::wire::{Anthropic, OpenAiChat, WireModel};
use ox_model::{Choice, Model, Piece, Reply, Request, Timeouts};
use ox_protocol::{Effort, Failure, FailureKind, Finish, Message, ModelFacts, ProviderLayer, Role, Tokens, Wire};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;

const KEY: &str = "test-key-123456";
const OPENAI_OK: &str = concat!(
    "data: {\"choices\":[{\"index\":0,\"delta\":{\"role\":\"assistant\",\"content\":\"Hel\"}}]}\n\n",
    "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"lo\"},\"finish_reason\":\"stop\"}]}\n\n",
    "data: {\"choices\":[],\"usage\":{\"prompt_tokens\":3,\"completion_tokens\":2}}\n\n",
    "data: [DONE]\n\n",
);
const ANTHROPIC_OK: &str = concat!(
    "event: message_start\ndata: {\"type\":\"message_start\",\"message\":{\"usage\":{\"input_tokens\":3,\"output_tokens\":1}}}\n\n",
    "event: content_block_start\ndata: {\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":\"text\",\"text\":\"\"}}\n\n",
    "event: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"text_delta\",\"text\":\"Hello\"}}\n\n",
    "event: content_block_stop\ndata: {\"type\":\"content_block_stop\",\"index\":0}\n\n",
    "event: message_delta\ndata: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"end_turn\"},\"usage\":{\"output_tokens\":2}}\n\n",
    "event: message_stop\ndata: {\"type\":\"message_stop\"}\n\n",
);

/// One answer: status, headers, body.
type Answer = (u16, &'static [(&'static str, &'static str)], &'static str);

/// A server that gives its answers in order and remembers what it was asked.
struct Server {
    url: String,
    asked: Arc<Mutex<Vec<(HeaderMap, serde_json::Value)>>>,
}

async fn serve(path: &str, answers: &[Answer]) -> Server {
    let answers = Arc::new(Mutex::new(answers.iter().copied().collect::<VecDeque<Answer>>()));
    let asked = Arc::new(Mutex::new(Vec::new()));
    let seen = asked.clone();
    let handler = move |headers: HeaderMap, body: String| async move {
        seen.lock().unwrap().push((headers, serde_json::from_str(&body).unwrap()));
        let (status, headers, body) = answers.lock().unwrap().pop_front().expect("asked more often than expected");
        let mut response = Response::builder().status(status);
        for (name, value) in headers {
            response = response.header(*name, *value);
        }
        response.body(Body::from(body)).unwrap()
    };
    let router = Router::new().route(path, post(handler));
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    tokio::spawn(async move { axum::serve(listener, router).await.unwrap() });
    Server { url, asked }
}

/// A server that writes raw bytes to its first connection and closes it.
async fn raw(bytes: &'static [u8], then_wait: Duration) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    tokio::spawn(async move {
        let (mut socket, _) = listener.accept().await.unwrap();
        let mut request = [0; 64 << 10];
        let _ = socket.read(&mut request).await;
        let _ = socket.write_all(bytes).await;
        tokio::time::sleep(then_wait).await;
    });
    url
}

fn request() -> Request {
    Request { messages: vec![Message::text(Role::User, "hi").into()], max_output: Tokens(10), ..Request::default() }
}

fn openai(url: &str) -> WireModel<OpenAiChat> {
    WireModel::new(OpenAiChat::default(), ModelFacts::default(), "m", &format!("{url}/v1"), Some(KEY.into()))
}

async fn ask(model: &dyn Model) -> (Result<Reply, Failure>, String) {
    let text = Mutex::new(String::new());
    let show = |piece: Piece<'_>| {
        if let Piece::Text(piece) = piece {
            text.lock().unwrap().push_str(piece);
        }
    };
    let done = model.ask(&request(), &show).await;
    (done, text.into_inner().unwrap())
}

async fn failed(answer: Answer) -> Failure {
    let server = serve("/v1/chat/completions", &[answer]).await;
    ask(&openai(&server.url)).await.0.unwrap_err()
}

#[tokio::test]
async fn chat_completions_answer() {
    let stream: Answer = (200, &[("content-type", "text/event-stream")], OPENAI_OK);
    let whole: Answer = (
        200,
        &[("content-type", "application/json")],
        r#"{"choices":[{"message":{"role":"assistant","content":"Hello"},"finish_reason":"stop"}],"usage":{"prompt_tokens":3,"completion_tokens":2}}"#,
    );
    let server = serve("/v1/chat/completions", &[stream, whole]).await;
    let model = openai(&server.url);
    for _ in 0..2 {
        let (reply, text) = ask(&model).await;
        let reply = reply.unwrap();
        assert_eq!((reply.text.as_str(), text.as_str(), reply.finish), ("Hello", "Hello", Finish::Stop));
        assert_eq!(reply.usage.unwrap().input, Tokens(3));
    }
    let asked = server.asked.lock().unwrap();
    assert_eq!(asked[0].0["authorization"], format!("Bearer {KEY}"));
    assert_eq!(asked[0].1["messages"][0]["content"], "hi");
}

#[tokio::test]
async fn messages_answer() {
    let server = serve("/v1/messages", &[(200, &[("content-type", "text/event-stream")], ANTHROPIC_OK)]).await;
    let model = WireModel::new(Anthropic::default(), ModelFacts::default(), "claude-x", &server.url, Some(KEY.into()));
    let reply = ask(&model).await.0.unwrap();
    assert_eq!((reply.text.as_str(), reply.usage.unwrap().output), ("Hello", Tokens(2)));
    let asked = server.asked.lock().unwrap();
    assert_eq!(asked[0].0["x-api-key"], KEY);
    assert_eq!(asked[0].0["anthropic-version"], "2023-06-01");
}

#[tokio::test]
async fn refusals_are_named() {
    let auth = failed((401, &[], r#"{"error":{"message":"Incorrect API key provided: test-key-123456."}}"#)).await;
    assert_eq!((auth.kind, auth.status), (FailureKind::Auth, Some(401)));
    assert_eq!(auth.message, "Incorrect API key provided: [key].");
    let unknown =
        failed((404, &[], r#"{"error":{"message":"The model `m` does not exist","code":"model_not_found"}}"#)).await;
    assert_eq!(unknown.kind, FailureKind::UnknownModel);
    let limited = failed((429, &[("retry-after", "7")], r#"{"error":{"message":"slow down"}}"#)).await;
    assert_eq!((limited.kind, limited.retry_after_ms), (FailureKind::RateLimited, Some(7000)));
    let server = failed((500, &[], "oops")).await;
    assert_eq!((server.kind, server.message.as_str()), (FailureKind::Server, "oops"));
    let moved = failed((301, &[("location", "https://elsewhere.example/v1")], "")).await;
    assert_eq!(moved.kind, FailureKind::BadRequest);
    assert!(
        moved.message.contains("answered 301 to https://elsewhere.example/v1; check the base URL"),
        "{}",
        moved.message
    );
    let page = failed((200, &[("content-type", "text/html")], "<!doctype html><title>Welcome</title>")).await;
    assert_eq!(page.kind, FailureKind::Malformed);
    assert!(page.message.ends_with("answered with a web page; check the base URL"), "{}", page.message);
}

#[tokio::test]
async fn what_an_endpoint_does_not_take_is_left_out_from_then_on() {
    let refused: Answer = (
        400,
        &[],
        r#"{"error":{"message":"Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead."}}"#,
    );
    let ok: Answer = (200, &[], OPENAI_OK);
    let server = serve("/v1/chat/completions", &[refused, ok, ok]).await;
    let model = openai(&server.url);
    assert_eq!(ask(&model).await.0.unwrap().text, "Hello");
    assert_eq!(ask(&model).await.0.unwrap().text, "Hello");
    let asked = server.asked.lock().unwrap();
    let limits: Vec<bool> = asked.iter().map(|(_, body)| body.get("max_completion_tokens").is_some()).collect();
    assert_eq!(limits, [false, true, true]);
}

#[tokio::test]
async fn an_effort_that_is_refused_becomes_the_nearest_that_is_taken() {
    let refused: Answer = (
        400,
        &[],
        r#"{"type":"error","error":{"type":"invalid_request_error","message":"This model does not support effort level 'max'. Supported levels: high, low, medium."}}"#,
    );
    let ok: Answer = (200, &[], ANTHROPIC_OK);
    let server = serve("/v1/messages", &[refused, ok, ok]).await;
    let facts = ModelFacts { reasons: true, ..ModelFacts::default() };
    let model = WireModel::new(Anthropic::default(), facts, "claude-sonnet-5-5", &server.url, Some(KEY.into()));
    let request = Request { effort: Some(Effort::Max), ..request() };
    for _ in 0..2 {
        assert_eq!(model.ask(&request, &|_| {}).await.unwrap().text, "Hello");
    }
    let asked = server.asked.lock().unwrap();
    let efforts: Vec<_> = asked.iter().map(|(_, body)| body["output_config"]["effort"].clone()).collect();
    assert_eq!(efforts, ["max", "high", "high"]);
}

#[tokio::test]
async fn reasoning_that_is_refused_is_left_out() {
    let refused: Answer = (
        400,
        &[],
        r#"{"type":"error","error":{"type":"invalid_request_error","message":"messages.1.content.0: Invalid `signature` in `thinking` block"}}"#,
    );
    let server = serve("/v1/messages", &[refused, (200, &[], ANTHROPIC_OK)]).await;
    let model = WireModel::new(Anthropic::default(), ModelFacts::default(), "claude-x", &server.url, Some(KEY.into()));
    assert_eq!(ask(&model).await.0.unwrap().text, "Hello");
    assert_eq!(server.asked.lock().unwrap().len(), 2);
}

#[tokio::test]
async fn a_cut_stream_keeps_what_was_shown() {
    let url = raw(
        b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ncontent-length: 5000\r\n\r\ndata: {\"choices\":[{\"delta\":{\"content\":\"Half a\"}}]}\n\n",
        Duration::ZERO,
    )
    .await;
    let (done, shown) = ask(&openai(&url)).await;
    let cut = done.unwrap_err();
    assert_eq!((cut.kind, cut.partial.as_str(), shown.as_str()), (FailureKind::Cut, "Half a", "Half a"));
}

/// An answer of chat completions that brings `pieces` as this part of a delta, and does not end.
fn endless(delta: &str, pieces: impl Iterator<Item = String>) -> &'static [u8] {
    let event = |it: String| {
        let delta = delta.replace("PIECE", &it);
        format!("data: {{\"choices\":[{{\"index\":0,\"delta\":{{{delta}}}}}]}}\n\n")
    };
    let head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n";
    Vec::leak((head.to_string() + &pieces.map(event).collect::<String>()).into_bytes())
}

const TEXT: &str = r#""content":"PIECE""#;

#[tokio::test]
async fn a_reply_without_end_is_cut() {
    let call = r#""tool_calls":[{"index":0,"id":"a","function":{"name":"f","arguments":"PIECE"}}]"#;
    for delta in [TEXT, r#""reasoning_content":"PIECE""#, call] {
        // Ten tokens were asked for.
        let url = raw(endless(delta, (0..60).map(|it| format!("{it} "))), Duration::from_secs(5)).await;
        let cut = ask(&openai(&url)).await.0.unwrap_err();
        assert_eq!(cut.kind, FailureKind::Malformed, "{delta}: {}", cut.message);
        assert!(cut.message.contains("it has more than 80 bytes, 8 for each token"), "{delta}: {}", cut.message);
    }
}

#[tokio::test]
async fn a_reply_that_says_the_same_again_and_again_is_cut() {
    let long = Request { max_output: Tokens(100_000), ..request() };
    let begin = || std::iter::once("I look. ".to_string());
    let url = raw(endless(TEXT, begin().chain((0..6_000).map(|_| "the ".into()))), Duration::from_secs(5)).await;
    let cut = openai(&url).ask(&long, &|_| {}).await.unwrap_err();
    assert_eq!(cut.kind, FailureKind::Malformed, "{}", cut.message);
    assert!(cut.message.ends_with("it said the same thing again and again"), "{}", cut.message);
    assert!(cut.partial.starts_with("I look. the the "), "{}", cut.partial);
    // As much that goes on is none.
    let url = raw(endless(TEXT, begin().chain((0..6_000).map(|it| format!("{it} ")))), Duration::ZERO).await;
    let cut = openai(&url).ask(&long, &|_| {}).await.unwrap_err();
    assert_eq!((cut.kind, cut.partial.ends_with("5999 ")), (FailureKind::Cut, true), "{}", cut.message);
}

#[tokio::test]
async fn a_silent_server_is_left() {
    let soon = Some(Duration::from_millis(150));
    let said = Timeouts { first_byte: soon, idle: soon, ..Timeouts::default() };
    let model = |url: &str| {
        WireModel::new(OpenAiChat::default(), ModelFacts::default(), "m", &format!("{url}/v1"), None).within(said)
    };
    let mute = raw(b"", Duration::from_secs(5)).await;
    let failure = ask(&model(&mute)).await.0.unwrap_err();
    assert_eq!(failure.kind, FailureKind::Timeout);
    assert!(failure.message.contains("no first byte from http://127.0.0.1"), "{}", failure.message);
    let stuck = raw(
        b"HTTP/1.1 200 OK\r\ncontent-length: 5000\r\n\r\ndata: {\"choices\":[{\"delta\":{\"content\":\"Half\"}}]}\n\n",
        Duration::from_secs(5),
    )
    .await;
    let failure = ask(&model(&stuck)).await.0.unwrap_err();
    assert_eq!((failure.kind, failure.partial.as_str()), (FailureKind::Cut, "Half"));
    let finished = raw(
        b"HTTP/1.1 200 OK\r\ncontent-length: 5000\r\n\r\ndata: {\"choices\":[{\"delta\":{\"content\":\"All\"},\"finish_reason\":\"stop\"}]}\n\n",
        Duration::from_secs(5),
    )
    .await;
    assert_eq!(ask(&model(&finished)).await.0.unwrap().text, "All", "the reply was whole, only its end was missing");
}

#[tokio::test]
async fn the_users_limits_of_patience_reach_every_wire_format() {
    let mute = raw(b"", Duration::from_secs(5)).await;
    for wire in [Wire::Anthropic, Wire::OpenaiChat, Wire::OpenaiResponses, Wire::Gemini] {
        let layer = ProviderLayer { wire: Some(wire), base_url: Some(mute.clone()), ..ProviderLayer::default() };
        let model = ox_model::open(&Choice {
            model: Some("mine/m".to_string()),
            providers: [("mine".to_string(), layer)].into(),
            timeouts: Timeouts { first_byte: Some(Duration::from_millis(120)), ..Timeouts::default() },
            ..Choice::default()
        });
        let failure = ask(&model.unwrap()).await.0.unwrap_err();
        assert_eq!(failure.kind, FailureKind::Timeout, "{wire:?}");
        assert!(failure.message.ends_with("within 120ms"), "{wire:?}: {}", failure.message);
    }
}

#[tokio::test]
async fn addresses_that_do_not_work() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let nobody = format!("http://{}", listener.local_addr().unwrap());
    drop(listener);
    let refused = ask(&openai(&nobody)).await.0.unwrap_err();
    assert_eq!(refused.kind, FailureKind::Connect);
    assert!(refused.message.starts_with("cannot reach http://127.0.0.1"), "{}", refused.message);
    assert!(refused.message.contains("Connection refused"), "{}", refused.message);

    let absent = ask(&openai("http://host.invalid")).await.0.unwrap_err();
    assert_eq!(absent.kind, FailureKind::Connect, "{}", absent.message);

    let plain = raw(b"HTTP/1.1 400 Bad Request\r\ncontent-length: 0\r\n\r\n", Duration::ZERO).await;
    let tls = ask(&openai(&plain.replace("http://", "https://"))).await.0.unwrap_err();
    assert_eq!(tls.kind, FailureKind::Tls, "{}", tls.message);
    assert!(tls.message.starts_with("no secure connection to https://127.0.0.1"), "{}", tls.message);

    let model =
        WireModel::new(OpenAiChat::default(), ModelFacts::default(), "m", &nobody, Some("key\nwith a break".into()));
    let odd = ask(&model).await.0.unwrap_err();
    assert_eq!(odd.kind, FailureKind::Auth);
}

/// The first request of a process must leave within 30 ms: no certificates are loaded for a plain address.
#[tokio::test]
async fn the_first_request_is_quick() {
    let server = serve("/v1/chat/completions", &[(200, &[], OPENAI_OK)]).await;
    let began = std::time::Instant::now();
    ask(&openai(&server.url)).await.0.unwrap();
    let took = began.elapsed();
    assert!(took < Duration::from_millis(100), "{took:?}");
    println!("first request and answer: {took:?}");
}
