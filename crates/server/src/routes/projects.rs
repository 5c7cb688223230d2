//! Projects: opening, settings, models, memory.

use std::borrow::Cow;
use std::path::PathBuf;
use std::sync::Arc;

use aide::NoApi;
use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use ox_config::trust::TrustState;
use ox_protocol::{ApprovalPolicy, ConversationId, Mode, Money, Problem, Time, Tokens};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::blocking::blocking;
use crate::failure::{Answer, Failure};
use crate::input::{At, Body, Keyed};
use crate::shared::Shared;

/// A project.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ProjectJson {
    /// Names it in addresses.
    pub key: String,
    /// Absolute.
    pub root: String,
    /// The last part of the root.
    pub name: String,
    /// The branch of git that is checked out.
    pub branch: Option<String>,
    /// Files with changes that are not committed.
    pub dirty: usize,
    /// Whether the project's own settings count: `trusted`, `untrusted`, or `nothing` where it has none.
    pub trusted: Cow<'static, str>,
    /// `provider/model` of new conversations, where it is known.
    pub model: Option<String>,
    /// The mode of new conversations.
    pub mode: Mode,
    /// When the user is asked in them.
    pub approval: ApprovalPolicy,
}

/// It may block.
pub(crate) fn project_json(shared: &Shared, key: &str) -> Result<ProjectJson, Problem> {
    let project = shared.projects.open(key)?;
    let root = project.root_name();
    Ok(ProjectJson {
        key: key.to_owned(),
        name: root.rsplit('/').next().unwrap_or(&root).to_owned(),
        branch: project.branch(),
        dirty: project.dirty_files().unwrap_or_default(),
        trusted: match project.trust.state {
            TrustState::Trusted => "trusted".into(),
            _ if project.trust.items.is_empty() => "nothing".into(),
            TrustState::Unknown | TrustState::Changed | TrustState::Refused => "untrusted".into(),
        },
        model: project.main_model().ok(),
        mode: project.settings.mode,
        approval: project.settings.approval,
        root,
    })
}

pub(crate) async fn list(State(shared): State<Arc<Shared>>) -> Answer<Vec<ProjectJson>> {
    let all = blocking(move || shared.projects.all().iter().map(|(key, _)| project_json(&shared, key)).collect());
    Ok(Json(all.await?))
}

/// A folder of this machine.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct Folder {
    /// Absolute.
    root: PathBuf,
}

pub(crate) async fn add(
    State(shared): State<Arc<Shared>>,
    Body(Folder { root }): Body<Folder>,
) -> Result<(StatusCode, Json<ProjectJson>), Failure> {
    let of = shared.clone();
    let project = blocking(move || {
        let key = of.projects.add(&root)?;
        project_json(&of, &key)
    });
    let project = project.await?;
    shared.conversations.changed().tell_of_any();
    Ok((StatusCode::CREATED, Json(project)))
}

/// The settings of a project.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Config {
    settings: Vec<Setting>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct Setting {
    key: String,
    value: Option<String>,
    /// The layers that say something of it, the one that counts last.
    origins: Vec<String>,
    /// What it means.
    text: String,
}

pub(crate) async fn config(State(shared): State<Arc<Shared>>, At(Keyed { project }): At<Keyed>) -> Answer<Config> {
    let config = blocking(move || {
        let project = shared.projects.open(&project)?;
        let language = project.settings.language;
        let settings = project.shown_settings().into_iter().map(|it| {
            let key = format!("config.key.{}", it.name);
            let text = if language.has(&key) { language.say(&key, &[]) } else { String::new() };
            let origins = it.origins.into_iter().map(|(_, place)| place).collect();
            Setting { key: it.name, value: it.value, origins, text }
        });
        Ok(Config { settings: settings.collect() })
    });
    Ok(Json(config.await?))
}

/// A setting as it is to be.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct NewSetting {
    key: String,
    value: String,
}

pub(crate) async fn set_config(
    State(shared): State<Arc<Shared>>,
    At(Keyed { project }): At<Keyed>,
    Body(NewSetting { key, value }): Body<NewSetting>,
) -> Result<NoApi<StatusCode>, Failure> {
    blocking(move || shared.projects.open(&project)?.keep_setting(&key, &value)).await?;
    Ok(NoApi(StatusCode::NO_CONTENT))
}

/// Models that can be chosen.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Models {
    models: Vec<ModelJson>,
    /// The one that a new conversation begins with.
    current: Option<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct ModelJson {
    name: String,
    alias: Option<String>,
    window: Option<Tokens>,
    /// Millionths of a dollar per million tokens that it reads.
    input_price: Option<Money>,
    output_price: Option<Money>,
    /// True where it can be asked; else its key is not there.
    ready: bool,
}

pub(crate) async fn models(State(shared): State<Arc<Shared>>, At(Keyed { project }): At<Keyed>) -> Answer<Models> {
    let models = blocking(move || {
        let offered = shared.projects.open(&project)?.offered_models();
        let current = offered.iter().find(|it| it.default).map(|it| it.name.clone());
        let models = offered.into_iter().map(|it| ModelJson {
            ready: it.lacks.is_none(),
            name: it.name,
            alias: it.alias,
            window: it.window,
            input_price: it.input_price,
            output_price: it.output_price,
        });
        Ok(Models { models: models.collect(), current })
    });
    Ok(Json(models.await?))
}

/// What a new conversation would be told.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Memory {
    turns: Vec<PastTask>,
    /// The text itself.
    text: String,
    tokens: Tokens,
}

#[derive(Debug, Serialize, JsonSchema)]
struct PastTask {
    id: String,
    conversation: ConversationId,
    time: Time,
    prompt: String,
    summary: String,
    files: Vec<String>,
}

pub(crate) async fn memory(State(shared): State<Arc<Shared>>, At(Keyed { project }): At<Keyed>) -> Answer<Memory> {
    let memory = blocking(move || {
        let found = shared.projects.open(&project)?.memory(&ConversationId::default())?;
        let turns = found.turns.into_iter().map(|it| PastTask {
            id: format!("{}:{}", it.conversation, it.turn),
            conversation: it.conversation,
            time: it.time,
            prompt: it.instruction,
            summary: it.summary,
            files: it.files.into_iter().map(|it| it.path).collect(),
        });
        let turns = turns.collect();
        let (text, tokens) = found.section.map(|it| (it.text, it.tokens)).unwrap_or_default();
        Ok(Memory { turns, text, tokens })
    });
    Ok(Json(memory.await?))
}

/// A task that is remembered, in an address.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct KeyedTask {
    /// The project's key.
    project: String,
    /// The task: `CONVERSATION:TURN`.
    id: String,
}

pub(crate) async fn forget(
    State(shared): State<Arc<Shared>>,
    At(KeyedTask { project, id }): At<KeyedTask>,
) -> Result<NoApi<StatusCode>, Failure> {
    blocking(move || shared.projects.open(&project)?.forget(&[id])).await?;
    Ok(NoApi(StatusCode::NO_CONTENT))
}
