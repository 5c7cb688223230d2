//! Hands a conversation's updates to any number of subscribers.
//!
//! Promise: publishing never waits. Each subscriber has a queue of its own; one whose queue is full is cut, and told from
//! which event to subscribe again. A subscriber gets every event once and in order.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use ox_protocol::{CallId, CommandId, ConversationId, Delta, DeltaKind, Event, Frame, Problem, Seq};
use tokio::sync::mpsc;

use crate::update::{Control, Update};
use crate::view::View;

/// Updates that may wait for one subscriber.
const QUEUE: usize = 4_096;
/// Events that are replayed to a subscriber; where it has missed more, it gets a view of all.
const REPLAY: usize = 1_000;
/// Bytes of a running command's output that a late subscriber gets, at least; twice as many at most.
const OUTPUT: usize = 64 << 10;

/// Reads the events of the log from a number on.
pub type ReadLog = Arc<dyn Fn(Seq) -> Result<Vec<Frame>, Problem> + Send + Sync>;

/// The subscribers of one conversation.
#[derive(Default)]
pub struct Hub {
    inner: Mutex<Inner>,
}

#[derive(Default)]
struct Inner {
    conversation: ConversationId,
    /// The last event that was published or was there before.
    last: Seq,
    read: Option<ReadLog>,
    subscribers: Vec<Subscriber>,
    /// Text that streams now, as far as it has come.
    live: Vec<Delta>,
    ended: bool,
    /// A turn went on since the conversation was opened; one that a crash cut short before that does not run.
    works: bool,
    /// The hub of the conversation that this one is a sub-agent of: it gets whatever is published here.
    above: Option<Arc<Hub>>,
    /// What sub-agents that still run have recorded, for whoever subscribes later: it stands in logs of their own.
    below: Vec<Arc<Frame>>,
}

struct Subscriber {
    queue: mpsc::Sender<Update>,
    /// The event from which to go on, where it was cut; 0 otherwise.
    cut: Arc<AtomicU64>,
}

impl Hub {
    /// A panic elsewhere leaves no half of a publication: the list of subscribers is changed in one step.
    fn inner(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Says which conversation it is, how far its log goes, and how to read it.
    pub fn open(&self, conversation: ConversationId, last: Seq, read: ReadLog) {
        let mut inner = self.inner();
        inner.conversation = conversation;
        inner.last = last;
        inner.read = Some(read);
    }

    /// Tells of an event that is on disk.
    pub fn frame(&self, frame: Frame) {
        let mut inner = self.inner();
        inner.last = frame.seq;
        inner.settle(&frame.event);
        let seq = frame.seq;
        inner.publish(&Update::from(frame), seq);
    }

    /// Tells the subscribers of this conversation what happens in one of its sub-agents.
    fn relay(&self, update: &Update) {
        let mut inner = self.inner();
        if let Update::Frame(frame) = update {
            inner.below.push(frame.clone());
        }
        let from = inner.last.next();
        inner.publish(update, from);
    }

    /// What happens here is told to the subscribers of `above` too.
    pub(crate) fn relay_to(&self, above: Arc<Hub>) {
        self.inner().above = Some(above);
    }

    /// The conversation that it tells of.
    pub(crate) fn conversation(&self) -> ConversationId {
        self.inner().conversation.clone()
    }

    /// Shows a piece of streaming text; `delta.conversation` is filled in.
    pub fn delta(&self, delta: Delta) {
        let mut inner = self.inner();
        let delta = Delta { conversation: inner.conversation.clone(), ..delta };
        let same =
            |it: &&mut Delta| it.kind == delta.kind && it.message_id == delta.message_id && it.call == delta.call;
        match inner.live.iter_mut().find(same) {
            Some(live) => {
                live.delta.push_str(&delta.delta);
                if live.kind == DeltaKind::ToolOutput {
                    keep_end(live);
                }
            }
            None => inner.live.push(delta.clone()),
        }
        inner.tell(&Update::Delta(delta));
    }

    /// Says that a command has taken effect.
    pub fn accept(&self, command: CommandId) {
        let mut inner = self.inner();
        let (conversation, seq) = (inner.conversation.clone(), inner.last);
        inner.tell(&Update::Control(Control::Accepted { conversation, command, seq }));
    }

    /// Says that a command has no effect.
    pub fn reject(&self, command: CommandId, why: Problem) {
        let mut inner = self.inner();
        let conversation = inner.conversation.clone();
        inner.tell(&Update::Control(Control::Rejected { conversation, command, why }));
    }

    /// Ends every subscription after what was published.
    pub fn end(&self) {
        let mut inner = self.inner();
        inner.ended = true;
        inner.subscribers.clear();
    }

    /// What happened from `from` on and what happens from now on. Where more than 1,000 events were missed, a snapshot
    /// stands in for them. An error is that of reading the log.
    pub fn subscribe(&self, from: Seq) -> Result<Subscription, Problem> {
        let (mut subscription, last, read, live, below, works) = {
            let mut inner = self.inner();
            let subscription = inner.subscriber();
            let (live, below) = (inner.live.clone(), inner.below.clone());
            (subscription, inner.last, inner.read.clone(), live, below, inner.works)
        };
        // The log is read outside the lock: what is published meanwhile is in the queue already.
        let up_to_now = |from: Seq, read: &ReadLog| -> Result<Vec<Frame>, Problem> {
            Ok(read(from)?.into_iter().filter(|it| it.seq <= last).collect())
        };
        if let Some(read) = read.filter(|_| from <= last) {
            let from = Seq(from.0.max(1));
            subscription.first = match last.0 - from.0 < REPLAY as u64 {
                true => up_to_now(from, &read)?.into_iter().map(Update::from).collect(),
                false => {
                    let mut view = View::of(&up_to_now(Seq(1), &read)?);
                    view.busy &= works;
                    VecDeque::from([Update::Control(Control::Snapshot { view: Box::new(view) })])
                }
            };
        }
        subscription.first.extend(below.into_iter().map(Update::Frame));
        subscription.first.extend(live.into_iter().map(Update::Delta));
        Ok(subscription)
    }

    /// What the conversation amounts to now, with what its sub-agents that run have recorded.
    pub fn view(&self) -> Result<View, Problem> {
        let (below, works) = {
            let inner = self.inner();
            (inner.below.clone(), inner.works)
        };
        let mut view = View::of(&self.history(Seq(1))?);
        view.busy &= works;
        below.iter().for_each(|it| view.apply(it));
        Ok(view)
    }

    /// The events of the log from a number on; none where no conversation is open.
    pub fn history(&self, from: Seq) -> Result<Vec<Frame>, Problem> {
        let read = self.inner().read.clone();
        read.map_or_else(|| Ok(Vec::new()), |read| read(from))
    }
}

impl Inner {
    fn subscriber(&mut self) -> Subscription {
        let (queue, updates) = mpsc::channel(QUEUE);
        let cut = Arc::new(AtomicU64::new(0));
        // Where nothing is published, nobody else notices those who have left.
        self.subscribers.retain(|it| !it.queue.is_closed());
        if !self.ended {
            self.subscribers.push(Subscriber { queue, cut: cut.clone() });
        }
        Subscription { conversation: self.conversation.clone(), first: VecDeque::new(), updates, cut }
    }

