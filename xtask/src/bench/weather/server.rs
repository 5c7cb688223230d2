//! A server on loopback that answers with exactly the bytes that it was given, and breaks off where it was told to.

use std::collections::VecDeque;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use anyhow::Result;

/// What is answered to one request.
#[derive(Clone, Debug)]
pub struct Answer {
    pub status: u16,
    pub headers: Vec<(String, String)>,
    /// Pieces, each sent by itself.
    pub pieces: Vec<Vec<u8>>,
    pub end: End,
}

/// How an answer ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// As it should.
    Well,
    /// The connection closes in the middle of the body.
    Cut,
    /// Nothing more ever comes.
    Silence,
}

impl Answer {
    /// A stream of events that ends well.
    pub fn stream(body: impl Into<Vec<u8>>) -> Answer {
        let headers = vec![("content-type".to_string(), "text/event-stream".to_string())];
        Answer { status: 200, headers, pieces: vec![body.into()], end: End::Well }
    }
}

/// A running server; it lives as long as the program.
pub struct Server {
    pub port: u16,
    /// Bodies of the requests so far.
    pub asked: Arc<Mutex<Vec<Vec<u8>>>>,
}

/// Gives `answers` in order, then `after` to whatever else is asked.
pub fn serve(answers: Vec<Answer>, after: Answer) -> Result<Server> {
    let listener = TcpListener::bind("127.0.0.1:0")?;
    let port = listener.local_addr()?.port();
    let asked = Arc::new(Mutex::new(Vec::new()));
    let (seen, left) = (asked.clone(), Arc::new(Mutex::new(VecDeque::from(answers))));
    thread::spawn(move || {
        for socket in listener.incoming().flatten() {
            let (seen, left, after) = (seen.clone(), left.clone(), after.clone());
            // A client that hangs up is no fault of the server.
            thread::spawn(move || drop(one(socket, &seen, &left, &after)));
        }
    });
    Ok(Server { port, asked })
}

fn one(
    mut socket: TcpStream,
    seen: &Mutex<Vec<Vec<u8>>>,
    left: &Mutex<VecDeque<Answer>>,
    after: &Answer,
) -> std::io::Result<()> {
    socket.set_nodelay(true)?;
    let Some(body) = read(&mut socket)? else { return Ok(()) };
    seen.lock().expect("no holder of this lock panics").push(body);
    let answer = left.lock().expect("no holder of this lock panics").pop_front().unwrap_or_else(|| after.clone());
    if answer.status == 0 {
        return Ok(());
    }
    let mut head = format!("HTTP/1.1 {} Weather\r\nconnection: close\r\ntransfer-encoding: chunked\r\n", answer.status);
    for (name, value) in &answer.headers {
        head += &format!("{name}: {value}\r\n");
    }
    socket.write_all(format!("{head}\r\n").as_bytes())?;
    for piece in answer.pieces.iter().filter(|it| !it.is_empty()) {
        socket.write_all(format!("{:x}\r\n", piece.len()).as_bytes())?;
        socket.write_all(piece)?;
        socket.write_all(b"\r\n")?;
        socket.flush()?;
    }
    match answer.end {
        End::Well => socket.write_all(b"0\r\n\r\n"),
        End::Cut => Ok(()),
        End::Silence => {
            // Until the client has left.
            socket.set_read_timeout(Some(Duration::from_secs(60)))?;
            let _ = socket.read(&mut [0]);
            Ok(())
        }
    }
}

/// The body of the request; none where the client left before it was whole.
fn read(socket: &mut TcpStream) -> std::io::Result<Option<Vec<u8>>> {
    let mut received = Vec::new();
    let mut piece = [0; 16 << 10];
    loop {
        if let Some(end) = received.windows(4).position(|it| it == b"\r\n\r\n") {
            let head = String::from_utf8_lossy(&received[..end]).to_ascii_lowercase();
            let length = head.lines().find_map(|it| it.strip_prefix("content-length:")?.trim().parse::<usize>().ok());
            if received.len() >= end + 4 + length.unwrap_or_default() {
                return Ok(Some(received[end + 4..].to_vec()));
            }
        }
        match socket.read(&mut piece)? {
            0 => return Ok(None),
            read => received.extend_from_slice(&piece[..read]),
        }
    }
}
