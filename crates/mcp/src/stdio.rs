//! The transport to a started server: one JSON message a line, over the standard input and output of a process that the
//! runner started. Nothing is held without a limit, and the process ends with this value.

use std::sync::{Arc, Mutex, PoisonError};

use ox_protocol::Running;
use rmcp::RoleClient;
use rmcp::model::{JsonRpcMessage, ServerJsonRpcMessage};
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

/// Bytes of the longest message.
pub(crate) const LARGEST_MESSAGE: usize = 16 << 20;
/// Messages that a server may send by itself, one after the other, without ever answering anything.
const UNASKED: u32 = 2_000;
/// Bytes of lines that are no messages and are overlooked: some servers greet people on their standard output.
const NOISE: usize = 64 << 10;

/// Why nothing more comes, where that is known.
pub(crate) type Over = Arc<Mutex<Option<String>>>;

pub(crate) struct Stdio {
    running: Arc<dyn Running>,
    out: UnboundedSender<Vec<u8>>,
    writer: tokio::task::AbortHandle,
    buffer: Vec<u8>,
    /// Bytes of `buffer` that hold no line break.
    looked: usize,
    unasked: u32,
    noise: usize,
    over: Over,
}

/// The process takes nothing more.
#[derive(Debug, thiserror::Error)]
#[error("the server has ended")]
pub(crate) struct Gone;

impl Stdio {
    /// Speaks with `running`; why it ends is said in `over`.
    pub(crate) fn new(running: Arc<dyn Running>, over: Over) -> Stdio {
        let (out, rest) = unbounded_channel();
        let writer = tokio::spawn(write(running.clone(), rest)).abort_handle();
        Stdio { running, out, writer, buffer: Vec::new(), looked: 0, unasked: 0, noise: 0, over }
    }

    /// The next line that is complete.
    fn line(&mut self) -> Option<Vec<u8>> {
        let at = self.buffer[self.looked..].iter().position(|it| *it == b'\n');
        let Some(at) = at else {
            self.looked = self.buffer.len();
            return None;
        };
        let rest = self.buffer.split_off(self.looked + at + 1);
        self.looked = 0;
        Some(std::mem::replace(&mut self.buffer, rest))
    }

    /// What a line holds; none for one that is no message.
    fn message(&mut self, line: &[u8]) -> Result<Option<RxJsonRpcMessage<RoleClient>>, String> {
        let line = line.trim_ascii();
        if line.is_empty() {
            return Ok(None);
        }
        let Ok(message) = serde_json::from_slice::<ServerJsonRpcMessage>(line) else {
            self.noise += line.len();
            return match self.noise > NOISE {
                true => Err("it writes things that are no messages".into()),
                false => Ok(None),
            };
        };
        self.unasked = match message {
            JsonRpcMessage::Response(_) | JsonRpcMessage::Error(_) => 0,
            _ => self.unasked + 1,
        };
        match self.unasked > UNASKED {
            true => Err("it never stops talking by itself".into()),
            false => Ok(Some(message)),
        }
    }

    /// Whoever waits may stop at any await: nothing that was taken in is lost there.
    async fn next(&mut self) -> Result<RxJsonRpcMessage<RoleClient>, String> {
        // A server that never stops talking keeps nobody else from running, clocks above all.
        tokio::task::yield_now().await;
        loop {
            while let Some(line) = self.line() {
                if let Some(message) = self.message(&line)? {
                    return Ok(message);
                }
            }
            if self.buffer.len() > LARGEST_MESSAGE {
                return Err(format!("a message of more than {} MiB", LARGEST_MESSAGE >> 20));
            }
            self.running.stirred().await;
            // Asked first: what an ended process wrote is complete.
            let exit = self.running.exit();
            let output = self.running.take();
            if output.dropped > 0 {
                return Err("it wrote more at once than is taken in".into());
            }
            self.buffer.extend_from_slice(&output.head);
            self.buffer.extend_from_slice(&output.tail);
            if let Some(exit) = exit.filter(|_| !self.buffer.contains(&b'\n')) {
                return Err(if exit.timed_out { "it ran as long as it may" } else { "it ended by itself" }.into());
            }
        }
    }
}

impl Transport<RoleClient> for Stdio {
    type Error = Gone;

    fn send(&mut self, item: TxJsonRpcMessage<RoleClient>) -> impl Future<Output = Result<(), Gone>> + Send + 'static {
        let mut line = serde_json::to_vec(&item).unwrap_or_default();
        line.push(b'\n');
        // A message is written whole or not at all, whoever gives up waiting.
        std::future::ready(self.out.send(line).map_err(|_| Gone))
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleClient>> {
        match self.next().await {
            Ok(message) => Some(message),
            Err(why) => {
                self.over.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(why);
                None
            }
        }
    }

    async fn close(&mut self) -> Result<(), Gone> {
        self.running.stop().await;
        Ok(())
    }
}

impl Drop for Stdio {
    fn drop(&mut self) {
        // The last handle on the process goes with it, and with that the process.
        self.writer.abort();
    }
}

async fn write(running: Arc<dyn Running>, mut rest: UnboundedReceiver<Vec<u8>>) {
    while let Some(message) = rest.recv().await {
        if running.write(&message).await.is_err() {
            return;
        }
    }
}