    /// Publishes what is no event of the log.
    fn tell(&mut self, update: &Update) {
        let from = self.last.next();
        self.publish(update, from);
    }

    /// Hands out an update; `from` is the event with which somebody goes on who is cut here.
    fn publish(&mut self, update: &Update, from: Seq) {
        // Upwards only, so that two hubs never wait for each other.
        if let Some(above) = &self.above {
            above.relay(update);
        }
        self.subscribers.retain(|it| match it.queue.try_send(update.clone()) {
            Ok(()) => true,
            Err(mpsc::error::TrySendError::Closed(_)) => false,
            Err(mpsc::error::TrySendError::Full(_)) => {
                it.cut.store(from.0, Ordering::Release);
                false
            }
        });
    }

    /// Forgets streaming text that the event stands in for.
    fn settle(&mut self, event: &Event) {
        match event {
            Event::StageEnter { .. } => self.works = true,
            Event::StreamComplete { .. } | Event::ModelFailed { .. } | Event::Stopped { .. } => {
                self.live.retain(|it| it.kind == DeltaKind::ToolOutput);
            }
            Event::UserCommand(..) => self.live.retain(|it| !it.call.as_ref().is_some_and(CallId::is_user_command)),
            Event::ToolComplete { call, .. } => self.live.retain(|it| it.call.as_ref() != Some(call)),
            Event::AgentEnd(end) => {
                let of_it = |it: &Arc<Frame>| {
                    std::iter::successors(Some(it.conversation.clone()), ConversationId::parent)
                        .any(|it| it == end.conversation)
                };
                self.below.retain(|it| !of_it(it));
            }
            Event::Completion { .. } => {
                self.live.clear();
                self.below.clear();
            }
            _ => {}
        }
    }
}

/// A command may print without end: of its output the end is kept, at its own offset.
fn keep_end(live: &mut Delta) {
    if live.delta.len() > 2 * OUTPUT {
        let cut = live.delta.ceil_char_boundary(live.delta.len() - OUTPUT);
        live.delta.drain(..cut);
        live.offset += cut as u64;
    }
}

/// One subscriber's end.
pub struct Subscription {
    conversation: ConversationId,
    /// What was missed.
    first: VecDeque<Update>,
    updates: mpsc::Receiver<Update>,
    cut: Arc<AtomicU64>,
}

impl Subscription {
    /// One that is fed by the holder of the sender, which waits where the subscriber is slow.
    pub(crate) fn fed(conversation: ConversationId) -> (mpsc::Sender<Update>, Subscription) {
        let (queue, updates) = mpsc::channel(QUEUE);
        (queue, Subscription { conversation, first: VecDeque::new(), updates, cut: Arc::default() })
    }

    /// The next update; `None` when the session has ended. After a `Gap` comes nothing more. Safe to cancel.
    pub async fn next(&mut self) -> Option<Update> {
        match self.first.pop_front() {
            Some(update) => Some(update),
            None => self.updates.recv().await.or_else(|| self.gap()),
        }
    }

    /// An update that has already arrived, without waiting.
    pub fn ready(&mut self) -> Option<Update> {
        match self.first.pop_front() {
            Some(update) => Some(update),
            None => match self.updates.try_recv() {
                Ok(update) => Some(update),
                Err(mpsc::error::TryRecvError::Empty) => None,
                Err(mpsc::error::TryRecvError::Disconnected) => self.gap(),
            },
        }
    }

    fn gap(&mut self) -> Option<Update> {
        let from = Seq(self.cut.swap(0, Ordering::Acquire));
        (from > Seq(0)).then(|| Update::Control(Control::Gap { conversation: self.conversation.clone(), from }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_has_left_is_forgotten_while_nothing_is_published() {
        let hub = Hub::default();
        let stays = hub.subscribe(Seq(1));
        for _ in 0..100 {
            drop(hub.subscribe(Seq(1)));
        }
        let count = hub.inner().subscribers.len();
        assert!(stays.is_ok() && count <= 2, "{count} subscribers of one");
    }
}
