//! What a conversation is told of earlier turns of its project, from the store and from itself.
//!
//! It reads outlines, newest first, and stops as soon as it has enough. Where the store cannot be read there is no memory:
//! it never keeps a turn from beginning. What it hands out holds no secrets.

use ox_context::{Past, memory_room, memory_section, merge, remembered, turns};
use ox_protocol::{ChangeKind, ConversationId, EarlierTurn, Event, FileChange, Frame, Section, Tokens};
use ox_store::{Log, StoreError};

use crate::redact;

/// Conversations of a project that are looked at for turns, at most.
const CONVERSATIONS: usize = 40;

/// What is remembered at some point of a conversation.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Memory {
    /// The last turns of the project, this conversation's own among them, newest last.
    pub turns: Vec<Past>,
    /// What the conversation is told: with its next prompt, or already with its first one.
    pub section: Option<Section>,
    /// It was told already; the conversation's own turns are in front of the model as they are.
    pub reported: bool,
}

/// What is remembered in the conversation `id` of the project at `root`, whose log is `frames`.
///
/// `limit` is the number of turns, `window` that of the model. Errors: those of the store.
pub fn memory(
    store: &dyn Log,
    root: &str,
    (id, frames): (&ConversationId, &[Frame]),
    (limit, window): (u32, Tokens),
) -> Result<Memory, StoreError> {
    let limit = limit as usize;
    let own = turns(id, remembered(frames));
    let reported = !own.is_empty();
    let all = merge([others(store, root, id, limit)?, handed_in(id, frames), own].concat(), limit);
    let section = match reported {
        true => sent(frames),
        false => memory_section(&all, memory_room(window)).map(redact::section),
    };
    Ok(Memory { turns: all, section, reported })
}

/// The last turns of the project in other conversations than `but` that are worth telling; enough of them that `limit` have instructions of
/// their own, where there are as many.
pub fn others(store: &dyn Log, root: &str, but: &ConversationId, limit: usize) -> Result<Vec<Past>, StoreError> {
    let mut found: Vec<Past> = Vec::new();
    if limit == 0 {
        return Ok(found);
    }
    for info in store.list(Some(root), CONVERSATIONS)?.iter().filter(|it| it.id != *but && it.turns > 0) {
        // Whatever is older than the oldest of enough turns cannot be among the last.
        let merged = merge(found.clone(), limit);
        if merged.len() == limit && merged.first().is_some_and(|it| info.updated < it.time) {
            break;
        }
        let outline = store.recent_turns(&info.id, limit)?;
        let known = turns(&info.id, remembered(&outline.frames));
        let counts = |it: &Past| it.is_worth_telling() && !outline.forgotten.contains(&it.begun);
        found.extend(known.into_iter().filter(counts));
    }
    Ok(found)
}

/// The turns that a client handed in before the first prompt.
fn handed_in(id: &ConversationId, frames: &[Frame]) -> Vec<Past> {
    let of = |frame: &Frame, turn: &EarlierTurn| Past {
        conversation: id.clone(),
        begun: frame.seq,
        ended: frame.seq,
        time: frame.time,
        instruction: turn.instruction.trim().to_owned(),
        summary: turn.summary.trim().to_owned(),
        files: turn.files.iter().map(|path| changed(path)).collect(),
        ..Past::default()
    };
    let turns = frames.iter().filter_map(|frame| match &frame.event {
        Event::EarlierTurns { turns } => Some(turns.iter().map(move |turn| of(frame, turn))),
        _ => None,
    });
    turns.flatten().collect()
}

/// A file of which only the name is known.
fn changed(path: &str) -> FileChange {
    let (path, kind) = (path.to_owned(), ChangeKind::Modified);
    FileChange { path, kind, from: None, why: None, diff: String::new(), added: 0, removed: 0 }
}

/// What the conversation was told at its beginning.
fn sent(frames: &[Frame]) -> Option<Section> {
    let frames: Vec<&Frame> = remembered(frames).collect();
    frames.iter().rev().find_map(|it| match &it.event {
        Event::Prompted { context, .. } => context.iter().find(|it| it.name == "memory").cloned(),
        _ => None,
    })
}
