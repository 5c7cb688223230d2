//! A conversation over a local socket: lines of JSON, `Message`s in and `Update`s out.
//!
//! Promise: only the user who runs the session can connect. A connection that does not read is cut by the hub and holds
//! nothing but its own queue; one that sends what is no message is told so and closed.

use std::os::unix::fs::{DirBuilderExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use ox_protocol::{Command, CommandId, ConversationId, Problem, Seq, Submission};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::unix::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{UnixListener, UnixStream};
use tokio::sync::mpsc::WeakUnboundedSender;

use crate::{Control, Hub, Ids, Message, Subscription, Update};

/// The longest line that a client may send, in bytes: a prompt with a few pictures.
const LINE: u64 = 64 * 1024 * 1024;

/// Where the session of a conversation listens: below the folder of Ox's state, which is the user's alone.
pub fn place(state: &Path, conversation: &ConversationId) -> PathBuf {
    state.join("sockets").join(format!("{conversation}.sock"))
}

/// Makes a socket that nobody else may open, and its folder. A file that an earlier session left there is replaced.
pub fn bind(path: &Path) -> std::io::Result<UnixListener> {
    if let Some(folder) = path.parent() {
        std::fs::DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
    }
    match std::fs::remove_file(path) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    let listener = UnixListener::bind(path)?;
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o600))?;
    Ok(listener)
}

/// Serves clients until the session is gone.
pub async fn serve(listener: UnixListener, hub: Arc<Hub>, commands: WeakUnboundedSender<Submission>) {
    while let Ok((stream, _)) = listener.accept().await {
        if commands.upgrade().is_none() {
            return;
        }
        tokio::spawn(connection(stream, hub.clone(), commands.clone()));
    }
}

async fn connection(stream: UnixStream, hub: Arc<Hub>, commands: WeakUnboundedSender<Submission>) {
    let (read, mut write) = stream.into_split();
    let mut lines = Lines::new(read);
    let mut updates: Option<Subscription> = None;
    loop {
        let update = tokio::select! {
            line = lines.next() => match line {
                Ok(Some(line)) => match serde_json::from_str(&line) {
                    Ok(Message::Subscribe { subscribe }) => match hub.subscribe(subscribe) {
                        Ok(subscription) => {
                            updates = Some(subscription);
                            continue;
                        }
                        Err(why) => rejected(&line, why),
                    },
                    Ok(Message::Look { .. }) => match hub.view() {
                        Ok(view) => Update::Control(Control::Snapshot { view: Box::new(view) }),
                        Err(why) => rejected(&line, why),
                    },
                    // Who joined may leave; the session ends with its owner.
                    Ok(Message::Submit(Submission { command: Command::Close, .. })) => return,
                    Ok(Message::Submit(submission)) => {
                        let Some(commands) = commands.upgrade() else { return };
                        // An error means that the session has just ended; so does the subscription.
                        let _ = commands.send(submission);
                        continue;
                    }
                    Err(error) => rejected(&line, Problem::new("rejected.unreadable").with("why", error)),
                },
                Ok(None) | Err(_) => return,
            },
            update = next(&mut updates) => match update {
                Some(update) => update,
                None => return,
            },
        };
        if send(&mut write, &update).await.is_err() {
            return;
        }
    }
}

/// The next update of a subscription; waits for ever where there is none.
async fn next(updates: &mut Option<Subscription>) -> Option<Update> {
    match updates {
        Some(updates) => updates.next().await,
        None => std::future::pending().await,
    }
}

/// The answer to a line that is no message; it names the command where that can be read.
fn rejected(line: &str, why: Problem) -> Update {
    let value: serde_json::Value = serde_json::from_str(line).unwrap_or_default();
    let command = CommandId(value["id"].as_str().unwrap_or_default().to_owned());
    Update::Control(Control::Rejected { conversation: ConversationId::default(), command, why })
}

async fn send(write: &mut OwnedWriteHalf, line: &impl serde::Serialize) -> std::io::Result<()> {
    let mut line = serde_json::to_vec(line)?;
    line.push(b'\n');
    write.write_all(&line).await
}

/// Lines of a bounded length; what was read of one survives a cancelled wait.
struct Lines {
    read: BufReader<tokio::io::Take<OwnedReadHalf>>,
    line: Vec<u8>,
}

impl Lines {
    fn new(read: OwnedReadHalf) -> Lines {
        Lines { read: BufReader::new(read.take(LINE)), line: Vec::new() }
    }

    async fn next(&mut self) -> std::io::Result<Option<String>> {
        self.read.read_until(b'\n', &mut self.line).await?;
        if self.line.pop() != Some(b'\n') {
            return Ok(None);
        }
        self.read.get_mut().set_limit(LINE);
        let line = String::from_utf8(std::mem::take(&mut self.line));
        line.map(Some).map_err(|error| std::io::Error::new(std::io::ErrorKind::InvalidData, error))
    }
}

/// A client of a session in another process.
pub struct Remote {
    lines: Lines,
    write: OwnedWriteHalf,
    ids: Ids,
}

impl Remote {
    /// Connects to the session that listens at `path` and follows it from the event `from` on.
    pub async fn connect(path: &Path, from: Seq) -> std::io::Result<Remote> {
        let mut remote = Remote::unsubscribed(path).await?;
        remote.subscribe(from).await?;
        Ok(remote)
    }

    /// Connects and follows nothing yet.
    pub(crate) async fn unsubscribed(path: &Path) -> std::io::Result<Remote> {
        let (read, write) = UnixStream::connect(path).await?.into_split();
        Ok(Remote { lines: Lines::new(read), write, ids: Ids::default() })
    }

    /// Asks for one snapshot of everything up to now.
    pub async fn ask_for_view(&mut self) -> std::io::Result<()> {
        send(&mut self.write, &Message::Look { view: true }).await
    }

    /// Submits a command under a name that was chosen elsewhere.
    pub async fn submit(&mut self, submission: Submission) -> std::io::Result<()> {
        send(&mut self.write, &Message::Submit(submission)).await
    }

    /// Begins to follow anew, from the event `from` on: after a `Gap`.
    pub async fn subscribe(&mut self, from: Seq) -> std::io::Result<()> {
        send(&mut self.write, &Message::Subscribe { subscribe: from }).await
    }

    /// Submits a command and returns its name.
    pub async fn send(&mut self, command: Command) -> std::io::Result<CommandId> {
        let id = self.ids.next();
        send(&mut self.write, &Message::Submit(Submission { id: id.clone(), command })).await?;
        Ok(id)
    }

    /// The next update; `None` when the session has ended.
    pub async fn next(&mut self) -> std::io::Result<Option<Update>> {
        match self.lines.next().await? {
            Some(line) => Ok(Some(serde_json::from_str(&line)?)),
            None => Ok(None),
        }
    }
}
