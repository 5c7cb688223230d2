//! Stands before a provider and keeps one of its answers back, so that Ox can be stopped at exactly that moment.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use crate::provider::{Format, Provider};

/// How long a test waits for what must happen.
pub const LIMIT: Duration = Duration::from_secs(30);

/// What is kept back of an answer.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Keep {
    /// All of it.
    Everything,
    /// What comes after its first words.
    TheRest,
}

/// Passes requests on, all but the one with number `hold`; that it has come is told through the receiver.
pub fn before(provider: &mut Provider, hold: usize, keep: Keep) -> Receiver<()> {
    stand(provider, hold, keep, None)
}

/// The same, but that request is answered after all once the sender tells so.
pub fn until_reported(provider: &mut Provider, hold: usize) -> (Receiver<()>, Sender<()>) {
    let (tell, reported) = channel();
    (stand(provider, hold, Keep::Everything, Some(reported)), tell)
}

fn stand(provider: &mut Provider, hold: usize, keep: Keep, until: Option<Receiver<()>>) -> Receiver<()> {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let upstream = provider.address.trim_start_matches("http://").to_string();
    provider.address = format!("http://{}", listener.local_addr().unwrap());
    let first_words = match keep {
        Keep::Everything => String::new(),
        Keep::TheRest => first_words(provider.format),
    };
    let (held, receiver) = channel();
    let (asked, until) = (Arc::new(AtomicUsize::new(0)), Arc::new(Mutex::new(until)));
    std::thread::spawn(move || {
        for socket in listener.incoming().flatten() {
            let (upstream, held, asked, words) = (upstream.clone(), held.clone(), asked.clone(), first_words.clone());
            let until = until.clone();
            std::thread::spawn(move || {
                // A client that is killed breaks its connection; that is what this is for.
                let is_held = || asked.fetch_add(1, Ordering::SeqCst) + 1 == hold;
                let _ = connection(socket, &upstream, &is_held, &words, &held, &until);
            });
        }
    });
    receiver
}

fn connection(
    mut socket: TcpStream,
    upstream: &str,
    is_held: &dyn Fn() -> bool,
    words: &str,
    held: &Sender<()>,
    until: &Mutex<Option<Receiver<()>>>,
) -> std::io::Result<()> {
    loop {
        let request = read_until(&mut socket, is_whole_request)?;
        if is_held() {
            if !words.is_empty() {
                let head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n";
                write!(socket, "{head}{:x}\r\n{words}\r\n", words.len())?;
            }
            let _ = held.send(());
            match until.lock().unwrap().take() {
                // A test that went without a word answers too.
                Some(reported) => drop(reported.recv()),
                // Until the client is gone.
                None => socket.read_exact(&mut [0])?,
            }
        }
        let mut server = TcpStream::connect(upstream)?;
        server.write_all(&request)?;
        socket.write_all(&read_until(&mut server, |it| it.ends_with(b"\r\n0\r\n\r\n"))?)?;
    }
}

fn read_until(socket: &mut TcpStream, is_whole: impl Fn(&[u8]) -> bool) -> std::io::Result<Vec<u8>> {
    let mut all = Vec::new();
    let mut piece = [0; 64 << 10];
    while !is_whole(&all) {
        match socket.read(&mut piece)? {
            0 => return Err(std::io::ErrorKind::UnexpectedEof.into()),
            count => all.extend_from_slice(&piece[..count]),
        }
    }
    Ok(all)
}

/// True when head and body have come.
pub fn is_whole_request(asked: &[u8]) -> bool {
    let Some(end) = asked.windows(4).position(|it| it == b"\r\n\r\n") else { return false };
    let head = String::from_utf8_lossy(&asked[..end]).to_ascii_lowercase();
    let length = head.lines().find_map(|it| it.strip_prefix("content-length:")?.trim().parse::<usize>().ok());
    asked.len() >= end + 4 + length.unwrap_or(0)
}

/// The beginning of a stream: the words `I was about`.
fn first_words(format: Format) -> String {
    match format {
        Format::OpenAi | Format::Xml => "data: {\"choices\":[{\"index\":0,\"delta\":{\"role\":\"assistant\",\"content\":\"I was about\"}}]}\n\n".into(),
        Format::Anthropic => [
            "event: message_start\ndata: {\"type\":\"message_start\",\"message\":{\"usage\":{\"input_tokens\":3,\"output_tokens\":1}}}\n\n",
            "event: content_block_start\ndata: {\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":\"text\",\"text\":\"\"}}\n\n",
            "event: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"text_delta\",\"text\":\"I was about\"}}\n\n",
        ]
        .concat(),
    }
}
