//! Where the updates of a conversation come from.

use ox_client::{Subscription, Update, socket};

/// A conversation that somebody works on.
pub(crate) enum Source {
    Here(Subscription),
    Elsewhere(Box<socket::Remote>),
}

impl Source {
    /// The next update; none when the work on it has ended.
    pub async fn next(&mut self) -> Option<Update> {
        match self {
            Source::Here(updates) => updates.next().await,
            // A connection that broke is a session that ended: its log has the rest.
            Source::Elsewhere(remote) => remote.next().await.ok().flatten(),
        }
    }
}
