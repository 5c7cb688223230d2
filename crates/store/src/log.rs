//! What a store of conversations can do; every implementation passes the same contract tests.
//!
//! The trait takes and gives plain data. It never hands out half of an append, and never an event out of order.

use ox_protocol::{ConversationId, Frame, Money, Seq, Stop, Time, Tokens};

use crate::StoreError;

/// A store of conversations.
pub trait Log: Send + Sync {
    /// Begins a conversation, whose owner is `Owner::FIRST`. `first` is numbered 1 and is the `conversation_id` event, which
    /// names it.
    fn create(&self, first: &Frame) -> Result<ConversationId, StoreError>;

    /// Makes the caller the owner of the conversation: whoever owned it before can append nothing more. `Taken` while a worker is
    /// at it that says in time that it is there.
    fn own(&self, id: &ConversationId) -> Result<Owner, StoreError>;

    /// Appends frames as one whole: all are durable when it returns, or none is stored.
    ///
    /// `expected_last` is the last number the writer knows. `Lost` when the conversation has another owner by now, `Conflict`
    /// when the log has gone on, `ReadOnly` when it holds events that this Ox does not understand.
    fn append(&self, id: &ConversationId, owner: Owner, expected_last: Seq, frames: &[Frame])
    -> Result<(), StoreError>;

    /// All events of a conversation, in order.
    fn read(&self, id: &ConversationId) -> Result<History, StoreError> {
        self.read_from(id, Seq(1))
    }

    /// The events numbered `from` and later, in order.
    fn read_from(&self, id: &ConversationId, from: Seq) -> Result<History, StoreError>;

    /// Conversations, most recently used first; of one project root where it is given. Those of sub-agents are left out.
    fn list(&self, root: Option<&str>, limit: usize) -> Result<Vec<Info>, StoreError>;

    /// One conversation's entry in the list.
    fn info(&self, id: &ConversationId) -> Result<Info, StoreError>;

    /// The most recently used conversation of a project root.
    fn latest(&self, root: &str) -> Result<Option<Info>, StoreError> {
        Ok(self.list(Some(root), 1)?.pop())
    }

    /// The one conversation whose id begins with `prefix` or whose name is `prefix`; `NotFound` or `Ambiguous` otherwise.
    fn find(&self, prefix: &str) -> Result<Info, StoreError>;

    /// Names a conversation. The name is a label, not an event: a running turn is not disturbed.
    fn rename(&self, id: &ConversationId, name: &str) -> Result<(), StoreError>;

    /// Removes a conversation with all its events, and those of its sub-agents.
    fn delete(&self, id: &ConversationId) -> Result<(), StoreError>;

    /// Conversations in whose prompts, replies, questions, answers or names `text` occurs, most recently used first;
    /// upper and lower case are the same.
    fn search(&self, text: &str, root: Option<&str>, limit: usize) -> Result<Vec<Found>, StoreError>;

    /// What a conversation's last turns began and ended with; what a memory is made of, without reading the whole log.
    fn recent_turns(&self, id: &ConversationId, turns: usize) -> Result<Outline, StoreError>;

    /// Leaves turns, by the events that began them, out of every memory from now on. The log keeps them, and whoever
    /// goes on with the conversation still has them.
    fn forget(&self, id: &ConversationId, begun: &[Seq]) -> Result<(), StoreError>;
}

/// The one who may append to a conversation: it has one at a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Owner {
    /// Its number among the owners that the conversation has had.
    pub generation: u64,
}

impl Owner {
    /// The owner of a conversation that was just begun.
    pub const FIRST: Owner = Owner { generation: 1 };
}

/// The outline of a conversation's last turns.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Outline {
    /// Beginnings, summaries and takings-back, in order; the last reply where a turn has no summary.
    pub frames: Vec<Frame>,
    /// Beginnings of turns that are to be forgotten.
    pub forgotten: Vec<Seq>,
}

/// A conversation as a list shows it.
#[derive(Clone, Debug, PartialEq)]
pub struct Info {
    /// Its id.
    pub id: ConversationId,
    /// Project root.
    pub root: String,
    /// The project of a fleet that it belongs to; empty where there is one user.
    pub project: String,
    /// The name it was given.
    pub name: Option<String>,
    /// First line of its first prompt; empty before that.
    pub prompt: String,
    /// When it began.
    pub created: Time,
    /// When its last event was recorded.
    pub updated: Time,
    /// Turns begun.
    pub turns: u32,
    /// How the last turn ended; none while it runs or when it was cut off.
    pub stop: Option<Stop>,
    /// Cost so far, where prices are known.
    pub cost: Option<Money>,
    /// Tokens so far.
    pub tokens: Tokens,
    /// Number of its last event.
    pub last: Seq,
    /// The highest format version among its events.
    pub version: u32,
}

impl Info {
    /// True unless it is what a start left that failed before its first turn.
    pub fn has_begun(&self) -> bool {
        self.turns > 0 || self.name.is_some()
    }

    /// The name, or the first prompt where it has none.
    pub fn title(&self) -> &str {
        self.name.as_deref().unwrap_or(&self.prompt)
    }
}

/// The events of a conversation.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct History {
    /// All of them, in order, those of unknown kinds too.
    pub frames: Vec<Frame>,
}

impl History {
    /// Why the conversation can only be read: the first event that is not understood or is of a newer format.
    pub fn read_only(&self) -> Option<String> {
        let unknown = self.frames.iter().find_map(|it| Some(format!("event {} `{}`", it.seq, it.event.unknown()?)));
        let newer = || self.frames.iter().find(|it| it.v > ox_protocol::VERSION);
        unknown.or_else(|| newer().map(|it| format!("event {} of version {}", it.seq, it.v)))
    }
}

/// A conversation that a search found.
#[derive(Clone, Debug, PartialEq)]
pub struct Found {
    /// The conversation.
    pub info: Info,
    /// The event in which the text last occurs; zero when only the name matches.
    pub seq: Seq,
    /// The words around it, on one line.
    pub excerpt: String,
}

/// The frames must be numbered from `last` on without a gap.
pub(crate) fn consecutive(id: &ConversationId, last: Seq, frames: &[Frame]) -> Result<(), StoreError> {
    let mut expected = last.next();
    for frame in frames {
        if frame.seq != expected {
            return Err(StoreError::Misplaced { id: id.clone(), expected, found: frame.seq });
        }
        expected = expected.next();
    }
    Ok(())
}

/// Ids that an `Ambiguous` error names at most.
pub(crate) const MATCHES: usize = 8;

/// The one that was meant by `prefix` of those that it fits; the one of exactly this id comes first where it is there.
pub(crate) fn one_of(prefix: &str, mut found: Vec<Info>) -> Result<Info, StoreError> {
    match found.len() {
        0 => Err(StoreError::NotFound { id: prefix.to_string() }),
        1 => Ok(found.remove(0)),
        _ if found[0].id.0 == prefix => Ok(found.remove(0)),
        _ => {
            let matches = found.into_iter().map(|it| it.id.0).collect();
            Err(StoreError::Ambiguous { prefix: prefix.to_string(), matches })
        }
    }
}
