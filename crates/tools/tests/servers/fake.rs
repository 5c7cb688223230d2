//! A language server that does as it is told by its mode. It runs inside the sandbox.

use std::collections::BTreeMap;
use std::io::{Read, Write};

use serde_json::{Value, json};

/// Serves on standard input and output until it is told to go, or as its mode says.
pub fn serve(mode: &str) {
    let mut server = Server { mode: mode.to_owned(), ..Server::default() };
    while let Some(message) = receive() {
        if !server.take(&message) {
            return;
        }
    }
}

#[derive(Default)]
struct Server {
    mode: String,
    texts: BTreeMap<String, String>,
    /// What it was told of changed files, and answers to its own questions.
    log: Vec<String>,
}

fn receive() -> Option<Value> {
    let mut head = Vec::new();
    let mut input = std::io::stdin().lock();
    while !head.ends_with(b"\r\n\r\n") {
        let mut byte = [0];
        input.read_exact(&mut byte).ok()?;
        head.push(byte[0]);
    }
    let head = String::from_utf8(head).ok()?;
    let length: usize = head.trim().strip_prefix("Content-Length: ")?.parse().ok()?;
    let mut body = vec![0; length];
    input.read_exact(&mut body).ok()?;
    serde_json::from_slice(&body).ok()
}

fn raw(bytes: &[u8]) {
    let mut out = std::io::stdout().lock();
    // Who listens may have gone.
    let _ = out.write_all(bytes).and_then(|()| out.flush());
}

fn send(message: &Value) {
    let body = message.to_string();
    raw(format!("Content-Length: {}\r\n\r\n{body}", body.len()).as_bytes());
}

impl Server {
    /// False when it ends.
    fn take(&mut self, message: &Value) -> bool {
        let params = &message["params"];
        let document = &params["textDocument"];
        let uri = document["uri"].as_str().unwrap_or_default().to_owned();
        match (message["method"].as_str(), message.get("id")) {
            (Some("initialize"), Some(id)) => return self.greet(id),
            (Some("shutdown"), Some(id)) => send(&json!({"id": id, "result": null})),
            (Some("exit"), _) => return self.mode == "stubborn",
            (Some("textDocument/didOpen"), _) => {
                self.texts.insert(uri, document["text"].as_str().unwrap_or_default().to_owned());
            }
            (Some("textDocument/didChange"), _) => {
                let text = params["contentChanges"][0]["text"].as_str().unwrap_or_default();
                self.texts.insert(uri, text.to_owned());
            }
            (Some("textDocument/didClose"), _) => drop(self.texts.remove(&uri)),
            (Some("workspace/didChangeWatchedFiles"), _) => {
                let name =
                    |it: &Value| it["uri"].as_str().and_then(|it| it.rsplit('/').next()).unwrap_or("?").to_owned();
                let changes = params["changes"].as_array().cloned().unwrap_or_default();
                self.log.extend(changes.iter().map(|it| format!("{} {}", name(it), it["type"])));
            }
            (Some(method), Some(id)) => return self.answer(method, id, params, &uri),
            (None, Some(id)) => {
                let words =
                    if message.get("error").is_some() { "refused".into() } else { message["result"].to_string() };
                self.log.push(format!("{id}: {words}"));
            }
            _ => {}
        }
        true
    }

    fn greet(&self, id: &Value) -> bool {
        match self.mode.as_str() {
            "mute" => return true,
            "broken" => {
                eprintln!("error: half of it is missing");
                return false;
            }
            _ => {}
        }
        eprintln!("this goes nowhere near the messages");
        let provides = json!({"positionEncoding": "utf-32", "renameProvider": true, "diagnosticProvider": {}});
        send(&json!({"id": id, "result": {"capabilities": provides}}));
        send(&json!({"method": "window/logMessage", "params": {"message": "Found 1 source file"}}));
        send(
            &json!({"id": "q1", "method": "workspace/configuration", "params": {"items": [{"section": "python.analysis"}]}}),
        );
        send(&json!({"id": "q2", "method": "workspace/applyEdit", "params": {}}));
        send(&json!({"id": "q3", "method": "evil/run", "params": {}}));
        true
    }

