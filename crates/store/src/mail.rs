//! What can be asked of whoever owns a conversation; every implementation passes the same contract tests.
//!
//! A command is stored before anybody hears of it. Its answer is stored together with the events that it led to, once or not
//! at all.

use ox_protocol::{CommandId, ConversationId, Frame, Seq};

use crate::StoreError;
use crate::log::Owner;

/// Commands for the owners of conversations, wherever those are.
pub trait Mail: Send + Sync {
    /// Stores a command; one of the same id for the same conversation is the same one. It waits for an owner where there is
    /// none.
    fn send(&self, command: &StoredCommand) -> Result<(), StoreError>;

    /// The commands of a conversation that have no answer, in the order in which they were sent.
    fn open_commands(&self, id: &ConversationId) -> Result<Vec<StoredCommand>, StoreError>;

    /// Appends what a command led to, if anything, and answers it, as one whole. False where it was answered before: nothing is
    /// stored then. The errors are those of `Log::append`.
    fn answer(
        &self,
        id: &ConversationId,
        owner: Owner,
        expected_last: Seq,
        frames: &[Frame],
        answer: &Answer,
    ) -> Result<bool, StoreError>;

    /// The answer to a command; none while it waits.
    fn answer_to(&self, id: &ConversationId, command: &CommandId) -> Result<Option<String>, StoreError>;
}

/// A command as it is stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredCommand {
    /// Its id, given by whoever sends it.
    pub id: CommandId,
    /// Whose owner it is for.
    pub conversation: ConversationId,
    /// Who sent it.
    pub by: String,
    /// What is asked, for the owner alone.
    pub json: String,
}

/// The answer to a command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// Which one.
    pub command: CommandId,
    /// What is answered, for whoever sent it alone.
    pub json: String,
}
