//! The log of one conversation while it is open: fold, append, tell.
//!
//! What is noted is folded at once and written together at the next commit; it is on disk before anybody is told and
//! before anything that follows from it is performed, so nobody ever saw what a crash forgets.

use std::collections::HashSet;
use std::sync::Arc;

use ox_client::{Hub, Publisher};
use ox_context::Transcript;
use ox_core::Conversation;
use ox_protocol::{CommandId, ConversationId, Event, Frame, Problem, Seq};
use ox_store::{History, Log, Owner};
use tokio::runtime::{Handle, RuntimeFlavor};

use crate::redact::redacted;
use crate::{AgentError, Clock};

/// A conversation's log, and the state and the transcript that it folds to.
pub struct Journal {
    id: ConversationId,
    store: Arc<dyn Log>,
    /// What every append shows, so that nobody goes on with a conversation that another process owns by now.
    owner: Owner,
    clock: Clock,
    hub: Publisher,
    frames: Vec<Frame>,
    conversation: Conversation,
    transcript: Transcript,
    /// How many of the frames are on disk.
    written: usize,
    /// The command that is being answered.
    answering: Option<CommandId>,
    /// Commands that took effect, so that none does twice.
    answered: HashSet<CommandId>,
    /// Commands that take effect with the next commit.
    accepted: Vec<CommandId>,
    /// The turn that checkpoints are made for, where that is one of the conversation that this one is a sub-agent of; and
    /// whether that turn had changed something before.
    keeps_for: Option<(ConversationId, u32, bool)>,
}

impl Journal {
    /// Begins a new conversation.
    pub fn create(
        id: ConversationId,
        root: &str,
        store: Arc<dyn Log>,
        clock: Clock,
        hub: Publisher,
    ) -> Result<Journal, AgentError> {
        let event = Event::ConversationId {
            id: id.clone(),
            root: root.to_string(),
            ox: env!("CARGO_PKG_VERSION").to_string(),
            from: None,
        };
        let first = Frame { conversation: id.clone(), ..Frame::new(Seq(1), (clock.now)(), event) };
        store.create(&first)?;
        let journal = Journal::over(id, (store, Owner::FIRST), clock, hub, vec![first.clone()]);
        journal.hub.frame(first);
        Ok(journal)
    }

    /// Opens a stored conversation as its owner.
    pub fn open(id: ConversationId, store: Arc<dyn Log>, clock: Clock, hub: Publisher) -> Result<Journal, AgentError> {
        let usable = |history: &History| match history.read_only() {
            Some(why) => Err(Problem::new("session.read_only").with("id", &id).with("why", why)),
            None => Ok(()),
        };
        let mut history = store.read(&id)?;
        // Whoever owns it loses it only to one who can go on with it.
        usable(&history)?;
        let owner = store.own(&id)?;
        // From then on nobody else adds to what is read.
        let last = history.frames.last().map_or(Seq(0), |it| it.seq);
        history.frames.extend(store.read_from(&id, last.next())?.frames);
        usable(&history)?;
        Ok(Journal::over(id, (store, owner), clock, hub, history.frames))
    }

    fn over(
        id: ConversationId,
        (store, owner): (Arc<dyn Log>, Owner),
        clock: Clock,
        hub: Publisher,
        frames: Vec<Frame>,
    ) -> Journal {
        let (log, conversation) = (store.clone(), id.clone());
        let read = move |from| match log.read_from(&conversation, from) {
            Ok(history) => Ok(history.frames),
            Err(error) => Err(error.problem()),
        };
        hub.open(id.clone(), frames.last().map_or(Seq(0), |it| it.seq), Arc::new(read));
        let mut conversation = Conversation::default();
        frames.iter().for_each(|it| conversation.apply(it));
        let transcript = Transcript::of(&frames);
        let answered = frames.iter().filter_map(|it| it.command.clone()).collect();
        let written = frames.len();
        Journal {
            id,
            store,
            owner,
            clock,
            hub,
            frames,
            conversation,
            transcript,
            written,
            answering: None,
            answered,
            accepted: Vec::new(),
            keeps_for: None,
        }
    }

