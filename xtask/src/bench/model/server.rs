//! A model on loopback that notes when it sends the first piece of each reply. It speaks chat completions, waits between
//! the first piece and the rest, and calls a tool in every reply but the last, so that one run has many first pieces.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::Result;
use serde_json::{Value, json};

use crate::bench::script;

/// Silence before the first piece, in which the program comes to rest, and before what follows it.
const SILENCE: Duration = Duration::from_millis(30);

/// A running server.
pub struct Server {
    /// What to give to the program.
    pub url: String,
    sent: Arc<Mutex<Vec<(String, Instant)>>>,
}

impl Server {
    /// Serves `replies` replies; it ends with the process.
    pub fn start(replies: usize) -> Result<Server> {
        let listener = TcpListener::bind("127.0.0.1:0")?;
        let url = format!("http://{}/v1", listener.local_addr()?);
        let sent: Arc<Mutex<Vec<(String, Instant)>>> = Arc::default();
        let noted = sent.clone();
        thread::spawn(move || {
            for socket in listener.incoming().flatten() {
                let noted = noted.clone();
                // A client that goes away is its own affair.
                thread::spawn(move || answer(socket, &noted, replies));
            }
        });
        Ok(Server { url, sent })
    }

    /// The first piece of each reply so far, and when it was sent.
    pub fn sent(&self) -> Vec<(String, Instant)> {
        lock(&self.sent).clone()
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn answer(mut socket: TcpStream, noted: &Mutex<Vec<(String, Instant)>>, replies: usize) -> std::io::Result<()> {
    socket.set_nodelay(true)?;
    let body = request(&socket)?;
    // Whatever is asked beside the turn (nothing is offered then) gets a short answer that does not count.
    let counts = serde_json::from_slice::<Value>(&body).is_ok_and(|it| it["tools"].is_array());
    write!(socket, "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n")?;
    let number = if counts { lock(noted).len() } else { replies };
    let mark = format!("mark{number:04}");
    thread::sleep(SILENCE);
    let first = chunk(&json!({"role": "assistant", "content": format!("{mark} ")}), &Value::Null);
    let now = Instant::now();
    socket.write_all(first.as_bytes())?;
    if counts {
        lock(noted).push((mark, now));
    }
    thread::sleep(SILENCE);
    let finish = if number + 1 < replies {
        let args = json!({"path": script::path(number)}).to_string();
        let function = json!({"name": "read_file", "arguments": args});
        let call = json!({"tool_calls": [{"index": 0, "id": format!("call_{number}"), "type": "function", "function": function}]});
        socket.write_all(chunk(&call, &Value::Null).as_bytes())?;
        "tool_calls"
    } else {
        "stop"
    };
    let end = chunk(&json!({}), &json!(finish)) + "data: [DONE]\n\n";
    socket.write_all(end.as_bytes())
}

/// Reads a request and returns its body.
fn request(socket: &TcpStream) -> std::io::Result<Vec<u8>> {
    let mut reader = BufReader::new(socket);
    let (mut line, mut length) = (String::new(), 0);
    while reader.read_line(&mut line)? > 2 {
        let (name, value) = line.split_once(':').unwrap_or_default();
        if name.eq_ignore_ascii_case("content-length") {
            length = value.trim().parse().unwrap_or(0);
        }
        line.clear();
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body)?;
    Ok(body)
}

fn chunk(delta: &Value, finish: &Value) -> String {
    let choice = json!({"index": 0, "delta": delta, "finish_reason": finish});
    format!(
        "data: {}\n\n",
        json!({"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "mock", "choices": [choice]})
    )
}