    fn answer(&mut self, method: &str, id: &Value, params: &Value, uri: &str) -> bool {
        match self.mode.as_str() {
            "crash" => return false,
            "hang" => return true,
            "garbage" => {
                for _ in 0..2_000 {
                    raw(&[b'x'; 1000]);
                }
                return true;
            }
            "floods" => {
                let message = json!({"method": "window/logMessage", "params": {"message": "talk ".repeat(200)}});
                let body = message.to_string();
                let framed = format!("Content-Length: {}\r\n\r\n{body}", body.len());
                // Until it is ended, or nobody listens.
                while std::io::stdout().lock().write_all(framed.as_bytes()).is_ok() {}
                return false;
            }
            "no-json" => raw(b"Content-Length: 5\r\n\r\n{oops"),
            "endless" => raw(b"Content-Length: 99999999999\r\n\r\n{}"),
            "wordy" => {
                let text = "w".repeat(1 << 20);
                eprintln!("{text}");
            }
            _ => {}
        }
        let result = match method {
            "textDocument/hover" => json!({"contents": self.hover(uri)}),
            "textDocument/references" => self.places(uri),
            "textDocument/definition" => json!({"uri": uri, "range": range(params["position"].clone())}),
            "textDocument/rename" => self.rename(uri, params),
            "textDocument/diagnostic" => self.problems(uri),
            _ => Value::Null,
        };
        send(&json!({"id": id, "result": result}));
        self.mode != "leaves"
    }

    /// What it knows of the file, what it was told and answered, and what it can do to the project.
    fn hover(&self, uri: &str) -> String {
        let text = self.texts.get(uri).cloned().unwrap_or_default();
        if self.mode != "nosy" {
            return format!("{}\n{}", text.trim(), self.log.join("\n"));
        }
        let root = std::env::current_dir().unwrap();
        let kind = |it: std::io::Result<()>| it.map_or_else(|error| error.kind().to_string(), |()| "done".to_owned());
        let inside = kind(std::fs::write(root.join("made.py"), "x"));
        let changed = kind(std::fs::OpenOptions::new().append(true).open(root.join("a.py")).map(drop));
        let own = kind(std::fs::write(std::env::temp_dir().join("made"), "x"));
        let net = kind(std::net::TcpStream::connect(("127.0.0.1", 9)).map(drop));
        format!("inside: {inside}\nchanged: {changed}\nown: {own}\nnet: {net}")
    }

    fn places(&self, uri: &str) -> Value {
        let number = if self.mode == "huge" { 200_000 } else { 3 };
        let place = |line: u32| json!({"uri": uri, "range": range(json!({"line": line, "character": 0}))});
        (0..number).map(place).collect()
    }

    /// Exchanges the five characters at the position, and in another file the first five.
    fn rename(&self, uri: &str, params: &Value) -> Value {
        let at = params["position"].clone();
        let mut end = at.clone();
        end["character"] = json!(at["character"].as_u64().unwrap() + 5);
        let edit = json!({"range": {"start": at, "end": end}, "newText": params["newName"]});
        let other = match self.mode.as_str() {
            "outside" => "file:///etc/hosts".to_owned(),
            "secret" => uri.replace("a.py", ".env"),
            _ => uri.replace("a.py", "b.py"),
        };
        let start = json!({"line": 0, "character": 0});
        let first =
            json!({"range": {"start": start, "end": {"line": 0, "character": 5}}, "newText": params["newName"]});
        json!({"changes": {(uri): [edit], (other): [first]}})
    }

    /// Every line with `bad` in it is an error.
    fn problems(&self, uri: &str) -> Value {
        let text = self.texts.get(uri).cloned().unwrap_or_default();
        let bad = text.lines().enumerate().filter(|it| it.1.contains("bad"));
        let one = |(line, text): (usize, &str)| {
            let at = json!({"line": line, "character": text.chars().count()});
            json!({"range": range(at), "message": "this is \u{1b}[31mbad", "severity": 1, "code": "B1"})
        };
        json!({"kind": "full", "items": bad.map(one).collect::<Value>()})
    }
}

fn range(start: Value) -> Value {
    json!({"end": start, "start": start})
}
