//! The model of the loop on loopback: it plays a script in the format that it is asked in, and notes when each request came.

use std::io;
use std::sync::{Arc, Mutex};
use std::time::Instant;

use ox_scenario::wire::server::{Answer, Asked, Serving, serve};
use serde_json::{Value, json};

use super::request::Format;
use super::script::Script;
use crate::program::runtime;

/// One answered request.
pub struct Seen {
    /// When its first byte arrived.
    pub arrived: Instant,
    /// When the last piece of the reply was sent.
    pub answered: Instant,
    /// Its format.
    pub format: Format,
    /// Its body.
    pub body: Value,
    /// Whether tools were offered; requests without are not part of the loop.
    pub offers_tools: bool,
}

/// What the connections share.
struct Shared {
    script: Mutex<(Script, String)>,
    seen: Mutex<Vec<Seen>>,
}

/// The running server.
pub struct Mock {
    /// Where it listens.
    pub port: u16,
    shared: Arc<Shared>,
    _serving: Serving,
}

impl Mock {
    /// Starts it on a free port.
    pub fn start() -> io::Result<Mock> {
        let shared = Arc::new(Shared { script: Mutex::new((Script::Answer, String::new())), seen: Mutex::default() });
        let answering = shared.clone();
        let serving = runtime().block_on(serve(move |asked| answer(&answering, &asked)))?;
        let port = serving.url.rsplit(':').next().and_then(|it| it.parse().ok()).expect("the address has a port");
        Ok(Mock { port, shared, _serving: serving })
    }

    /// Sets what is played from now on and forgets what was seen.
    pub fn play(&self, script: Script, root: &str) {
        *self.shared.script.lock().expect("no connection panics with the lock held") = (script, root.to_owned());
        self.take();
    }

    /// The requests since the last call, in order of arrival.
    pub fn take(&self) -> Vec<Seen> {
        let mut seen = std::mem::take(&mut *self.shared.seen.lock().expect("no connection panics with the lock held"));
        seen.sort_by_key(|request| request.arrived);
        seen
    }
}

fn answer(shared: &Arc<Shared>, asked: &Asked) -> Answer {
    let Some(format) = asked.posted_to().and_then(Format::of) else {
        return match asked.line.contains("/models") {
            true => Answer::json(200, &json!({"object": "list", "data": [{"id": "mock", "object": "model"}]})),
            false => Answer::json(404, &json!({})),
        };
    };
    let body: Value = serde_json::from_slice(&asked.body).unwrap_or_default();
    let ask = format.read(&body);
    let (script, root) = shared.script.lock().expect("no connection panics with the lock held").clone();
    let reply = script.reply(&ask, &root);
    let answer = match body["stream"] == true {
        true => Answer::events(format.stream(&reply, ask.results)),
        false => Answer::json(200, &format.whole(&reply, ask.results)),
    };
    // A thousand long bodies would fill the memory.
    let body = if script == Script::Long { Value::Null } else { body };
    let (arrived, offers_tools) = (asked.arrived, !ask.tools.is_empty());
    let (shared, last) = (shared.clone(), answer.pieces.len().saturating_sub(1));
    let note = move |piece: usize| {
        if piece == last {
            let seen = Seen { arrived, answered: Instant::now(), format, body: body.clone(), offers_tools };
            shared.seen.lock().expect("no connection panics with the lock held").push(seen);
        }
    };
    Answer { sending: Some(Arc::new(note)), ..answer }
}

#[cfg(test)]
mod tests {
    use std::io::{Read, Write};
    use std::net::TcpStream;

    use super::*;

    fn post(port: u16, head: &str, body: &str) -> String {
        let mut stream = TcpStream::connect(("127.0.0.1", port)).expect("the mock listens");
        let head = format!("POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\n{head}\r\n\r\n");
        stream.write_all((head + body).as_bytes()).expect("the mock reads");
        stream.shutdown(std::net::Shutdown::Write).expect("the connection is open");
        let mut answer = String::new();
        stream.read_to_string(&mut answer).expect("the mock answers");
        answer
    }

    #[test]
    fn a_streamed_request_is_answered_by_the_script_and_noted() {
        let mock = Mock::start().expect("a free port");
        mock.play(Script::Commands, "/r");
        let body = r#"{"stream":true,"messages":[],"tools":[{"type":"function","function":{"name":"run_command",
            "parameters":{"properties":{"command":{"type":"string"}},"required":["command"]}}}]}"#;
        let answer = post(mock.port, &format!("content-length: {}", body.len()), body);
        assert!(answer.starts_with("HTTP/1.1 200") && answer.contains("run_command"), "{answer}");
        assert!(answer.ends_with("data: [DONE]\n\n\r\n0\r\n\r\n"), "{answer}");
        let chunked = format!("{:x}\r\n{body}\r\n0\r\n\r\n", body.len());
        assert!(post(mock.port, "transfer-encoding: chunked", &chunked).contains("[DONE]"));
        let seen = mock.take();
        assert_eq!((seen.len(), seen[0].offers_tools), (2, true));
        assert!(seen[0].answered >= seen[0].arrived);
    }
}
