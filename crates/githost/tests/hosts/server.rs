//! A host on this machine that knows exactly which requests come, in which order, and takes no other: method, path, every
//! header, the body. What does not fit is answered with 500 and told at the end.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;

use serde_json::Value;

/// A request that comes, and what it is answered with.
pub struct Exchange {
    pub method: &'static str,
    /// Path and query, as they stand in the request.
    pub target: String,
    /// All headers beside those that HTTP itself needs, sorted.
    pub headers: Vec<(&'static str, String)>,
    /// The body as JSON; none where there is none.
    pub body: Option<Value>,
    pub status: u16,
    pub reply_headers: Vec<(&'static str, String)>,
    pub reply: String,
}

pub struct HostServer {
    address: String,
    wrong: Arc<Mutex<Vec<String>>>,
    thread: Option<JoinHandle<()>>,
}

impl HostServer {
    /// Listens. What comes is made from the server's address, since answers name pages below it.
    pub fn new(exchanges: impl FnOnce(&str) -> Vec<Exchange>) -> HostServer {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        let expected = exchanges(&address);
        let wrong = Arc::new(Mutex::new(Vec::new()));
        let faulty = wrong.clone();
        let thread = std::thread::spawn(move || {
            for exchange in expected {
                let (mut stream, _) = listener.accept().unwrap();
                if stream.peek(&mut [0]).unwrap_or(0) == 0 {
                    faulty.lock().unwrap().push(format!("never came: {} {}", exchange.method, exchange.target));
                    return;
                }
                let faults = answer(&mut stream, &exchange);
                faulty.lock().unwrap().extend(faults);
            }
        });
        HostServer { address, wrong, thread: Some(thread) }
    }

    pub fn address(&self) -> &str {
        &self.address
    }

    /// Asserts that all came as it was to come.
    #[track_caller]
    pub fn done(mut self) {
        // Whoever still waits for a request gets one that says nothing.
        let thread = self.thread.take().unwrap();
        if !thread.is_finished() {
            drop(TcpStream::connect(self.address.trim_start_matches("http://")));
        }
        thread.join().unwrap();
        let wrong = self.wrong.lock().unwrap();
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    }
}

/// Headers that say how the message travels, not what is asked.
const TRAVEL: [&str; 4] = ["host", "content-length", "connection", "accept-encoding"];

fn answer(stream: &mut TcpStream, expected: &Exchange) -> Vec<String> {
    let (head, body) = read(stream);
    let mut lines = head.split("\r\n");
    let line = lines.next().unwrap_or_default();
    let mut headers: Vec<(String, String)> = lines
        .filter_map(|it| it.split_once(':'))
        .map(|(name, value)| (name.to_ascii_lowercase(), value.trim().to_owned()))
        .filter(|(name, _)| !TRAVEL.contains(&name.as_str()))
        .collect();
    headers.sort();
    let wanted: Vec<(String, String)> =
        expected.headers.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect();
    let mut wrong = Vec::new();
    let mut compare = |what: &str, got: String, wanted: String| {
        if got != wanted {
            wrong.push(format!("{line}: {what} is\n  {got}\nnot\n  {wanted}"));
        }
    };
    compare("line", line.to_owned(), format!("{} {} HTTP/1.1", expected.method, expected.target));
    compare("headers", format!("{headers:?}"), format!("{wanted:?}"));
    let got = if body.is_empty() { None } else { Some(serde_json::from_slice::<Value>(&body).unwrap_or(Value::Null)) };
    compare("body", format!("{got:?}"), format!("{:?}", expected.body));
    let status = if wrong.is_empty() { expected.status } else { 500 };
    let extra: String = expected.reply_headers.iter().map(|(name, value)| format!("{name}: {value}\r\n")).collect();
    let reply = &expected.reply;
    let text =
        format!("HTTP/1.1 {status} X\r\ncontent-length: {}\r\nconnection: close\r\n{extra}\r\n{reply}", reply.len());
    // Who has hung up does not want it.
    let _ = stream.write_all(text.as_bytes());
    wrong
}

fn read(stream: &mut TcpStream) -> (String, Vec<u8>) {
    let mut bytes = Vec::new();
    let mut piece = [0; 4096];
    loop {
        if let Some(at) = bytes.windows(4).position(|it| it == b"\r\n\r\n") {
            let head = String::from_utf8_lossy(&bytes[..at]).into_owned();
            let length = head.split("\r\n").filter_map(|it| it.split_once(": "));
            let length = length.filter(|it| it.0.eq_ignore_ascii_case("content-length"));
            let length: usize = length.filter_map(|it| it.1.parse().ok()).next().unwrap_or(0);
            if bytes.len() >= at + 4 + length {
                return (head, bytes[at + 4..at + 4 + length].to_vec());
            }
        }
        match stream.read(&mut piece).unwrap_or(0) {
            0 => return (String::from_utf8_lossy(&bytes).into_owned(), Vec::new()),
            count => bytes.extend_from_slice(&piece[..count]),
        }
    }
}
