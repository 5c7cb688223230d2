//! A model whose reply comes piece by piece, each when the test says so.

use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Mutex};

use ox_scenario::wire::server::{Answer, Serving, serve};
use serde_json::{Value, json};
use tokio::runtime::Runtime;

/// A running server that gives one reply.
pub struct Piecewise {
    serving: Serving,
    next: Sender<()>,
    _runtime: Runtime,
}

impl Piecewise {
    /// A reply of these pieces. None comes by itself; its end follows the last.
    pub fn new(pieces: &[String]) -> Piecewise {
        let gated = pieces.len();
        let mut events: Vec<String> = pieces.iter().map(|it| chunk(&json!({"content": it}), &Value::Null)).collect();
        events.push(chunk(&json!({}), &json!("stop")) + "data: [DONE]\n\n");
        let (next, allowed) = channel();
        let allowed = Arc::new(Mutex::new(allowed));
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
        let serving = runtime.block_on(serve(move |asked| {
            // What is asked beside the turn gets the reply at once.
            let is_turn = serde_json::from_slice::<Value>(&asked.body).is_ok_and(|it| it["tools"].is_array());
            let allowed = allowed.clone();
            let waits = move |piece: usize| {
                if is_turn && piece < gated {
                    // A test that is over lets everything go.
                    let _ = allowed.lock().unwrap().recv();
                }
            };
            Answer { sending: Some(Arc::new(waits)), ..Answer::events(events.clone()) }
        }));
        Piecewise { serving: serving.unwrap(), next, _runtime: runtime }
    }

    /// Flags that send Ox to the server, for a conversation.
    pub fn flags(&self) -> Vec<String> {
        let url = format!("{}/v1", self.serving.url);
        ["--mode", "chat", "--model", "openai/mock", "--base-url", &url].map(String::from).to_vec()
    }

    /// A key, since the provider wants one.
    pub fn key(&self) -> (&'static str, &'static str) {
        ("OPENAI_API_KEY", "test")
    }

    /// Lets the next piece come.
    pub fn sends(&self) {
        self.next.send(()).unwrap();
    }
}

fn chunk(delta: &Value, finish: &Value) -> String {
    let choice = json!({"index": 0, "delta": delta, "finish_reason": finish});
    let chunk =
        json!({"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "mock", "choices": [choice]});
    format!("data: {chunk}\n\n")
}