    /// Begins the answer to a command: its id goes into every frame that is noted, until [`Journal::answered`] or the
    /// beginning of a turn. False where the command was answered before: it must not take effect again.
    pub fn answer(&mut self, command: &CommandId) -> bool {
        if self.answered.contains(command) {
            self.hub.reject(command.clone(), Problem::new("rejected.repeated"));
            return false;
        }
        self.answering = Some(command.clone());
        true
    }

    /// The command is answered: by what was noted, or else by a rejection.
    pub fn answered(&mut self, why: Option<Problem>) {
        match self.answering.take() {
            Some(command) if self.answered.contains(&command) => self.accepted.push(command),
            Some(command) => self.hub.reject(command, why.unwrap_or_else(|| Problem::new("rejected.idle"))),
            None => {}
        }
        if self.written == self.frames.len() {
            self.tell_accepted();
        }
    }

    fn tell_accepted(&mut self) {
        self.accepted.drain(..).for_each(|it| self.hub.accept(it));
    }

    /// Folds one fact; it is on disk after the next [`Journal::commit`].
    pub fn note(&mut self, event: Event) {
        let begins = matches!(event, Event::TurnStart { .. });
        let frame = Frame {
            conversation: self.id.clone(),
            command: self.answering.clone(),
            ..Frame::new(self.conversation.seq().next(), (self.clock.now)(), redacted(event))
        };
        self.answered.extend(frame.command.clone());
        if begins {
            self.accepted.extend(self.answering.take());
        }
        self.conversation.apply(&frame);
        self.frames.push(frame);
        self.transcript.follow(&self.frames);
    }

    /// Writes what was noted, all or none, and tells of it. After an error nothing may be performed: it did not happen.
    pub fn commit(&mut self) -> Result<(), AgentError> {
        let noted = &self.frames[self.written..];
        let Some(first) = noted.first() else { return Ok(()) };
        waiting(|| self.store.append(&self.id, self.owner, Seq(first.seq.0 - 1), noted))?;
        for frame in noted {
            self.hub.frame(frame.clone());
        }
        self.written = self.frames.len();
        self.tell_accepted();
        Ok(())
    }

    /// Notes and commits one fact.
    pub fn record(&mut self, event: Event) -> Result<(), AgentError> {
        self.note(event);
        self.commit()
    }

    /// The state.
    pub fn conversation(&self) -> &Conversation {
        &self.conversation
    }

    /// What the model reads.
    pub fn transcript(&self) -> &Transcript {
        &self.transcript
    }

    /// All events so far.
    pub fn frames(&self) -> &[Frame] {
        &self.frames
    }

    /// The conversation.
    pub fn id(&self) -> &ConversationId {
        &self.id
    }

    /// Makes checkpoints those of a turn of another conversation.
    pub(crate) fn keep_for(&mut self, conversation: ConversationId, turn: u32, changed: bool) {
        self.keeps_for = Some((conversation, turn, changed));
    }

    /// The turn that checkpoints are made for.
    pub(crate) fn keeps_for(&self) -> (ConversationId, u32) {
        let other = self.keeps_for.as_ref().map(|(id, turn, _)| (id.clone(), *turn));
        other.unwrap_or_else(|| (self.id.clone(), self.conversation.turns()))
    }

    /// True where that turn had changed something before this conversation began.
    pub(crate) fn changed_before(&self) -> bool {
        self.keeps_for.as_ref().is_some_and(|(_, _, changed)| *changed)
    }

    /// Where streaming text goes.
    pub fn hub(&self) -> &Arc<Hub> {
        &self.hub
    }
}

/// Waits for the disk. What others have to do on this thread meanwhile, such as showing a piece of text, goes on elsewhere.
fn waiting<T>(work: impl FnOnce() -> T) -> T {
    match Handle::try_current().map(|it| it.runtime_flavor()) {
        Ok(RuntimeFlavor::MultiThread) => tokio::task::block_in_place(work),
        _ => work(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn others_go_on_while_the_disk_is_waited_for() {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).build().unwrap();
        let (sender, receiver) = std::sync::mpsc::channel();
        let waited = runtime.block_on(runtime.spawn(async move {
            // It would run on this very thread, and only later.
            tokio::spawn(async move { sender.send(()) });
            waiting(|| receiver.recv_timeout(std::time::Duration::from_secs(60)))
        }));
        assert_eq!(waited.unwrap(), Ok(()));
    }
}
