//! The log of one conversation while it is open: fold, append, tell.
//!
//! What is noted is folded at once and written together at the next commit; it is on disk before anybody is told and
//! before anything that follows from it is performed, so nobody ever saw what a crash forgets.

use std::sync::Arc;

use ox_client::Update;
use ox_core::Turn;
use ox_protocol::{ConversationId, Event, Frame, Seq, VERSION};
use ox_store::Log;
use tokio::sync::mpsc::UnboundedSender;

use crate::redact::redacted;
use crate::{AgentError, Clock};

/// A conversation's log and the turn that it folds to.
pub struct Journal {
    id: ConversationId,
    store: Arc<dyn Log>,
    clock: Clock,
    updates: UnboundedSender<Update>,
    frames: Vec<Frame>,
    turn: Turn,
    /// How many of the frames are on disk.
    written: usize,
}

impl Journal {
    /// Begins a new conversation.
    pub fn create(
        id: ConversationId,
        root: &str,
        store: Arc<dyn Log>,
        clock: Clock,
        updates: UnboundedSender<Update>,
    ) -> Result<Journal, AgentError> {
        let event =
            Event::ConversationId { id: id.clone(), root: root.to_string(), ox: env!("CARGO_PKG_VERSION").to_string() };
        let first = Frame { v: VERSION, seq: Seq(1), time: (clock.now)(), event };
        store.create(&first)?;
        let _ = updates.send(Update::Frame(first.clone()));
        let mut journal = Journal { id, store, clock, updates, frames: Vec::new(), turn: Turn::default(), written: 0 };
        journal.turn.apply(&first);
        journal.frames.push(first);
        journal.written = 1;
        Ok(journal)
    }

    /// Opens a stored conversation. Whoever listens is told of what happens from now on; the past is in [`Journal::frames`].
    pub fn open(
        id: ConversationId,
        store: Arc<dyn Log>,
        clock: Clock,
        updates: UnboundedSender<Update>,
    ) -> Result<Journal, AgentError> {
        let history = store.read(&id)?;
        if let Some(why) = history.read_only() {
            return Err(ox_protocol::Problem::new("session.read_only").with("id", &id).with("why", why).into());
        }
        let mut journal = Journal { id, store, clock, updates, frames: Vec::new(), turn: Turn::default(), written: 0 };
        for frame in &history.frames {
            journal.turn.apply(frame);
        }
        journal.written = history.frames.len();
        journal.frames = history.frames;
        Ok(journal)
    }

    /// Folds one fact; it is on disk after the next [`Journal::commit`].
    pub fn note(&mut self, event: Event) {
        let event = redacted(event);
        let frame = Frame { v: VERSION, seq: self.turn.seq().next(), time: (self.clock.now)(), event };
        self.turn.apply(&frame);
        self.frames.push(frame);
    }

    /// Writes what was noted, all or none, and tells of it. After an error nothing may be performed: it did not happen.
    pub fn commit(&mut self) -> Result<(), AgentError> {
        let noted = &self.frames[self.written..];
        let Some(first) = noted.first() else { return Ok(()) };
        self.store.append(&self.id, Seq(first.seq.0 - 1), noted)?;
        for frame in noted {
            // Nobody may be listening any more; the log is what counts.
            let _ = self.updates.send(Update::Frame(frame.clone()));
        }
        self.written = self.frames.len();
        Ok(())
    }

    /// Notes and commits one fact.
    pub fn record(&mut self, event: Event) -> Result<(), AgentError> {
        self.note(event);
        self.commit()
    }

    /// The state.
    pub fn turn(&self) -> &Turn {
        &self.turn
    }

    /// All events so far.
    pub fn frames(&self) -> &[Frame] {
        &self.frames
    }

    /// The conversation.
    pub fn id(&self) -> &ConversationId {
        &self.id
    }

    /// Where updates go, for streaming text.
    pub fn updates(&self) -> &UnboundedSender<Update> {
        &self.updates
    }
}
