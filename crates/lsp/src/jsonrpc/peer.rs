//! A process that speaks JSON-RPC: requests to it, answers from it, and what it says by itself.
//!
//! Nothing here waits without a limit. A message is written whole or not at all, whoever gives up waiting. Dropping the
//! peer kills the process with all that it started.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use ox_protocol::Running;
use serde_json::{Value, json};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::sync::{Notify, oneshot};
use tokio::task::AbortHandle;

use super::framing::{FrameDecoder, encode};

/// Messages that are taken in before others get their turn.
const AT_ONCE: u32 = 64;

/// Why a request has no answer.
#[derive(Debug)]
pub enum CallError {
    /// The process has ended, or what it writes cannot be understood any more; in words.
    Ended(String),
    /// It did not answer in time.
    TimedOut {
        /// What was asked.
        method: String,
        /// The limit.
        after: Duration,
        /// It said nothing at all meanwhile.
        silent: bool,
    },
    /// It answered with an error; its words.
    Refused(String),
}

/// Takes in what the other side says by itself.
pub trait Incoming: Send + 'static {
    /// It told something.
    fn notification(&mut self, method: &str, params: &Value);

    /// It asked something. None where the method is not known.
    fn request(&mut self, method: &str, params: &Value) -> Option<Value>;

    /// The notification that tells it that nobody waits for the answer to request `id` any more; none where the protocol
    /// has no such thing.
    fn cancellation(&self, id: i64) -> Option<(&'static str, Value)>;
}

/// A running process that is spoken with.
pub struct Peer<H> {
    shared: Arc<Shared<H>>,
    running: Arc<dyn Running>,
    tasks: [AbortHandle; 2],
    number: AtomicI64,
}

/// What the peer and its reader share.
struct Shared<H> {
    state: Mutex<State<H>>,
    changed: Notify,
    out: UnboundedSender<Vec<u8>>,
}

struct State<H> {
    waiting: BTreeMap<i64, oneshot::Sender<Result<Value, String>>>,
    handler: H,
    /// Messages that came.
    messages: u64,
    /// Why nothing more comes.
    over: Option<String>,
}

impl<H: Incoming> Peer<H> {
    /// Speaks with `running`.
    pub fn new(running: Arc<dyn Running>, handler: H) -> Peer<H> {
        let (out, rest) = unbounded_channel();
        let state = Mutex::new(State { waiting: BTreeMap::new(), handler, messages: 0, over: None });
        let shared = Arc::new(Shared { state, changed: Notify::new(), out });
        let reader = tokio::spawn(read(running.clone(), shared.clone())).abort_handle();
        let writer = tokio::spawn(write(running.clone(), rest)).abort_handle();
        Peer { shared, running, tasks: [reader, writer], number: AtomicI64::new(1) }
    }

    /// Tells it something.
    pub fn notify(&self, method: &str, params: &Value) {
        self.shared.send(&json!({"jsonrpc": "2.0", "method": method, "params": params}));
    }

