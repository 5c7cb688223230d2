//! A server that runs: messages to it, answers from it, and what it says by itself.
//!
//! Nothing here waits without a limit. A message is written whole or not at all, whoever gives up waiting. Dropping the
//! link kills the server with all that it started.

use std::collections::BTreeMap;
use std::future::Future;
use std::path::PathBuf;
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use ox_protocol::Running;
use serde_json::{Value, json};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::sync::{Notify, oneshot};
use tokio::task::AbortHandle;

use super::fault::Fault;
use super::frame::{Frames, framed};
use super::heard::Heard;

/// Messages that are taken in before others get their turn.
const AT_ONCE: u32 = 64;

/// A running server.
pub(super) struct Link {
    shared: Arc<Shared>,
    running: Arc<dyn Running>,
    tasks: [AbortHandle; 2],
    number: AtomicI64,
}

/// What the link and its reader share.
struct Shared {
    state: Mutex<State>,
    changed: Notify,
    out: UnboundedSender<Vec<u8>>,
}

#[derive(Default)]
struct State {
    waiting: BTreeMap<i64, oneshot::Sender<Result<Value, String>>>,
    heard: Heard,
    /// Messages that came.
    messages: u64,
    /// Why nothing more comes.
    over: Option<String>,
}

impl Link {
    /// Speaks with `running`. `heard` answers what it asks.
    pub(super) fn new(running: Arc<dyn Running>, heard: Heard) -> Link {
        let (out, rest) = unbounded_channel();
        let state = Mutex::new(State { heard, ..State::default() });
        let shared = Arc::new(Shared { state, changed: Notify::new(), out });
        let reader = tokio::spawn(read(running.clone(), shared.clone())).abort_handle();
        let writer = tokio::spawn(write(running.clone(), rest)).abort_handle();
        Link { shared, running, tasks: [reader, writer], number: AtomicI64::new(1) }
    }

    /// Tells it something.
    pub(super) fn notify(&self, method: &str, params: &Value) {
        self.shared.send(&json!({"jsonrpc": "2.0", "method": method, "params": params}));
    }

    /// Asks it something and waits for the answer, at most for `time`.
    pub(super) async fn ask(&self, method: &str, params: &Value, time: Duration) -> Result<Value, Fault> {
        let id = self.number.fetch_add(1, Ordering::Relaxed);
        let (sender, answer) = oneshot::channel();
        let before = {
            let mut state = self.shared.state();
            if let Some(why) = &state.over {
                return Err(Fault::Ended(why.clone()));
            }
            state.waiting.insert(id, sender);
            state.messages
        };
        let asked = Asked { shared: &self.shared, id };
        self.shared.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}));
        let answer = tokio::time::timeout(time, answer).await;
        drop(asked);
        match answer {
            Ok(Ok(answer)) => answer.map_err(Fault::Refused),
            Ok(Err(_)) => Err(Fault::Ended(self.over().unwrap_or_else(|| "ended".into()))),
            Err(_) => {
                let dead = self.shared.state().messages == before;
                Err(Fault::Slow { what: method.into(), after: time, dead })
            }
        }
    }

    /// Waits until `is` holds of what was heard, at most for `time`. False when it does not by then.
    pub(super) async fn until(&self, time: Duration, is: impl Fn(&Heard) -> bool) -> Result<bool, Fault> {
        let wait = async {
            loop {
                let changed = self.shared.changed.notified();
                tokio::pin!(changed);
                // Listening begins before looking, so that nothing is missed between the two.
                changed.as_mut().enable();
                {
                    let state = self.shared.state();
                    if is(&state.heard) {
                        return Ok(true);
                    }
                    if let Some(why) = &state.over {
                        return Err(Fault::Ended(why.clone()));
                    }
                }
                changed.await;
            }
        };
        tokio::time::timeout(time, wait).await.unwrap_or(Ok(false))
    }

    /// Looks at what was heard.
    pub(super) fn heard<T>(&self, look: impl FnOnce(&mut Heard) -> T) -> T {
        look(&mut self.shared.state().heard)
    }

    /// Why nothing more comes from it; none while something may.
    pub(super) fn over(&self) -> Option<String> {
        self.shared.state().over.clone()
    }

    /// Ends it: politely, and after `time` not. Resolves when nothing of it is left.
    pub(super) async fn end(&self, time: Duration) {
        if self.over().is_none() {
            let polite = async {
                // Whatever it answers, it is told to go.
                let _ = self.ask("shutdown", &Value::Null, time).await;
                self.notify("exit", &Value::Null);
                while self.running.exit().is_none() && self.over().is_none() {
                    let _ = self.until(time, |_| false).await;
                }
            };
            let _ = tokio::time::timeout(time, polite).await;
        }
        self.running.stop().await;
    }
}

impl Drop for Link {
    fn drop(&mut self) {
        // The last handle on the process goes with them, and with that the process.
        self.tasks.iter().for_each(AbortHandle::abort);
    }
}

