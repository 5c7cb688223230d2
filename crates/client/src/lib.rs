//! One end of a session: submit commands, receive updates, and fold them to what a screen shows.
//!
//! Promise: updates arrive in the order in which the agent sent them, and `next` returns `None` once the session has
//! ended and everything it said was received. A client never blocks the agent: one that is too slow is cut and goes on
//! from there by itself. A command to a session that has ended is dropped, because `next` already tells of the end.

mod hub;
pub mod join;
mod lines;
pub mod result;
pub mod socket;
pub mod stream_input;
pub mod stream_json;
mod update;
pub mod view;

use std::collections::HashMap;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::sync::Arc;

use ox_protocol::{Command, CommandId, ConversationId, Frame, Problem, Seq, Submission};
use tokio::sync::mpsc;

pub use hub::{Hub, ReadLog, Subscription};
pub use lines::Lines;
pub use update::{Control, Message, Update, schema};

/// The interface's end of a session in the same process. Dropping it tells the agent that its owner is gone.
pub struct Client {
    commands: mpsc::UnboundedSender<Submission>,
    hub: Arc<Hub>,
    updates: Subscription,
    ids: Ids,
    /// The last event that was handed out.
    last: Seq,
    /// The same of its sub-agents.
    below: HashMap<ConversationId, Seq>,
}

/// The agent's end of a session. `commands` ends when its owner is gone; dropping this ends the session.
pub struct AgentSide {
    /// What is asked, in order.
    pub commands: mpsc::UnboundedReceiver<Submission>,
    /// Where further clients send their commands; it does not keep the session alive.
    pub further: mpsc::WeakUnboundedSender<Submission>,
    /// Whom to tell.
    pub hub: Publisher,
}

/// The hub in the hands of the session: dropping it ends every subscription.
pub struct Publisher(Arc<Hub>);

/// The two ends of a new session in one process.
pub fn pair() -> (Client, AgentSide) {
    let (to_agent, commands) = mpsc::unbounded_channel();
    let hub = Arc::new(Hub::default());
    let updates = hub.subscribe(Seq(1)).expect("invariant: a hub without a log reads none");
    let further = to_agent.downgrade();
    let client = Client::over(to_agent, hub.clone(), updates);
    (client, AgentSide { commands, further, hub: Publisher(hub) })
}

/// The two ends of a sub-agent's conversation: what it publishes, the subscribers of `above` get too. The session lasts
/// as long as the sender does.
pub fn nested(above: &Arc<Hub>) -> (mpsc::UnboundedSender<Submission>, AgentSide) {
    let (to_agent, commands) = mpsc::unbounded_channel();
    let hub = Arc::new(Hub::default());
    hub.relay_to(above.clone());
    let further = to_agent.downgrade();
    (to_agent, AgentSide { commands, further, hub: Publisher(hub) })
}

impl Client {
    /// A client of updates that come from elsewhere; `hub` names the conversation.
    pub(crate) fn over(commands: mpsc::UnboundedSender<Submission>, hub: Arc<Hub>, updates: Subscription) -> Client {
        Client { commands, hub, updates, ids: Ids::default(), last: Seq(0), below: HashMap::new() }
    }

    /// True where an update is of the conversation itself, not of one of its sub-agents.
    pub fn is_own(&self, update: &Update) -> bool {
        let conversation = match update {
            Update::Frame(frame) => &frame.conversation,
            Update::Delta(delta) => &delta.conversation,
            Update::Control(_) => return true,
        };
        conversation.is_empty() || *conversation == self.hub.conversation()
    }

    /// Submits a command and returns its name: frames that carry it, or a rejection, are the answer.
    pub fn send(&self, command: Command) -> CommandId {
        let id = self.ids.next();
        // An error means that the agent is gone; `next` reports that to whoever waits.
        let _ = self.commands.send(Submission { id: id.clone(), command });
        id
    }

