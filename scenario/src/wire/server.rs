//! A small HTTP/1.1 server that can do what a good one never does: cut a stream, or close without a word.
//!
//! Streams are written in chunks of odd lengths, so that whoever reads them meets every kind of cut.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;

/// A request.
pub(super) struct Asked {
    /// Method and path.
    pub(super) line: String,
    headers: Vec<(String, String)>,
    pub(super) body: Vec<u8>,
}

/// What is answered.
pub(super) struct Answer {
    /// Zero closes the connection without a word.
    pub(super) status: u16,
    pub(super) headers: Vec<(&'static str, String)>,
    pub(super) pieces: Vec<Vec<u8>>,
    /// False where the connection is closed before the end of the body.
    pub(super) whole: bool,
}

impl Asked {
    /// A header by its lower-case name.
    pub(super) fn header(&self, name: &str) -> &str {
        self.headers.iter().find(|(it, _)| it == name).map_or("", |(_, value)| value)
    }
}

impl Answer {
    /// Events that end well.
    pub(super) fn stream(events: Vec<String>) -> Answer {
        let bytes = events.concat().into_bytes();
        let headers = vec![("content-type", "text/event-stream; charset=utf-8".to_string())];
        Answer { status: 200, headers, pieces: odd_pieces(&bytes), whole: true }
    }

    /// Events behind which the connection breaks.
    pub(super) fn cut(events: Vec<String>) -> Answer {
        Answer { whole: false, ..Answer::stream(events) }
    }

    /// No answer at all.
    pub(super) fn nothing() -> Answer {
        Answer { status: 0, headers: Vec::new(), pieces: Vec::new(), whole: false }
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

/// A running server.
pub(super) struct Serving {
    pub(super) url: String,
    pub(super) task: JoinHandle<()>,
    /// Connections so far.
    pub(super) connections: Arc<AtomicUsize>,
}

/// Serves on a free port of loopback until the task is aborted.
pub(super) async fn serve(answer: impl Fn(Asked) -> Answer + Send + Sync + 'static) -> io::Result<Serving> {
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
        for piece in &answer.pieces {
            let mut chunk = format!("{:x}\r\n", piece.len()).into_bytes();
            chunk.extend_from_slice(piece);
            chunk.extend_from_slice(b"\r\n");
            socket.write_all(&chunk).await?;
        }
        if !answer.whole {
            return Ok(());
        }
        socket.write_all(b"0\r\n\r\n").await?;
    }
    Ok(())
}

/// The next request; none when the client has closed the connection.
async fn read(socket: &mut TcpStream, received: &mut Vec<u8>) -> io::Result<Option<Asked>> {
    let head_end = loop {
        if let Some(at) = received.windows(4).position(|it| it == b"\r\n\r\n") {
            break at;
        }
        if socket.read_buf(received).await? == 0 {
            return Ok(None);
        }
    };
    let head = String::from_utf8_lossy(&received[..head_end]).into_owned();
    let mut lines = head.lines();
    let line = lines.next().unwrap_or_default().trim_end_matches(" HTTP/1.1").to_string();
    let headers: Vec<(String, String)> = lines
        .filter_map(|it| it.split_once(':'))
        .map(|(name, value)| (name.to_ascii_lowercase(), value.trim().to_string()))
        .collect();
    let mut asked = Asked { line, headers, body: Vec::new() };
    let length: usize = asked.header("content-length").parse().unwrap_or(0);
    let end = head_end + 4 + length;
    while received.len() < end {
        if socket.read_buf(received).await? == 0 {
            return Ok(None);
        }
    }
    asked.body = received[head_end + 4..end].to_vec();
    received.drain(..end);
    Ok(Some(asked))
}