/// A question under way. Who stops waiting takes it back.
struct Asked<'a> {
    shared: &'a Shared,
    id: i64,
}

impl Drop for Asked<'_> {
    fn drop(&mut self) {
        if self.shared.state().waiting.remove(&self.id).is_some() {
            self.shared.send(&json!({"jsonrpc": "2.0", "method": "$/cancelRequest", "params": {"id": self.id}}));
        }
    }
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn send(&self, message: &Value) {
        // Nobody takes it when the server is gone, which every question finds out by itself.
        let _ = self.out.send(framed(&message.to_string()));
    }

    /// Takes in one message.
    fn hear(&self, body: &[u8]) -> Result<(), String> {
        let message: Value =
            serde_json::from_slice(body).map_err(|it| format!("sent something that is no JSON ({it})"))?;
        let mut state = self.state();
        state.messages += 1;
        let method = message.get("method").and_then(Value::as_str);
        match (method, message.get("id")) {
            (Some(method), Some(id)) => {
                let answer = match state.heard.answer(method, &message["params"]) {
                    Some(result) => json!({"jsonrpc": "2.0", "id": id, "result": result}),
                    None => json!({"jsonrpc": "2.0", "id": id, "error": {"code": -32601, "message": "not known here"}}),
                };
                drop(state);
                self.send(&answer);
            }
            (Some(method), None) => state.heard.hear(method, &message["params"]),
            (None, id) => {
                let id = id.and_then(|it| it.as_i64().or_else(|| it.as_str()?.parse().ok()));
                if let Some(waiting) = id.and_then(|it| state.waiting.remove(&it)) {
                    // Who asked may have stopped waiting just now.
                    let _ = waiting.send(result(message));
                }
            }
        }
        self.changed.notify_waiters();
        Ok(())
    }

    /// Nothing more comes.
    fn end(&self, why: String) {
        let mut state = self.state();
        state.over.get_or_insert(why);
        state.waiting.clear();
        drop(state);
        self.changed.notify_waiters();
    }
}

/// What an answer holds.
fn result(mut message: Value) -> Result<Value, String> {
    match message.get("error").filter(|it| !it.is_null()) {
        Some(error) => Err(error["message"].as_str().unwrap_or("an error without words").to_string()),
        None => Ok(message.get_mut("result").map_or(Value::Null, Value::take)),
    }
}

/// Takes in all that it writes until it ends.
async fn read(running: Arc<dyn Running>, shared: Arc<Shared>) {
    let mut frames = Frames::default();
    let why = loop {
        running.stirred().await;
        // Asked first: what an ended server wrote is complete.
        let exit = running.exit();
        let output = running.take();
        if output.dropped > 0 {
            break "wrote more at once than is taken in".to_string();
        }
        frames.push(&output.head);
        if let Err(why) = take(&mut frames, &shared).await {
            break why;
        }
        if let Some(exit) = exit {
            break match exit.timed_out {
                true => "ran as long as it may".into(),
                false => "ended by itself".into(),
            };
        }
    };
    shared.end(why);
    running.stop().await;
}

/// Takes in all messages that are complete. A server that never stops talking keeps nobody else from running, clocks above
/// all.
async fn take(frames: &mut Frames, shared: &Shared) -> Result<(), String> {
    let mut taken = 0u32;
    while let Some(body) = frames.next().map_err(|it| format!("sent {it}"))? {
        shared.hear(&body)?;
        taken += 1;
        if taken.is_multiple_of(AT_ONCE) {
            tokio::task::yield_now().await;
        }
    }
    tokio::task::yield_now().await;
    Ok(())
}

/// Hands on every message, one after the other.
async fn write(running: Arc<dyn Running>, mut rest: UnboundedReceiver<Vec<u8>>) {
    while let Some(message) = rest.recv().await {
        if running.write(&message).await.is_err() {
            return;
        }
    }
}

/// A folder of a server's own. It goes with this.
pub(super) struct Folder(pub PathBuf);

impl Folder {
    /// A new one that only this user may enter.
    pub(super) fn new() -> std::io::Result<Folder> {
        use std::os::unix::fs::DirBuilderExt as _;
        static NUMBER: AtomicI64 = AtomicI64::new(0);
        let base = std::env::temp_dir().canonicalize()?;
        let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).map_or(0, |it| it.as_nanos());
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        // A name that is taken, by whomever, is an error and no folder.
        let path = base.join(format!("ox-server-{}-{since:x}-{number}", std::process::id()));
        std::fs::DirBuilder::new().mode(0o700).create(&path)?;
        Ok(Folder(path))
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // What cannot be removed costs room and nothing else.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Keeps `work` from going on when `stopped` resolves first.
pub(super) async fn unless<T>(
    stopped: impl Future<Output = ()>,
    work: impl Future<Output = Result<T, Fault>>,
) -> Result<T, Fault> {
    tokio::select! {
        biased;
        () = stopped => Err(Fault::Cancelled),
        done = work => done,
    }
}
