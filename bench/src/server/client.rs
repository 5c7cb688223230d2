//! Clients of the server: requests, and event streams that note when each event came.

use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpSocket, TcpStream};
use tokio::time::timeout;

/// When what must come is given up.
pub const PATIENCE: Duration = Duration::from_secs(120);

/// How a server is asked.
#[derive(Clone, Default)]
pub struct Address {
    /// `127.0.0.1:PORT`.
    pub host: String,
    pub token: String,
}

impl Address {
    /// New conversations.
    pub async fn conversations(&self, count: usize) -> Result<Vec<String>> {
        let projects = ask(self, "GET", "/api/projects", &Value::Null).await?;
        let mut all = Vec::new();
        for _ in 0..count {
            let made = ask(self, "POST", "/api/conversations", &json!({"project": projects[0]["key"]})).await?;
            all.push(made["id"].as_str().with_context(|| format!("no conversation: {made}"))?.to_owned());
        }
        Ok(all)
    }

    /// Admits a prompt.
    pub async fn prompt(&self, id: &str, text: &str) -> Result<()> {
        let path = format!("/api/conversations/{id}/prompts");
        ask(self, "POST", &path, &json!({"text": text})).await.map(drop)
    }
}

/// A request and the JSON of its answer.
pub async fn ask(site: &Address, method: &str, path: &str, body: &Value) -> Result<Value> {
    let body = if body.is_null() { String::new() } else { body.to_string() };
    let mut stream = TcpStream::connect(&site.host).await?;
    let head = format!(
        "{}Content-Type: application/json\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}",
        head(site, method, path),
        body.len()
    );
    stream.write_all(head.as_bytes()).await?;
    let mut answer = String::new();
    timeout(PATIENCE, stream.read_to_string(&mut answer)).await??;
    let (head, body) = answer.split_once("\r\n\r\n").context("an answer has a head")?;
    ensure!(head.starts_with("HTTP/1.1 2"), "{method} {path}: {answer}");
    Ok(serde_json::from_str(body)?)
}

fn head(site: &Address, method: &str, path: &str) -> String {
    format!("{method} {path} HTTP/1.1\r\nHost: {}\r\nAuthorization: Bearer {}\r\n", site.host, site.token)
}

/// A stream of events of one conversation.
pub struct Events {
    lines: BufReader<TcpStream>,
    line: String,
    /// The number of the last event.
    pub last: u64,
    /// How often it was cut and went on.
    pub cut: usize,
    address: Address,
    id: String,
}

/// One server-sent event.
pub struct Message {
    pub name: String,
    /// The number of a recorded event; 0 for others.
    pub seq: u64,
    pub data: String,
    pub came: Instant,
}

impl Message {
    /// The event with which a reader goes on that was cut.
    pub fn from(&self) -> Result<u64> {
        let from = serde_json::from_str::<Value>(&self.data)?["from"].as_u64();
        from.with_context(|| format!("no gap: {}", self.data))
    }

    /// Whether it is the recorded end of a turn.
    pub fn ends_turn(&self) -> bool {
        self.name == "frame" && self.data.contains("\"event\":\"completion\"")
    }
}

impl Events {
    /// Follows a conversation from behind an event, sent as `Last-Event-ID`, as browsers do that come again.
    pub async fn open(site: &Address, id: &str, last: u64) -> Result<Events> {
        Events::with_socket(TcpSocket::new_v4()?, site, id, last).await
    }

    /// The same with as little room for what is not read as the system allows.
    pub async fn narrow(site: &Address, id: &str) -> Result<Events> {
        let socket = TcpSocket::new_v4()?;
        socket.set_recv_buffer_size(4096)?;
        Events::with_socket(socket, site, id, 0).await
    }

    async fn with_socket(socket: TcpSocket, site: &Address, id: &str, last: u64) -> Result<Events> {
        let mut stream = socket.connect(site.host.parse()?).await?;
        let head = head(site, "GET", &format!("/api/conversations/{id}/events"));
        stream.write_all(format!("{head}Last-Event-ID: {last}\r\n\r\n").as_bytes()).await?;
        let lines = BufReader::new(stream);
        let mut events = Events { lines, line: String::new(), last, cut: 0, address: site.clone(), id: id.to_owned() };
        ensure!(events.line().await?.contains(" 200 "), "no stream of events: {}", events.line);
        while !events.line().await?.is_empty() {}
        Ok(events)
    }

    async fn line(&mut self) -> Result<&str> {
        self.line.clear();
        let read = timeout(PATIENCE, self.lines.read_line(&mut self.line)).await.context("nothing came")??;
        ensure!(read > 0, "the stream of events ended");
        Ok(self.line.trim_end_matches(['\r', '\n']))
    }

    /// The next event; an error where the stream has ended, or nothing comes for a long time.
    pub async fn next(&mut self) -> Result<Message> {
        let mut message = Message { name: String::new(), seq: 0, data: String::new(), came: Instant::now() };
        loop {
            // Sizes of chunks stand between the events.
            let line = self.line().await?;
            match line.split_once(": ") {
                Some(("event", name)) => message.name = name.to_owned(),
                Some(("id", id)) => message.seq = id.parse()?,
                Some(("data", data)) => message.data = data.to_owned(),
                None if line.is_empty() && !message.name.is_empty() => break,
                _ => {}
            }
        }
        message.came = Instant::now();
        self.last = self.last.max(message.seq);
        Ok(message)
    }

    /// Reads to the end of so many turns; what came. Where it is cut, it goes on from where the server says.
    pub async fn turns(&mut self, turns: usize) -> Result<Vec<Message>> {
        let (mut all, mut ended) = (Vec::new(), 0);
        while ended < turns {
            let message = self.next().await?;
            if message.name == "gap" {
                let cut = self.cut + 1;
                *self =
                    Events::open(&self.address.clone(), &self.id.clone(), message.from()?.saturating_sub(1)).await?;
                self.cut = cut;
            }
            ended += usize::from(message.ends_turn());
            all.push(message);
        }
        Ok(all)
    }
}
