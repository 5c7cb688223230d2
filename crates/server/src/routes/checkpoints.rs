//! The recorded states of a project.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use ox_protocol::{CheckpointReason, FileChange, Time};
use ox_repo::Point;
use ox_text::document::{DiffHunk, hunks};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::blocking::blocking;
use crate::failure::Answer;
use crate::input::{At, Body, Keyed, KeyedState, Params};
use crate::shared::Shared;

/// Recorded states by the turns that made them, newest first.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
pub struct Recorded {
    /// The turns.
    pub turns: Vec<TurnJson>,
}

/// What one turn recorded.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
pub struct TurnJson {
    /// The conversation; absent for states that no turn made.
    pub conversation: Option<String>,
    /// Its number; absent likewise.
    pub turn: Option<u32>,
    /// What it was about, for people.
    pub title: String,
    /// Of the newest state.
    pub time: Time,
    /// Newest first.
    pub states: Vec<StateJson>,
}

/// A recorded state.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
pub struct StateJson {
    /// Names it.
    pub id: String,
    /// When it was recorded.
    pub time: Time,
    /// Why it was recorded.
    pub reason: CheckpointReason,
    /// The same for people.
    pub why: String,
    /// How many files it has.
    pub files: u64,
}

pub(crate) async fn list(State(shared): State<Arc<Shared>>, At(Keyed { project }): At<Keyed>) -> Answer<Recorded> {
    let recorded = blocking(move || {
        let language = shared.language;
        let turns = shared.projects.open(&project)?.recorded_states()?.by_turns()?.into_iter().map(|turn| TurnJson {
            title: turn.title(language),
            time: turn.states.first().map(|it| it.time).unwrap_or_default(),
            turn: (!turn.conversation.is_empty()).then_some(turn.turn),
            conversation: Some(turn.conversation.clone()).filter(|it| !it.is_empty()),
            states: turn
                .states
                .into_iter()
                .map(|it| StateJson { id: it.id, time: it.time, reason: it.reason, why: it.why, files: it.files })
                .collect(),
        });
        Ok(Recorded { turns: turns.collect() })
    });
    Ok(Json(recorded.await?))
}

/// One file, or all.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct OnePath {
    /// Relative to the root; absent for all.
    path: Option<String>,
}

/// Changed files.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
pub struct Diff {
    /// By file.
    pub files: Vec<ChangedFile>,
}

/// A file that differs.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
pub struct ChangedFile {
    /// What happened to it.
    pub change: FileChange,
    /// Where it differs.
    pub hunks: Vec<DiffHunk>,
}

pub(crate) async fn diff(
    State(shared): State<Arc<Shared>>,
    At(KeyedState { project, state }): At<KeyedState>,
    Params(OnePath { path }): Params<OnePath>,
) -> Answer<Diff> {
    let diff = blocking(move || {
        let states = shared.projects.open(&project)?.recorded_states()?;
        let from = states.get(&state)?;
        let files = states.diff_since(&from, &Point::Now, path.as_deref())?;
        let files = files.into_iter().map(|it| ChangedFile { hunks: hunks(Some(&it.path), &it.diff), change: it });
        Ok(Diff { files: files.collect() })
    });
    Ok(Json(diff.await?))
}

/// Files that would be put back.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
pub struct Preview {
    /// By file.
    pub changes: Vec<FileChange>,
}

pub(crate) async fn preview(
    State(shared): State<Arc<Shared>>,
    At(KeyedState { project, state }): At<KeyedState>,
) -> Answer<Preview> {
    let changes = blocking(move || {
        let states = shared.projects.open(&project)?.recorded_states()?;
        states.would_restore(&states.get(&state)?, &[])
    });
    Ok(Json(Preview { changes: changes.await? }))
}

/// What is to be put back.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct Wanted {
    /// Files, relative to the root; all where none is named.
    #[serde(default)]
    paths: Vec<String>,
}

/// What was put back.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
pub struct RestoredJson {
    /// What changed by it.
    pub changes: Vec<FileChange>,
    /// The state that was left: restoring it takes this back.
    pub undo_with: String,
}

pub(crate) async fn restore(
    State(shared): State<Arc<Shared>>,
    At(KeyedState { project, state }): At<KeyedState>,
    Body(Wanted { paths }): Body<Wanted>,
) -> Answer<RestoredJson> {
    let restored = blocking(move || {
        let states = shared.projects.open(&project)?.recorded_states()?;
        let restored = states.restore(&states.get(&state)?, &paths)?;
        Ok(RestoredJson { changes: restored.files, undo_with: restored.before.id })
    });
    Ok(Json(restored.await?))
}
