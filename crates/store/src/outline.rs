//! The outline of a conversation: how its last turns began and ended, without the steps between.
//!
//! It reads through an index that holds those events alone, so a long log costs no more than a short one. It never
//! changes an event: a turn that is to be forgotten is written down beside the log.

use ox_protocol::{ConversationId, Event, Frame, Seq};
use rusqlite::{Connection, OptionalExtension, TransactionBehavior, params};

use crate::log::Outline;
use crate::record;

/// How many events may lie between the summary of a turn and its end, and between its beginning and what it was taken for.
pub(crate) const SOON: u64 = 16;

/// The last `turns` turns of a conversation in outline.
pub(crate) fn read(connection: &Connection, id: &ConversationId, turns: usize) -> rusqlite::Result<Outline> {
    let mut frames = outline(connection, id, begin(connection, id, turns)?)?;
    for (after, before) in without_summary(&frames) {
        frames.extend(last_reply(connection, id, after, before)?);
    }
    for (seq, kind) in frames.iter().filter_map(followed).collect::<Vec<_>>() {
        frames.extend(soon(connection, id, seq, kind)?);
    }
    frames.sort_by_key(|it| it.seq);
    let mut statement = connection.prepare_cached("SELECT seq FROM forgotten WHERE conversation = ?1 ORDER BY seq")?;
    let forgotten = statement.query_map([&id.0], |row| row.get(0).map(Seq))?.collect::<rusqlite::Result<_>>()?;
    Ok(Outline { frames, forgotten })
}

/// Writes down that these turns are to be forgotten; once more is no error.
pub(crate) fn forget(connection: &mut Connection, id: &ConversationId, begun: &[Seq]) -> rusqlite::Result<()> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    for seq in begun {
        transaction
            .prepare_cached("INSERT INTO forgotten (conversation, seq) VALUES (?1, ?2) ON CONFLICT DO NOTHING")?
            .execute(params![id.0, seq.0])?;
    }
    transaction.commit()
}

/// Where the last `turns` turns begin.
fn begin(connection: &Connection, id: &ConversationId, turns: usize) -> rusqlite::Result<Seq> {
    let skipped = i64::try_from(turns.saturating_sub(1)).unwrap_or(i64::MAX);
    let mut statement = connection.prepare_cached(
        "SELECT seq FROM events INDEXED BY events_told WHERE conversation = ?1 AND kind IN ('turn_start', 'summary', 'rewound')
           AND kind = 'turn_start' ORDER BY seq DESC LIMIT 1 OFFSET ?2",
    )?;
    let found: Option<u64> = statement.query_row(params![id.0, skipped], |row| row.get(0)).optional()?;
    Ok(Seq(found.unwrap_or(1)))
}

fn outline(connection: &Connection, id: &ConversationId, from: Seq) -> rusqlite::Result<Vec<Frame>> {
    let mut statement = connection.prepare_cached(
        "SELECT json FROM events INDEXED BY events_told WHERE conversation = ?1 AND seq >= ?2
           AND kind IN ('turn_start', 'summary', 'rewound') ORDER BY seq",
    )?;
    let mut rows = statement.query(params![id.0, from.0])?;
    let mut frames = Vec::new();
    while let Some(row) = rows.next()? {
        frames.extend(known(&row.get::<_, String>(0)?));
    }
    Ok(frames)
}

/// The stretches of turns that have no summary: after which event, and before which.
fn without_summary(frames: &[Frame]) -> Vec<(Seq, Seq)> {
    let mut open: Option<Seq> = None;
    let mut found = Vec::new();
    for frame in frames {
        match &frame.event {
            Event::TurnStart { .. } => found.extend(open.replace(frame.seq).map(|it| (it, frame.seq))),
            Event::Summary { .. } => open = None,
            _ => {}
        }
    }
    // SQLite has no larger number.
    found.extend(open.map(|it| (it, Seq(i64::MAX as u64))));
    found
}

fn last_reply(
    connection: &Connection,
    id: &ConversationId,
    after: Seq,
    before: Seq,
) -> rusqlite::Result<Option<Frame>> {
    let mut statement = connection.prepare_cached(
        "SELECT json FROM events WHERE conversation = ?1 AND seq > ?2 AND seq < ?3 AND kind = 'stream_complete'
         ORDER BY seq DESC LIMIT 1",
    )?;
    let json: Option<String> = statement.query_row(params![id.0, after.0, before.0], |row| row.get(0)).optional()?;
    Ok(json.and_then(|it| known(&it)))
}

/// What is told soon after an event: what a turn was taken for after its beginning, how it ended after its summary.
fn followed(frame: &Frame) -> Option<(Seq, &'static str)> {
    match &frame.event {
        Event::TurnStart { .. } => Some((frame.seq, "intent")),
        Event::Summary { .. } => Some((frame.seq, "completion")),
        _ => None,
    }
}

/// The first event of that kind soon after `seq`.
fn soon(connection: &Connection, id: &ConversationId, seq: Seq, kind: &str) -> rusqlite::Result<Option<Frame>> {
    let mut statement = connection.prepare_cached(
        "SELECT json FROM events WHERE conversation = ?1 AND seq > ?2 AND seq <= ?3 AND kind = ?4 ORDER BY seq LIMIT 1",
    )?;
    let last = seq.0.saturating_add(SOON);
    let json: Option<String> = statement.query_row(params![id.0, seq.0, last, kind], |row| row.get(0)).optional()?;
    Ok(json.and_then(|it| known(&it)))
}

/// What this Ox does not understand is no part of a memory.
pub(crate) fn known(json: &str) -> Option<Frame> {
    record::decode(json).ok().filter(|it| it.event.unknown().is_none())
}
