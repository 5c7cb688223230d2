//! How fast answers are read: `cargo run --release -p ox-model --example reading`.
//!
//! A server on loopback writes recorded answers as fast as it can; what is timed is the real path from the socket to the
//! reply, in time of its processor where the system tells it, so that a busy machine does not count. The second table shows that the time for a tool's argument grows with its length and no faster.

#![allow(clippy::print_stdout)]

use std::error::Error;
use std::io::{Read, Write};
use std::net::TcpListener;
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use ox_model::wire::{Anthropic, Gemini, OpenAiChat, OpenAiResponses, WireModel};
use ox_model::{Model, Piece, Request};
use ox_protocol::{Message, ModelFacts, Role};
use serde_json::{Value, json};

/// Bytes of an answer whose reading is timed.
const LENGTH: usize = 64 << 20;
/// Text of one event, about as long as providers make them.
const TEXT: &str = "The quick brown fox jumps over the lazy dog. ";
/// Bytes of an argument in one event.
const PIECE: usize = 32;
/// Least megabytes a second, in the release build.
const LEAST: f64 = 100.0;
/// Lengths of an argument in bytes, as powers of two: 32 KiB to 8 MiB.
const LENGTHS: [u32; 9] = [15, 16, 17, 18, 19, 20, 21, 22, 23];
/// So many of them, the shortest, are held to nothing.
const NOISE: usize = 4;
/// How much longer an argument of twice the length may take.
const MOST_GROWTH: f64 = 2.6;

/// One format: its name, an event with some text, one with a piece of an argument, what comes before and behind.
struct Format {
    name: &'static str,
    model: fn(&str) -> Box<dyn Model>,
    text: fn() -> String,
    piece: fn(&str) -> String,
    begin: fn() -> String,
    end: fn() -> String,
}

fn main() -> Result<(), Box<dyn Error>> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let mut good = true;
    println!("{:<10} {:>8}   of {} MiB, events of {} bytes of text", "format", "MB/s", LENGTH >> 20, TEXT.len());
    for format in formats() {
        let one = (format.text)();
        let body = one.repeat(LENGTH / one.len()) + &(format.end)();
        let length = body.len();
        let took = runtime.block_on(best(&format, body))?;
        let speed = length as f64 / took.as_secs_f64() / 1e6;
        good &= speed >= LEAST;
        println!("{:<10} {speed:>8.0}", format.name);
    }
    println!("\n{:<10} milliseconds for an argument of 32 KiB, 64 KiB, 128 KiB … 8 MiB", "format");
    for format in formats().into_iter().filter(|it| it.name != "gemini") {
        let mut curve: Vec<f64> = Vec::new();
        for length in LENGTHS.map(|it| 1_usize << it) {
            let piece = (format.piece)(&"x".repeat(PIECE));
            let body = (format.begin)() + &piece.repeat(length / PIECE) + &(format.piece)("\"}") + &(format.end)();
            curve.push(runtime.block_on(best(&format, body))?.as_secs_f64() * 1e3);
        }
        // The shortest are noise; over all of the others a straight line may not be left by more than that either.
        let steady = &curve[NOISE..];
        good &= steady.windows(2).all(|it| it[1] / it[0] < MOST_GROWTH);
        let (first, last) = (steady[0], steady[steady.len() - 1]);
        good &= last / first < MOST_GROWTH / 2.0 * (1 << (steady.len() - 1)) as f64;
        let shown: Vec<String> = curve.iter().map(|it| format!("{it:>8.1}")).collect();
        println!("{:<10} {}", format.name, shown.concat());
    }
    if good { Ok(()) } else { Err("slower than it must be".into()) }
}

