//! Following a conversation, wherever it is worked on, and also while nobody works on it.

use std::sync::Arc;
use std::time::Duration;

use futures_util::stream::{self, Stream};
use ox_client::view::View;
use ox_client::{Control, Update};
use ox_protocol::{ConversationId, Problem, Seq};

use crate::blocking::reading;
use crate::changed::Changes;
use crate::shared::Shared;
use crate::source::Source;

/// Events that are sent one by one; where a reader lacks more, it gets a view of all.
const REPLAY: usize = 1_000;

/// How long whoever ended a session may take to leave its conversation.
const LEAVING: Duration = Duration::from_millis(200);

/// Everything that happens in a conversation behind the event `after`, for as long as somebody reads. It ends with a gap where
/// the reader is too slow, and with an error of the store.
pub(crate) fn updates(
    shared: Arc<Shared>,
    id: ConversationId,
    after: Seq,
) -> impl Stream<Item = Result<Update, Problem>> {
    let changes = shared.conversations.changed().subscribe_to(&id);
    let reader = Reader { shared, id, last: after, waiting: Vec::new(), following: None, changes, over: false };
    stream::unfold(reader, |mut reader| async move {
        let next = reader.next().await?;
        Some((next, reader))
    })
}

struct Reader {
    shared: Arc<Shared>,
    id: ConversationId,
    /// The last event that was handed out.
    last: Seq,
    /// What was read of the log, in reverse.
    waiting: Vec<Update>,
    following: Option<Source>,
    /// Changes since `find` last looked for a session.
    changes: Changes,
    over: bool,
}

impl Reader {
    async fn next(&mut self) -> Option<Result<Update, Problem>> {
        if self.over {
            return None;
        }
        loop {
            let update = match (self.waiting.pop(), &mut self.following) {
                (Some(update), _) => update,
                (None, Some(following)) => match following.next().await {
                    Some(update) => update,
                    None => {
                        self.following = None;
                        // Whoever worked on it is about to leave it.
                        let _ = tokio::time::timeout(LEAVING, self.changes.next()).await;
                        continue;
                    }
                },
                (None, None) => {
                    if let Err(why) = self.find().await {
                        self.over = true;
                        return Some(Err(why));
                    }
                    continue;
                }
            };
            match &update {
                Update::Frame(frame) if frame.conversation == self.id || frame.conversation.is_empty() => {
                    if frame.seq <= self.last {
                        continue;
                    }
                    self.last = frame.seq;
                }
                Update::Control(Control::Snapshot { view }) => self.last = view.seq,
                Update::Control(Control::Gap { from, .. }) => {
                    tracing::warn!(conversation = %self.id, from = from.0, "reader cut");
                    self.over = true;
                }
                // What others asked is answered to them.
                Update::Control(_) => continue,
                Update::Frame(_) | Update::Delta(_) => {}
            }
            return Some(Ok(update));
        }
    }

    /// Follows whoever works on the conversation. Where nobody does, reads what is stored, and waits for somebody if that is
    /// nothing new.
    async fn find(&mut self) -> Result<(), Problem> {
        // Marked before looking: what changes from here on wakes.
        self.changes.mark();
        self.following = self.shared.conversations.follow(&self.id, self.last.next()).await?;
        if self.following.is_some() {
            return Ok(());
        }
        let (shared, id, from) = (self.shared.clone(), self.id.clone(), self.last.next());
        let frames = reading(move || {
            let log = &shared.log;
            let frames = log.read_from(&id, from)?.frames;
            Ok(match frames.len() > REPLAY {
                true => {
                    let view = View { busy: false, ..View::of(&log.read(&id)?.frames) };
                    vec![Update::Control(Control::Snapshot { view: Box::new(view) })]
                }
                false => frames.into_iter().map(Update::from).rev().collect(),
            })
        });
        self.waiting = frames.await?;
        match self.waiting.is_empty() {
            true => self.changes.next().await,
            false => Ok(()),
        }
    }
}
