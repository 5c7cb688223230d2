//! The updates of a conversation, each once and in order, also where the connection breaks.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;
use std::time::Duration;

use futures_util::StreamExt;
use ox_client::{Control, Update};
use ox_model::server_sent::{Event, Splitter};
use ox_protocol::{ConversationId, Problem, Seq};

use crate::Error;
use crate::link::{Asked, Link, Pieces};

/// The wait before the second new attempt; it doubles with each, and the first is made at once.
const RETRY: Duration = Duration::from_millis(250);
/// Attempts in a row that may fail.
const ATTEMPTS: u32 = 8;

/// The updates of a conversation from an event on, for as long as the next is asked for.
pub struct Events {
    link: Arc<Link>,
    id: ConversationId,
    /// The last event of the conversation that was handed out, and those of its sub-agents.
    last: Seq,
    below: HashMap<ConversationId, Seq>,
    open: Option<(Pieces, Splitter)>,
    arrived: VecDeque<Result<Update, Error>>,
    failed: u32,
    over: bool,
}

impl Events {
    pub(crate) fn new(link: Arc<Link>, id: ConversationId, after: Seq) -> Events {
        let (below, arrived) = (HashMap::new(), VecDeque::new());
        Events { link, id, last: after, below, open: None, arrived, failed: 0, over: false }
    }

    /// The next update. An error ends them: the conversation is gone, or the server cannot be reached any more.
    pub async fn next(&mut self) -> Option<Result<Update, Error>> {
        loop {
            match self.arrived.pop_front() {
                Some(Ok(update)) if self.is_new(&update) => {
                    self.failed = 0;
                    return Some(Ok(update));
                }
                Some(Ok(_)) => continue,
                Some(Err(error)) => {
                    self.over = true;
                    return Some(Err(error));
                }
                None if self.over => return None,
                None => {}
            }
            if let Err(error) = self.read().await {
                self.open = None;
                self.failed += 1;
                if !error.is_passing() || self.failed > ATTEMPTS {
                    self.arrived.push_back(Err(error));
                } else if self.failed > 1 {
                    tokio::time::sleep(RETRY * 2u32.pow(self.failed - 2)).await;
                }
            }
        }
    }

    /// Waits for a piece of the stream. An error: it broke, or could not be opened.
    async fn read(&mut self) -> Result<(), Error> {
        if self.open.is_none() {
            let path = ["api", "conversations", &self.id.0, "events"];
            let query = [("after", self.last.0.to_string())];
            let asked = Asked { query: &query, ..Asked::get(&path) };
            self.open = Some((self.link.stream(asked).await?, Splitter::default()));
        }
        let Some((pieces, splitter)) = &mut self.open else { return Ok(()) };
        let piece = pieces.next().await.unwrap_or_else(|| Err(Error::connection("the stream of events ended")))?;
        let (arrived, mut is_cut) = (&mut self.arrived, false);
        let fed = splitter.feed(&piece, &mut |event| match update(event) {
            // Too slow: it goes on with the next connection.
            Some(Ok(Update::Control(Control::Gap { .. }))) => is_cut = true,
            Some(update) => arrived.push_back(update),
            None => {}
        });
        if is_cut {
            self.open = None;
        }
        fed.map_err(|_| Error::protocol("an event is too long"))
    }

    /// False for what was handed out already.
    fn is_new(&mut self, update: &Update) -> bool {
        match update {
            Update::Frame(frame) => {
                let own = frame.conversation.is_empty() || frame.conversation == self.id;
                let last = if own { &mut self.last } else { self.below.entry(frame.conversation.clone()).or_default() };
                let new = frame.seq > *last;
                *last = frame.seq.max(*last);
                new
            }
            Update::Control(Control::Snapshot { view }) => {
                self.last = view.seq;
                // What sub-agents that run have recorded comes again after it.
                self.below.clear();
                true
            }
            Update::Control(_) | Update::Delta(_) => true,
        }
    }
}

/// What an event of the stream says; nothing for one of a newer version.
fn update(event: Event<'_>) -> Option<Result<Update, Error>> {
    match event.name {
        "failed" => Some(Err(serde_json::from_str::<Problem>(event.data).map_or_else(Error::protocol, Error::from))),
        "frame" | "delta" | "snapshot" | "gap" | "control" => {
            Some(serde_json::from_str(event.data).map_err(Error::protocol))
        }
        _ => None,
    }
}