    /// The same for a prompt that Ox itself wrote: nobody is told later that the user asked for it.
    pub fn send_for_ox(&self, command: Command) -> CommandId {
        let id = self.ids.next().of_ox();
        let _ = self.commands.send(Submission { id: id.clone(), command });
        id
    }

    /// Submits commands from elsewhere. The session lasts as long as this does, too.
    pub fn sender(&self) -> impl Fn(Command) + Send + Sync + 'static {
        let (commands, ids) = (self.commands.clone(), self.ids.clone());
        move |command| drop(commands.send(Submission { id: ids.next(), command }))
    }

    /// The same under names that were chosen elsewhere.
    pub fn submitter(&self) -> impl Fn(Submission) + Send + Sync + 'static {
        let commands = self.commands.clone();
        move |submission| drop(commands.send(submission))
    }

    /// What hands out the updates, for further subscribers.
    pub fn hub(&self) -> Arc<Hub> {
        self.hub.clone()
    }

    /// A prompt without images and without a change of mode.
    pub fn prompt(&self, text: impl Into<String>) -> CommandId {
        self.send(Command::prompt(text))
    }

    /// Everything that is in the log.
    pub fn history(&self) -> Result<Vec<Frame>, Problem> {
        self.hub.history(Seq(1))
    }

    /// The next update; `None` when the session has ended. Safe to cancel: no update is lost.
    pub async fn next(&mut self) -> Option<Update> {
        loop {
            let update = self.updates.next().await?;
            if let Some(update) = self.taken(update) {
                return Some(update);
            }
        }
    }

    /// An update that has already arrived, without waiting.
    pub fn ready(&mut self) -> Option<Update> {
        loop {
            let update = self.updates.ready()?;
            if let Some(update) = self.taken(update) {
                return Some(update);
            }
        }
    }

    /// Goes on after a cut; an event that was handed out is not handed out again.
    fn taken(&mut self, update: Update) -> Option<Update> {
        match &update {
            Update::Frame(frame) if !self.is_own(&update) => {
                let last = self.below.entry(frame.conversation.clone()).or_default();
                if frame.seq <= *last {
                    return None;
                }
                *last = frame.seq;
            }
            Update::Frame(frame) if frame.seq <= self.last => return None,
            Update::Frame(frame) => self.last = frame.seq,
            Update::Control(Control::Snapshot { view }) => self.last = view.seq,
            Update::Control(Control::Gap { .. }) => match self.hub.subscribe(self.last.next()) {
                Ok(updates) => {
                    self.updates = updates;
                    return None;
                }
                // The log cannot be read: whoever waits is told of the gap, and then of the end.
                Err(_) => return Some(update),
            },
            // What others asked is answered to them.
            Update::Control(Control::Accepted { command, .. } | Control::Rejected { command, .. })
                if !self.ids.is_own(command) =>
            {
                return None;
            }
            Update::Control(Control::Accepted { .. } | Control::Rejected { .. }) | Update::Delta(_) => {}
        }
        Some(update)
    }
}

impl std::ops::Deref for Publisher {
    type Target = Arc<Hub>;

    fn deref(&self) -> &Arc<Hub> {
        &self.0
    }
}

impl Drop for Publisher {
    fn drop(&mut self) {
        self.0.end();
    }
}

/// Names for commands: a random beginning, so that two clients of a conversation do not choose the same, and a number.
#[derive(Clone)]
struct Ids {
    begins: u64,
    next: Arc<std::sync::atomic::AtomicU64>,
}

impl Default for Ids {
    fn default() -> Ids {
        Ids { begins: RandomState::new().build_hasher().finish(), next: Arc::default() }
    }
}

impl Ids {
    fn is_own(&self, id: &CommandId) -> bool {
        id.0.starts_with(&format!("{:012x}-", self.begins >> 16))
    }

    fn next(&self) -> CommandId {
        let number = self.next.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        CommandId(format!("{:012x}-{number}", self.begins >> 16))
    }
}
