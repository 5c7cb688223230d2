//! Core speed: the real loop with tools that are played: their results come from the file, nothing is read or written by
//! them, and the log, read again, folds to the very same state.

use ox_core::Conversation;

use crate::error::ScenarioError;
use crate::knobs::Knobs;
use crate::speed::agent::{self, Outside};
use crate::text::Doc;

/// Runs a scenario and returns it as it went, without what only a disk or a request can tell.
pub fn run(doc: &Doc, knobs: &Knobs) -> Result<Doc, ScenarioError> {
    let (happened, frames) = agent::run(doc, knobs, &Outside { plays_tools: true, ..Outside::default() })?;
    let mut state = Conversation::default();
    let own: Vec<_> = frames.into_iter().filter(|it| it.conversation.parent().is_none()).collect();
    for frame in &own {
        let read = serde_json::to_string(frame).and_then(|it| serde_json::from_str(&it));
        state.apply(&read.map_err(|it| ScenarioError::Story(format!("event {} is not read again: {it}", frame.seq)))?);
    }
    match state == Conversation::replay(&own) {
        true => Ok(happened),
        false => Err(ScenarioError::Story("the log does not fold to the same state when it is read again".to_string())),
    }
}
