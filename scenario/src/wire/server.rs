//! A small HTTP/1.1 server on loopback that can do what a good one never does: cut a stream, fall silent, or close without a
//! word. It tells when a request came and when each piece of an answer was sent, so that programs can be measured by it.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;

/// A request.
pub struct Asked {
    /// When its first byte came.
    pub arrived: Instant,
    /// Method and path.
    pub line: String,
    headers: Vec<(String, String)>,
    /// The body, out of its chunks.
    pub body: Vec<u8>,
}

/// What is answered.
#[derive(Clone)]
pub struct Answer {
    /// Zero closes the connection without a word.
    pub status: u16,
    /// Headers beside those of the body's length.
    pub headers: Vec<(String, String)>,
    /// The body, each piece in a chunk of its own.
    pub pieces: Vec<Vec<u8>>,
    /// How the body ends.
    pub end: End,
    /// Silence before each of the first two pieces.
    pub pause: Duration,
    /// Told of each piece, by its number from 0, just before it is sent.
    pub sending: Option<Arc<dyn Fn(usize) + Send + Sync>>,
}

/// How an answer ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// As it should.
    Whole,
    /// The connection closes in the middle of the body.
    Cut,
    /// Nothing more comes until the client has left.
    Silence,
}

impl Asked {
    /// A header by its lower-case name.
    pub fn header(&self, name: &str) -> &str {
        self.headers.iter().find(|(it, _)| it == name).map_or("", |(_, value)| value)
    }

    /// The path of a POST request, without what stands behind `?`.
    pub fn posted_to(&self) -> Option<&str> {
        self.line.strip_prefix("POST ")?.split('?').next()
    }
}

impl Answer {
    /// An answer in pieces that ends well.
    pub fn new(status: u16, content_type: &str, pieces: Vec<Vec<u8>>) -> Answer {
        let headers = vec![("content-type".to_string(), content_type.to_string())];
        Answer { status, headers, pieces, end: End::Whole, pause: Duration::ZERO, sending: None }
    }

    /// JSON in one piece.
    pub fn json(status: u16, body: &serde_json::Value) -> Answer {
        Answer::new(status, "application/json", vec![body.to_string().into_bytes()])
    }

    /// Events that end well, cut at odd places, so that whoever reads them meets every kind of cut.
    pub fn stream(events: Vec<String>) -> Answer {
        Answer::new(200, "text/event-stream; charset=utf-8", odd_pieces(&events.concat().into_bytes()))
    }

    /// Events that end well, a piece each.
    pub fn events(events: Vec<String>) -> Answer {
        Answer::new(200, "text/event-stream", events.into_iter().map(String::into_bytes).collect())
    }

    /// No answer at all.
    pub fn nothing() -> Answer {
        Answer::new(0, "", Vec::new())
    }
}

fn odd_pieces(bytes: &[u8]) -> Vec<Vec<u8>> {
    let mut lengths = [1, 40, 7, 333, 2, 90].into_iter().cycle();
    let mut rest = bytes;
    let mut pieces = Vec::new();
    while !rest.is_empty() {
        let (piece, tail) = rest.split_at(lengths.next().unwrap_or(1).min(rest.len()));
        pieces.push(piece.to_vec());
        rest = tail;
    }
    pieces
}

/// A running server; it ends when it is dropped.
pub struct Serving {
    /// Where it listens, without a path.
    pub url: String,
    task: JoinHandle<()>,
    connections: Arc<AtomicUsize>,
}

impl Serving {
    /// Connections so far.
    pub fn connections(&self) -> usize {
        self.connections.load(Ordering::Relaxed)
    }
}

