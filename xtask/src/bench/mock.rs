//! A model on loopback: a minimal HTTP/1.1 server that plays a script and notes when each request came.
//!
//! It never leaves 127.0.0.1 and ends when it is dropped.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Instant;

use serde_json::Value;

use super::script::Script;
use super::wire::Format;

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
    over: AtomicBool,
}

/// The running server.
pub struct Mock {
    /// Where it listens.
    pub port: u16,
    shared: Arc<Shared>,
}

impl Mock {
    /// Starts it on a free port.
    pub fn start() -> io::Result<Mock> {
        let listener = TcpListener::bind(("127.0.0.1", 0))?;
        let port = listener.local_addr()?.port();
        let script = Mutex::new((Script::Answer, String::new()));
        let shared = Arc::new(Shared { script, seen: Mutex::default(), over: AtomicBool::new(false) });
        let serving = Arc::clone(&shared);
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                if serving.over.load(Ordering::Relaxed) {
                    return;
                }
                let shared = Arc::clone(&serving);
                // A client that hangs up in the middle has measured itself out of the table.
                std::thread::spawn(move || serve(stream, &shared).ok());
            }
        });
        Ok(Mock { port, shared })
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

impl Drop for Mock {
    fn drop(&mut self) {
        self.shared.over.store(true, Ordering::Relaxed);
        // Wakes the thread that waits for connections, so that it sees the end.
        let _ = TcpStream::connect(("127.0.0.1", self.port));
    }
}

fn serve(stream: TcpStream, shared: &Shared) -> io::Result<()> {
    stream.set_nodelay(true)?;
    let mut reader = BufReader::new(stream.try_clone()?);
    let mut out = stream;
    loop {
        if reader.fill_buf()?.is_empty() {
            return Ok(());
        }
        let arrived = Instant::now();
        let (line, body) = request(&mut reader, &mut out)?;
        let path = line.split(' ').nth(1).unwrap_or_default();
        match Format::of(path).filter(|_| line.starts_with("POST ")) {
            Some(format) => reply(&mut out, shared, arrived, format, &body)?,
            None => other(&mut out, path)?,
        }
    }
}

fn reply(out: &mut TcpStream, shared: &Shared, arrived: Instant, format: Format, body: &[u8]) -> io::Result<()> {
    let body: Value = serde_json::from_slice(body)?;
    let ask = format.read(&body);
    let (script, root) = shared.script.lock().expect("no connection panics with the lock held").clone();
    let said = script.reply(&ask, &root);
    let offers_tools = !ask.tools.is_empty();
    if body["stream"] != true {
        let answer = format.whole(&said, ask.results).to_string();
        note(shared, Seen { arrived, answered: Instant::now(), format, body, offers_tools });
        return plain(out, "200 OK", &answer);
    }
    let mut events = format.stream(&said, ask.results);
    let last = events.pop().unwrap_or_default();
    out.write_all(b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n")?;
    for event in &events {
        out.write_all(format!("{:x}\r\n{event}\r\n", event.len()).as_bytes())?;
    }
    note(shared, Seen { arrived, answered: Instant::now(), format, body, offers_tools });
    out.write_all(format!("{:x}\r\n{last}\r\n0\r\n\r\n", last.len()).as_bytes())
}

fn other(out: &mut TcpStream, path: &str) -> io::Result<()> {
    match path.contains("/models") {
        true => plain(out, "200 OK", r#"{"object":"list","data":[{"id":"mock","object":"model"}]}"#),
        false => plain(out, "404 Not Found", "{}"),
    }
}

fn plain(out: &mut TcpStream, status: &str, body: &str) -> io::Result<()> {
    let length = body.len();
    let head = format!("HTTP/1.1 {status}\r\ncontent-type: application/json\r\ncontent-length: {length}\r\n\r\n");
    out.write_all((head + body).as_bytes())
}

fn note(shared: &Shared, seen: Seen) {
    shared.seen.lock().expect("no connection panics with the lock held").push(seen);
}

/// Reads one request: its first line and its body.
fn request(reader: &mut BufReader<TcpStream>, out: &mut TcpStream) -> io::Result<(String, Vec<u8>)> {
    let (mut first, mut length, mut chunked) = (String::new(), 0, false);
    loop {
        let mut line = String::new();
        reader.read_line(&mut line)?;
        let line = line.trim_end();
        if line.is_empty() {
            break;
        }
        let Some((name, value)) = line.split_once(':').filter(|_| !first.is_empty()) else {
            first = line.to_owned();
            continue;
        };
        match name.to_ascii_lowercase().as_str() {
            "content-length" => length = value.trim().parse().unwrap_or(0),
            "transfer-encoding" => chunked = value.to_ascii_lowercase().contains("chunked"),
            "expect" => out.write_all(b"HTTP/1.1 100 Continue\r\n\r\n")?,
            _ => {}
        }
    }
    let mut body = Vec::new();
    if chunked {
        while let Some(chunk) = chunk(reader)? {
            body.extend(chunk);
        }
    } else {
        body.resize(length, 0);
        reader.read_exact(&mut body)?;
    }
    Ok((first, body))
}

/// One chunk of a chunked body; `None` after the last.
fn chunk(reader: &mut BufReader<TcpStream>) -> io::Result<Option<Vec<u8>>> {
    let mut size = String::new();
    reader.read_line(&mut size)?;
    let size =
        usize::from_str_radix(size.split(';').next().unwrap_or_default().trim(), 16).map_err(io::Error::other)?;
    let mut piece = vec![0; size + 2];
    reader.read_exact(&mut piece)?;
    piece.truncate(size);
    Ok((size > 0).then_some(piece))
}

#[cfg(test)]
mod tests {
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
        assert!(answer.starts_with("HTTP/1.1 200 OK") && answer.contains("run_command"), "{answer}");
        assert!(answer.ends_with("data: [DONE]\n\n\r\n0\r\n\r\n"), "{answer}");
        let chunked = format!("{:x}\r\n{body}\r\n0\r\n\r\n", body.len());
        assert!(post(mock.port, "transfer-encoding: chunked", &chunked).contains("[DONE]"));
        let seen = mock.take();
        assert_eq!((seen.len(), seen[0].offers_tools), (2, true));
        assert!(seen[0].answered >= seen[0].arrived);
    }
}