/// The best of three, the time until the whole reply is there.
async fn best(format: &Format, body: String) -> Result<Duration, Box<dyn Error>> {
    let body = Arc::new(body.into_bytes());
    let mut best = Duration::MAX;
    for _ in 0..3 {
        let url = serve(body.clone())?;
        let model = (format.model)(&url);
        let request = Request { messages: vec![Message::text(Role::User, "go").into()], ..Request::default() };
        let (began, worked) = (Instant::now(), worked());
        let reply = model.ask(&request, &|_: Piece<'_>| {}).await;
        let took = self::worked().zip(worked).map_or(began.elapsed(), |(now, before)| now - before);
        best = best.min(took);
        reply.map_err(|it| it.message)?;
    }
    Ok(best)
}

/// How long this thread has worked so far, where the system tells it.
fn worked() -> Option<Duration> {
    let stat = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    Some(Duration::from_nanos(stat.split_whitespace().next()?.parse().ok()?))
}

/// Answers one request with `body`.
fn serve(body: Arc<Vec<u8>>) -> std::io::Result<String> {
    let listener = TcpListener::bind("127.0.0.1:0")?;
    let url = format!("http://{}", listener.local_addr()?);
    thread::spawn(move || -> std::io::Result<()> {
        let (mut socket, _) = listener.accept()?;
        let _ = socket.read(&mut [0; 64 << 10])?;
        let length = body.len();
        write!(socket, "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ncontent-length: {length}\r\n\r\n")?;
        socket.write_all(&body)
    });
    Ok(url)
}

fn event(value: &Value) -> String {
    format!("data: {value}\n\n")
}

fn typed(name: &str, mut value: Value) -> String {
    value["type"] = json!(name);
    format!("event: {name}\n{}", event(&value))
}

fn formats() -> Vec<Format> {
    vec![
        Format {
            name: "chat",
            model: |url| Box::new(WireModel::new(OpenAiChat::default(), ModelFacts::default(), "m", url, None)),
            text: || chat(&json!({"content": TEXT})),
            piece: |piece| chat(&json!({"tool_calls": [{"index": 0, "function": {"arguments": piece}}]})),
            begin: || {
                let function = json!({"name": "write_file", "arguments": "{\"content\":\""});
                chat(&json!({"tool_calls": [{"index": 0, "id": "a", "function": function}]}))
            },
            end: || "data: [DONE]\n\n".to_string(),
        },
        Format {
            name: "responses",
            model: |url| Box::new(WireModel::new(OpenAiResponses::default(), ModelFacts::default(), "m", url, None)),
            text: || responses("output_text.delta", TEXT),
            piece: |piece| responses("function_call_arguments.delta", piece),
            begin: || {
                let item = json!({"id": "i", "type": "function_call", "name": "write_file", "arguments": ""});
                let added = typed("response.output_item.added", json!({"output_index": 0, "item": item}));
                added + &responses("function_call_arguments.delta", "{\"content\":\"")
            },
            end: || typed("response.completed", json!({"response": {"status": "completed"}})),
        },
        Format {
            name: "messages",
            model: |url| Box::new(WireModel::new(Anthropic::default(), ModelFacts::default(), "m", url, None)),
            text: || messages(json!({"type": "text_delta", "text": TEXT})),
            piece: |piece| messages(json!({"type": "input_json_delta", "partial_json": piece})),
            begin: || {
                let block = json!({"type": "tool_use", "id": "t", "name": "write_file", "input": {}});
                let start = typed("content_block_start", json!({"index": 0, "content_block": block}));
                start + &messages(json!({"type": "input_json_delta", "partial_json": "{\"content\":\""}))
            },
            end: || {
                typed("message_delta", json!({"delta": {"stop_reason": "end_turn"}}))
                    + &typed("message_stop", json!({}))
            },
        },
        Format {
            name: "gemini",
            model: |url| Box::new(WireModel::new(Gemini::default(), ModelFacts::default(), "m", url, None)),
            text: || {
                event(&json!({"candidates": [{"content": {"role": "model", "parts": [{"text": TEXT}]}, "index": 0}]}))
            },
            // Gemini sends an argument whole.
            piece: |_| String::new(),
            begin: String::new,
            end: || event(&json!({"candidates": [{"finishReason": "STOP"}], "usageMetadata": {"promptTokenCount": 1}})),
        },
    ]
}

fn chat(delta: &Value) -> String {
    event(&json!({
        "id": "chatcmpl-123", "object": "chat.completion.chunk", "created": 1, "model": "m",
        "choices": [{"index": 0, "delta": delta, "logprobs": null, "finish_reason": null}],
    }))
}

fn responses(name: &str, delta: &str) -> String {
    typed(&format!("response.{name}"), json!({"item_id": "i", "output_index": 0, "content_index": 0, "delta": delta}))
}

fn messages(delta: Value) -> String {
    typed("content_block_delta", json!({"index": 0, "delta": delta}))
}