impl Drop for Serving {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// Serves on a free port of loopback.
pub async fn serve(answer: impl Fn(Asked) -> Answer + Send + Sync + 'static) -> io::Result<Serving> {
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let url = format!("http://{}", listener.local_addr()?);
    let answer = Arc::new(answer);
    let connections = Arc::new(AtomicUsize::new(0));
    let count = connections.clone();
    let task = tokio::spawn(async move {
        while let Ok((socket, _)) = listener.accept().await {
            count.fetch_add(1, Ordering::Relaxed);
            let answer = answer.clone();
            // A client that hangs up in the middle is no fault of the server.
            tokio::spawn(async move {
                let _ = connection(socket, &*answer).await;
            });
        }
    });
    Ok(Serving { url, task, connections })
}

async fn connection(mut socket: TcpStream, answer: &(impl Fn(Asked) -> Answer + Send + Sync)) -> io::Result<()> {
    socket.set_nodelay(true)?;
    let mut received = Vec::new();
    while let Some(asked) = read(&mut socket, &mut received).await? {
        let answer = answer(asked);
        if answer.status == 0 {
            return Ok(());
        }
        let mut head = format!("HTTP/1.1 {} Mock\r\ntransfer-encoding: chunked\r\n", answer.status);
        for (name, value) in &answer.headers {
            head += &format!("{name}: {value}\r\n");
        }
        socket.write_all(format!("{head}\r\n").as_bytes()).await?;
        for (number, piece) in answer.pieces.iter().filter(|it| !it.is_empty()).enumerate() {
            if number < 2 && !answer.pause.is_zero() {
                tokio::time::sleep(answer.pause).await;
            }
            answer.sending.iter().for_each(|reported| reported(number));
            let mut chunk = format!("{:x}\r\n", piece.len()).into_bytes();
            chunk.extend_from_slice(piece);
            chunk.extend_from_slice(b"\r\n");
            socket.write_all(&chunk).await?;
        }
        match answer.end {
            End::Whole => socket.write_all(b"0\r\n\r\n").await?,
            End::Cut => return Ok(()),
            End::Silence => return socket.read(&mut [0]).await.map(|_| ()),
        }
    }
    Ok(())
}

/// The next request; none when the client has closed the connection.
async fn read(socket: &mut TcpStream, received: &mut Vec<u8>) -> io::Result<Option<Asked>> {
    if received.is_empty() && socket.read_buf(received).await? == 0 {
        return Ok(None);
    }
    let arrived = Instant::now();
    let Some(head_end) = until(socket, received, 0, b"\r\n\r\n").await? else { return Ok(None) };
    let head = String::from_utf8_lossy(&received[..head_end]).into_owned();
    received.drain(..head_end + 4);
    let mut lines = head.lines();
    let line = lines.next().unwrap_or_default().trim_end_matches(" HTTP/1.1").to_string();
    let headers: Vec<(String, String)> = lines
        .filter_map(|it| it.split_once(':'))
        .map(|(name, value)| (name.to_ascii_lowercase(), value.trim().to_string()))
        .collect();
    let mut asked = Asked { arrived, line, headers, body: Vec::new() };
    if asked.header("expect").eq_ignore_ascii_case("100-continue") {
        socket.write_all(b"HTTP/1.1 100 Continue\r\n\r\n").await?;
    }
    let body = match asked.header("transfer-encoding").contains("chunked") {
        true => chunked(socket, received).await?,
        false => exactly(socket, received, asked.header("content-length").parse().unwrap_or(0)).await?,
    };
    Ok(body.map(|body| {
        asked.body = body;
        asked
    }))
}

/// Where `mark` stands in what was received, from `from` on; none when the client closed the connection before.
async fn until(socket: &mut TcpStream, received: &mut Vec<u8>, from: usize, mark: &[u8]) -> io::Result<Option<usize>> {
    loop {
        if let Some(at) = received[from..].windows(mark.len()).position(|it| it == mark) {
            return Ok(Some(from + at));
        }
        if socket.read_buf(received).await? == 0 {
            return Ok(None);
        }
    }
}

/// Takes so many bytes of what is received.
async fn exactly(socket: &mut TcpStream, received: &mut Vec<u8>, length: usize) -> io::Result<Option<Vec<u8>>> {
    while received.len() < length {
        if socket.read_buf(received).await? == 0 {
            return Ok(None);
        }
    }
    Ok(Some(received.drain(..length).collect()))
}

/// Takes a body in chunks.
async fn chunked(socket: &mut TcpStream, received: &mut Vec<u8>) -> io::Result<Option<Vec<u8>>> {
    let mut body = Vec::new();
    loop {
        let Some(end) = until(socket, received, 0, b"\r\n").await? else { return Ok(None) };
        let size = String::from_utf8_lossy(&received[..end]).into_owned();
        let size = usize::from_str_radix(size.split(';').next().unwrap_or_default().trim(), 16);
        let size = size.map_err(io::Error::other)?;
        received.drain(..end + 2);
        let Some(chunk) = exactly(socket, received, size + 2).await? else { return Ok(None) };
        if size == 0 {
            return Ok(Some(body));
        }
        body.extend_from_slice(&chunk[..size]);
    }
}
