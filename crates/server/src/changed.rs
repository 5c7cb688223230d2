//! Word of what changed: which conversation, or that any of them may have.
//!
//! Who waits for one conversation is woken for it alone: else each change of any one would wake every reader of every conversation
//! that nobody works on. What nobody waits for is not kept.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use ox_protocol::{ConversationId, Problem};
use tokio::sync::watch;

/// Where word is given.
#[derive(Clone, Default)]
pub(crate) struct Changed(Arc<Inner>);

#[derive(Default)]
struct Inner {
    /// Told of every change.
    any: watch::Sender<()>,
    /// Told of the changes of one conversation, for as long as somebody waits for them.
    of: Mutex<HashMap<ConversationId, watch::Sender<()>>>,
}

/// Word of the changes of one conversation.
pub(crate) struct Changes {
    news: watch::Receiver<()>,
    of: ConversationId,
    by: Changed,
}

impl Changed {
    /// Says that a conversation changed, or how it stands.
    pub fn tell(&self, id: &ConversationId) {
        if let Some(one) = self.of().get(&whole(id)) {
            one.send_replace(());
        }
        self.0.any.send_replace(());
    }

    /// Says that any conversation may have changed.
    pub fn tell_of_any(&self) {
        for one in self.of().values() {
            one.send_replace(());
        }
        self.0.any.send_replace(());
    }

    /// Word of every change from now on.
    pub fn subscribe(&self) -> watch::Receiver<()> {
        self.0.any.subscribe()
    }

    /// Word of every change of this conversation from now on.
    pub fn subscribe_to(&self, id: &ConversationId) -> Changes {
        let of = whole(id);
        let news = self.of().entry(of.clone()).or_default().subscribe();
        Changes { news, of, by: self.clone() }
    }

    /// A panic elsewhere leaves no half of a change.
    fn of(&self) -> MutexGuard<'_, HashMap<ConversationId, watch::Sender<()>>> {
        self.0.of.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Changes {
    /// Takes what was told so far as known.
    pub fn mark(&mut self) {
        self.news.mark_unchanged();
    }

    /// Waits for a change since the last mark, and marks it.
    pub async fn next(&mut self) -> Result<(), Problem> {
        self.news.changed().await.map_err(|_| Problem::new("server.ended"))
    }
}

impl Drop for Changes {
    fn drop(&mut self) {
        let mut of = self.by.of();
        // This one is still counted.
        if of.get(&self.of).is_some_and(|it| it.receiver_count() == 1) {
            of.remove(&self.of);
        }
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
        let mut all = ["a", "a.1", "b"].map(|it| changed.subscribe_to(&id(it)));
        let mut news = || {
            all.each_mut().map(|it| {
                let news = it.news.has_changed();
                it.mark();
                news.is_ok_and(|it| it)
            })
        };
        changed.tell(&id("a"));
        assert_eq!(news(), [true, true, false]);
        changed.tell(&id("a.1.2"));
        assert_eq!(news(), [true, true, false]);
        changed.tell_of_any();
        assert_eq!(news(), [true, true, true]);
        assert_eq!(news(), [false; 3]);
    }

    #[test]
    fn what_nobody_waits_for_is_not_kept() {
        let (changed, id) = (Changed::default(), ConversationId("a".to_owned()));
        let (one, other) = (changed.subscribe_to(&id), changed.subscribe_to(&id));
        drop(one);
        changed.tell(&id);
        assert!(other.news.has_changed().is_ok_and(|it| it));
        drop(other);
        changed.tell(&id);
        assert_eq!(changed.of().len(), 0);
    }
}
