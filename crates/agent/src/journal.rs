//! The log of one conversation while it is open: append, fold, tell.
//!
//! An event is on disk before it is folded and folded before anybody is told, so nobody ever saw what a crash forgets.

use std::sync::Arc;

use ox_client::Update;
use ox_core::Turn;
use ox_protocol::{ConversationId, Event, Frame, Seq, VERSION};
use ox_store::Log;
use tokio::sync::mpsc::UnboundedSender;

use crate::{AgentError, Clock};

/// A conversation's log and the turn that it folds to.
pub struct Journal {
    id: ConversationId,
    store: Arc<dyn Log>,
    clock: Clock,
    updates: UnboundedSender<Update>,
    frames: Vec<Frame>,
    turn: Turn,
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
        let mut journal = Journal { id, store, clock, updates, frames: Vec::new(), turn: Turn::default() };
        journal.accept(first);
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
        let mut journal = Journal { id, store, clock, updates, frames: Vec::new(), turn: Turn::default() };
        for frame in &history.frames {
            journal.turn.apply(frame);
        }
        journal.frames = history.frames;
        Ok(journal)
    }

    /// Records one fact. After an error nothing may be performed: the fact did not happen.
    pub fn record(&mut self, event: Event) -> Result<(), AgentError> {
        self.record_all(vec![event])
    }

    /// Records several facts in their order, all or none.
    pub fn record_all(&mut self, events: Vec<Event>) -> Result<(), AgentError> {
        if events.is_empty() {
            return Ok(());
        }
        let (last, time) = (self.turn.seq(), (self.clock.now)());
        let numbered = (last.0 + 1..).zip(events);
        let frames: Vec<Frame> =
            numbered.map(|(seq, event)| Frame { v: VERSION, seq: Seq(seq), time, event }).collect();
        self.store.append(&self.id, last, &frames)?;
        for frame in frames {
            self.accept(frame);
        }
        Ok(())
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

    fn accept(&mut self, frame: Frame) {
        self.turn.apply(&frame);
        // Nobody may be listening any more; the log is what counts.
        let _ = self.updates.send(Update::Frame(frame.clone()));
        self.frames.push(frame);
    }
}
