//! Word of what changed: which conversation, or that any of them may have.
//!
//! Who waits for one conversation is woken for it alone: else each change of any one would be a reading of the store for every
//! reader of a conversation that nobody works on.

use std::collections::HashMap;
use std::sync::Arc;

use ox_protocol::ConversationId;
use tokio::sync::watch;

/// Where word is given.
#[derive(Clone, Default)]
pub(crate) struct Changed(Arc<watch::Sender<Counts>>);

/// How often something changed.
#[derive(Default)]
pub(crate) struct Counts {
    any: u64,
    of: HashMap<ConversationId, u64>,
}

impl Changed {
    /// Says that a conversation changed, or how it stands.
    pub fn tell(&self, id: &ConversationId) {
        self.0.send_modify(|it| *it.of.entry(whole(id)).or_default() += 1);
    }

    /// Says that any conversation may have changed.
    pub fn tell_of_any(&self) {
        self.0.send_modify(|it| it.any += 1);
    }

    /// Word of every change from now on.
    pub fn subscribe(&self) -> watch::Receiver<Counts> {
        self.0.subscribe()
    }
}

impl Counts {
    /// A number that differs after each change of this conversation.
    pub fn of(&self, id: &ConversationId) -> u64 {
        self.any + self.of.get(&whole(id)).copied().unwrap_or_default()
    }
}

/// The conversation that a user began: what its sub-agents do is done while it is worked on.
fn whole(id: &ConversationId) -> ConversationId {
    let mut whole = id.clone();
    while let Some(parent) = whole.parent() {
        whole = parent;
    }
    whole
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_is_one_of_its_own_conversation_and_of_no_other() {
        let (changed, id) = (Changed::default(), |it: &str| ConversationId(it.to_owned()));
        let counts = changed.subscribe();
        let now = || ["a", "a.1", "b"].map(|it| counts.borrow().of(&id(it)));
        changed.tell(&id("a"));
        assert_eq!(now(), [1, 1, 0]);
        changed.tell(&id("a.1.2"));
        assert_eq!(now(), [2, 2, 0]);
        changed.tell_of_any();
        assert_eq!(now(), [3, 3, 1]);
    }
}
