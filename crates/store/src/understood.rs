//! Which conversations this process may append to, because it understands all of their events.
//!
//! It is remembered, so that asking costs one reading of a log at most. It never guesses: who is not in it is read first.

use std::collections::HashMap;

use ox_protocol::{ConversationId, Seq};

use crate::StoreError;
use crate::log::History;

/// The last event of each conversation all of whose events this process has read or written itself.
#[derive(Debug, Default)]
pub(crate) struct Understood(HashMap<ConversationId, Seq>);

impl Understood {
    /// True where all events up to `last` are understood.
    pub(crate) fn has(&self, id: &ConversationId, last: Seq) -> bool {
        self.0.get(id) == Some(&last)
    }

    /// Remembers an append up to `last`, unless one of its events is of a newer version.
    pub(crate) fn remember(&mut self, id: &ConversationId, last: Seq, version: u32) {
        if version <= ox_protocol::VERSION {
            self.0.insert(id.clone(), last);
        } else {
            self.forget(id);
        }
    }

    /// Takes note of a whole log that was read; an error where it can only be read.
    pub(crate) fn note(&mut self, id: &ConversationId, last: Seq, history: &History) -> Result<(), StoreError> {
        match history.read_only() {
            Some(what) => Err(StoreError::ReadOnly { id: id.clone(), what }),
            None => {
                self.0.insert(id.clone(), last);
                Ok(())
            }
        }
    }

    /// The conversation is gone.
    pub(crate) fn forget(&mut self, id: &ConversationId) {
        self.0.remove(id);
    }
}
