//! What the last run of a conversation changed: hunk by hunk, accepted or taken back; and what an undo would do.

use std::borrow::Cow;
use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use ox_app::Project;
use ox_app::accept::{Decided, Reviewed, RunChanges};
use ox_protocol::{FileChange, Problem};
use ox_repo::UndoOutcome;
use ox_text::document::{DiffRow, hunks};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::blocking::blocking;
use crate::failure::Answer;
use crate::input::{At, Body, Named};
use crate::shared::Shared;

/// What a run changed and what still differs.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
pub struct Changes {
    /// By file.
    pub files: Vec<ReviewedJson>,
}

/// A changed file with what may be decided about it.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
pub struct ReviewedJson {
    /// What happened to it.
    pub change: FileChange,
    /// The reasons that were given.
    pub why: Vec<String>,
    /// Its hunks, in order.
    pub hunks: Vec<Part>,
}

/// What may be accepted or rejected by itself.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
pub struct Part {
    /// The same as long as the hunk is.
    pub id: String,
    /// `pending`, `accepted`, or `changed_since`: somebody else changed it and it cannot be taken back by itself.
    pub state: Cow<'static, str>,
    /// Its lines.
    pub rows: Vec<DiffRow>,
}

/// The project that a conversation belongs to. It may block.
pub(crate) fn project_of(shared: &Shared, id: &str) -> Result<Project, Problem> {
    let info = shared.stored().find(id)?;
    shared.projects.at(std::path::Path::new(&info.root))
}

fn shown(files: &[Reviewed]) -> Vec<ReviewedJson> {
    let part = |file: &Reviewed, part: &ox_app::accept::Part| Part {
        id: part.id.clone(),
        state: part.state.name().into(),
        rows: hunks(Some(&file.change.path), &file.shown(part)).into_iter().flat_map(|it| it.rows).collect(),
    };
    let file = |it: &Reviewed| ReviewedJson {
        change: it.change.clone(),
        why: it.whys.clone(),
        hunks: it.parts.iter().map(|of| part(it, of)).collect(),
    };
    files.iter().map(file).collect()
}

pub(crate) async fn list(State(shared): State<Arc<Shared>>, At(Named { id }): At<Named>) -> Answer<Changes> {
    let files = blocking(move || match RunChanges::open(project_of(&shared, &id)?, Some(&id)) {
        Ok(changes) => Ok(shown(&changes.files()?)),
        // A conversation that changed nothing.
        Err(why) if matches!(why.code.as_str(), "accept.nothing" | "accept.unchanged") => Ok(Vec::new()),
        Err(why) => Err(why),
    });
    Ok(Json(Changes { files: files.await? }))
}

/// What was decided of hunks.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct Decision {
    /// Ids of hunks, or paths for all hunks of a file.
    #[serde(default)]
    accept: Vec<String>,
    /// The same.
    #[serde(default)]
    reject: Vec<String>,
}

/// What came of it.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
pub struct Settled {
    /// Hunks that were accepted.
    pub accepted: usize,
    /// Hunks that were taken back.
    pub rejected: usize,
    /// What is left.
    pub files: Vec<ReviewedJson>,
}

pub(crate) async fn settle(
    State(shared): State<Arc<Shared>>,
    At(Named { id }): At<Named>,
    Body(Decision { accept, reject }): Body<Decision>,
) -> Answer<Settled> {
    let settled = blocking(move || {
        let changes = RunChanges::open(project_of(&shared, &id)?, Some(&id))?;
        let files = changes.files()?;
        let named = |names: &[String]| ox_app::accept::named(&files, names);
        let decided = Decided {
            accepted: named(&accept)?.into_iter().collect(),
            rejected: named(&reject)?.into_iter().collect(),
        };
        changes.settle(&files, &decided)?;
        let left = RunChanges::open(changes.project.clone(), Some(&id))?.files()?;
        Ok(Settled { accepted: decided.accepted.len(), rejected: decided.rejected.len(), files: shown(&left) })
    });
    Ok(Json(settled.await?))
}

/// What an undo would do.
#[derive(Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct UndoJson {
    /// False where there is nothing to undo.
    pub possible: bool,
    /// What would be put back.
    pub changes: Vec<FileChange>,
    /// What of it somebody changed since.
    pub lost: Vec<FileChange>,
    /// True where git's `HEAD` is another one than at the end of the turn.
    pub head_moved: bool,
}

pub(crate) async fn would_undo(State(shared): State<Arc<Shared>>, At(Named { id }): At<Named>) -> Answer<UndoJson> {
    let preview = blocking(move || {
        Ok(match project_of(&shared, &id)?.recorded_states()?.undo(None)? {
            UndoOutcome::Asks(preview) => UndoJson {
                possible: true,
                head_moved: preview.moved.is_some(),
                changes: preview.files,
                lost: preview.lost,
            },
            UndoOutcome::Nothing | UndoOutcome::Done(_) => UndoJson::default(),
        })
    });
    Ok(Json(preview.await?))
}