    /// Asks it something and waits for the answer, at most for `time`.
    ///
    /// # Errors
    /// It ended, did not answer in time, or answered with an error.
    pub async fn request(&self, method: &str, params: &Value, time: Duration) -> Result<Value, CallError> {
        let id = self.number.fetch_add(1, Ordering::Relaxed);
        let (sender, answer) = oneshot::channel();
        let before = {
            let mut state = self.shared.state();
            if let Some(why) = &state.over {
                return Err(CallError::Ended(why.clone()));
            }
            state.waiting.insert(id, sender);
            state.messages
        };
        let pending = Pending { shared: &self.shared, id };
        self.shared.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}));
        let answer = tokio::time::timeout(time, answer).await;
        drop(pending);
        match answer {
            Ok(Ok(answer)) => answer.map_err(CallError::Refused),
            Ok(Err(_)) => Err(CallError::Ended(self.over().unwrap_or_else(|| "ended".into()))),
            Err(_) => {
                let silent = self.shared.state().messages == before;
                Err(CallError::TimedOut { method: method.into(), after: time, silent })
            }
        }
    }

    /// Waits until `is` holds of the handler, at most for `time`. False when it does not by then.
    ///
    /// # Errors
    /// It ended before.
    pub async fn until(&self, time: Duration, is: impl Fn(&H) -> bool) -> Result<bool, CallError> {
        let wait = async {
            loop {
                let changed = self.shared.changed.notified();
                tokio::pin!(changed);
                // Listening begins before looking, so that nothing is missed between the two.
                changed.as_mut().enable();
                {
                    let state = self.shared.state();
                    if is(&state.handler) {
                        return Ok(true);
                    }
                    if let Some(why) = &state.over {
                        return Err(CallError::Ended(why.clone()));
                    }
                }
                changed.await;
            }
        };
        tokio::time::timeout(time, wait).await.unwrap_or(Ok(false))
    }

    /// Looks at the handler.
    pub fn handler<T>(&self, look: impl FnOnce(&mut H) -> T) -> T {
        look(&mut self.shared.state().handler)
    }

    /// Why nothing more comes from it; none while something may.
    pub fn over(&self) -> Option<String> {
        self.shared.state().over.clone()
    }

    /// Waits until the process has ended by itself, or nothing more comes from it.
    pub async fn ended(&self, poll: Duration) {
        while self.running.exit().is_none() && self.over().is_none() {
            let _ = self.until(poll, |_| false).await;
        }
    }

    /// Kills it. Resolves when nothing of it is left.
    pub async fn stop(&self) {
        self.running.stop().await;
    }
}

impl<H> Drop for Peer<H> {
    fn drop(&mut self) {
        // The last handle on the process goes with them, and with that the process.
        self.tasks.iter().for_each(AbortHandle::abort);
    }
}

/// A request under way. Who stops waiting takes it back.
struct Pending<'a, H: Incoming> {
    shared: &'a Shared<H>,
    id: i64,
}

impl<H: Incoming> Drop for Pending<'_, H> {
    fn drop(&mut self) {
        let mut state = self.shared.state();
        if state.waiting.remove(&self.id).is_some()
            && let Some((method, params)) = state.handler.cancellation(self.id)
        {
            self.shared.send(&json!({"jsonrpc": "2.0", "method": method, "params": params}));
        }
    }
}

impl<H> Shared<H> {
    fn state(&self) -> MutexGuard<'_, State<H>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn send(&self, message: &Value) {
        // Nobody takes it when the process is gone, which every request finds out by itself.
        let _ = self.out.send(encode(&message.to_string()));
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

impl<H: Incoming> Shared<H> {
    /// Takes in one message.
    fn receive(&self, body: &[u8]) -> Result<(), String> {
        let message: Value =
            serde_json::from_slice(body).map_err(|it| format!("sent something that is no JSON ({it})"))?;
        let mut state = self.state();
        state.messages += 1;
        let method = message.get("method").and_then(Value::as_str);
        match (method, message.get("id")) {
            (Some(method), Some(id)) => {
                let answer = match state.handler.request(method, &message["params"]) {
                    Some(result) => json!({"jsonrpc": "2.0", "id": id, "result": result}),
                    None => json!({"jsonrpc": "2.0", "id": id, "error": {"code": -32601, "message": "not known here"}}),
                };
                drop(state);
                self.send(&answer);
            }
            (Some(method), None) => state.handler.notification(method, &message["params"]),
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
}

/// What an answer holds.
fn result(mut message: Value) -> Result<Value, String> {
    match message.get("error").filter(|it| !it.is_null()) {
        Some(error) => Err(error["message"].as_str().unwrap_or("an error without words").to_string()),
        None => Ok(message.get_mut("result").map_or(Value::Null, Value::take)),
    }
}

/// Takes in all that it writes until it ends.
async fn read<H: Incoming>(running: Arc<dyn Running>, shared: Arc<Shared<H>>) {
    let mut frames = FrameDecoder::default();
    let why = loop {
        running.stirred().await;
        // Asked first: what an ended process wrote is complete.
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

/// Takes in all messages that are complete. A process that never stops talking keeps nobody else from running, clocks above
/// all.
async fn take<H: Incoming>(frames: &mut FrameDecoder, shared: &Shared<H>) -> Result<(), String> {
    let mut taken = 0u32;
    while let Some(body) = frames.next().map_err(|it| format!("sent {it}"))? {
        shared.receive(&body)?;
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
