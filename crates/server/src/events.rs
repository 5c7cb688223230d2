//! Updates as server-sent events, of one conversation or of many over one connection.
//!
//! The format is that of the HTML standard, section "Server-sent events": `id` is what a reader sends back as `Last-Event-ID`.

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use futures_util::stream::{self, BoxStream, StreamExt};
use ox_client::{Control, Update};
use ox_protocol::{ConversationId, Problem, Seq};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::blocking::reading;
use crate::failure::Failure;
use crate::follow;
use crate::input::{At, Named, Params};
use crate::shared::Shared;

/// How often a reader is shown that the connection lives.
const BEAT: Duration = Duration::from_secs(15);
/// Conversations that one connection may follow.
const MOST: usize = 200;

/// From where on.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct After {
    /// The last event that is known; 0 for none. `Last-Event-ID` means the same and wins.
    #[serde(default)]
    after: u64,
}

/// Which conversations.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct Many {
    /// `ID:SEQ`, separated by commas: conversations, and the last event that is known of each. `Last-Event-ID` means the same
    /// and wins.
    #[serde(default)]
    follow: String,
}

/// One conversation.
pub(crate) async fn one(
    State(shared): State<Arc<Shared>>,
    At(Named { id }): At<Named>,
    Params(After { after }): Params<After>,
    headers: HeaderMap,
) -> Result<Response, Failure> {
    let after = last_id(&headers).and_then(|it| it.parse().ok()).unwrap_or(after);
    let id = exact(&shared, vec![id]).await?.remove(0);
    let updates = follow::updates(shared, id.clone(), Seq(after)).map(move |it| match it {
        Ok(update) => message(&update, seq(&update, &id).map(|it| it.to_string())),
        Err(why) => failed(&why),
    });
    Ok(sse(updates.boxed()))
}

/// Any number of conversations, and word of every change of the list.
pub(crate) async fn many(
    State(shared): State<Arc<Shared>>,
    Params(Many { follow }): Params<Many>,
    headers: HeaderMap,
) -> Result<Response, Failure> {
    let cursor = last_id(&headers).unwrap_or(&follow);
    let wanted: Vec<(String, u64)> = cursor
        .split(',')
        .filter(|it| !it.trim().is_empty())
        .map(|it| {
            let (id, seq) = it.trim().rsplit_once(':').unwrap_or((it.trim(), "0"));
            let bad = || Problem::new("server.bad_parameters").with("why", it);
            Ok((id.to_owned(), seq.parse().map_err(|_| bad())?))
        })
        .collect::<Result<_, Problem>>()?;
    if wanted.len() > MOST {
        return Err(Problem::new("server.bad_parameters").with("why", format!("> {MOST}")).into());
    }
    let ids = exact(&shared, wanted.iter().map(|it| it.0.clone()).collect()).await?;
    let mut known: BTreeMap<ConversationId, u64> = ids.iter().cloned().zip(wanted.iter().map(|it| it.1)).collect();
    let changes = shared.conversations.changes();
    let changed = stream::unfold(changes, |mut changes| async move {
        changes.changed().await.ok()?;
        Some((None, changes))
    });
    let each = known.clone().into_iter().map(|(id, after)| {
        let of = id.clone();
        follow::updates(shared.clone(), id, Seq(after)).map(move |it| Some((of.clone(), it))).boxed()
    });
    let all = stream::select_all(each.chain([changed.boxed()])).map(move |it| match it {
        None => Event::default().event("changed").data("{}"),
        Some((_, Err(why))) => failed(&why),
        Some((id, Ok(update))) => {
            let cursor = seq(&update, &id).map(|seq| {
                known.insert(id, seq);
                known.iter().map(|(id, seq)| format!("{id}:{seq}")).collect::<Vec<_>>().join(",")
            });
            message(&update, cursor)
        }
    });
    Ok(sse(all.boxed()))
}

/// The conversations that are named by these ids; all of them are there.
async fn exact(shared: &Arc<Shared>, ids: Vec<String>) -> Result<Vec<ConversationId>, Problem> {
    let shared = shared.clone();
    reading(move || {
        let log = &shared.log;
        ids.iter().map(|it| Ok(log.info(&ConversationId(it.clone()))?.id)).collect()
    })
    .await
}

fn last_id(headers: &HeaderMap) -> Option<&str> {
    headers.get("last-event-id").and_then(|it| it.to_str().ok()).filter(|it| !it.is_empty())
}

/// The number of an event of the conversation itself: from there a reader goes on.
fn seq(update: &Update, id: &ConversationId) -> Option<u64> {
    match update {
        Update::Frame(frame) if frame.conversation == *id || frame.conversation.is_empty() => Some(frame.seq.0),
        Update::Control(Control::Snapshot { view }) => Some(view.seq.0),
        _ => None,
    }
}

fn message(update: &Update, id: Option<String>) -> Event {
    let name = match update {
        Update::Frame(_) => "frame",
        Update::Delta(_) => "delta",
        Update::Control(Control::Snapshot { .. }) => "snapshot",
        Update::Control(Control::Gap { .. }) => "gap",
        Update::Control(_) => "control",
    };
    let data = serde_json::to_string(update).expect("invariant: updates are JSON");
    let event = Event::default().event(name).data(data);
    match id {
        Some(id) => event.id(id),
        None => event,
    }
}

/// The stream ends with the reason.
fn failed(why: &Problem) -> Event {
    Event::default().event("failed").data(serde_json::to_string(why).expect("invariant: problems are JSON"))
}

fn sse(events: BoxStream<'static, Event>) -> Response {
    Sse::new(events.map(Ok::<_, Infallible>)).keep_alive(KeepAlive::new().interval(BEAT)).into_response()
}
