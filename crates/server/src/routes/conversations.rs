//! The list of conversations and what is stored of each.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;

use aide::NoApi;
use axum::Json;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use ox_app::conversations::listed::Listed;
use ox_app::conversations::running;
use ox_app::conversations::session::SessionOptions;
use ox_client::view::View;
use ox_protocol::{ApprovalPolicy, ConversationId, Event, Frame, Mode, Money, Problem, Seq, Stop, Time, Tokens};
use ox_store::Info;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::blocking::blocking;
use crate::failure::{Answer, Failure};
use crate::input::{At, Body, Named, Params};
use crate::projects::key;
use crate::shared::Shared;

/// A conversation as a list shows it.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
pub struct ConversationJson {
    /// Names it.
    pub id: ConversationId,
    /// Where it belongs.
    pub project: ProjectName,
    /// The name, or else the first prompt.
    pub title: String,
    /// The name that the user gave it.
    pub name: Option<String>,
    /// The last prompt.
    pub prompt: String,
    /// The branch that the last turn began on; empty where it is not known.
    pub branch: String,
    /// When it was begun.
    pub created: Time,
    /// When something last happened in it.
    pub updated: Time,
    /// How many turns it has.
    pub turns: u32,
    /// Millionths of a dollar, where prices are known.
    pub cost: Option<Money>,
    /// What its requests took.
    pub tokens: Tokens,
    /// How the last turn ended.
    pub stop: Option<Stop>,
    /// `working`, `waiting` (for the user), `failed` or `idle`.
    pub state: Cow<'static, str>,
    /// True where this server works on it.
    pub here: bool,
    /// True where another process does.
    pub elsewhere: bool,
    /// Where a search found it: the words around.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub excerpt: Option<String>,
}

/// The project of a conversation.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
pub struct ProjectName {
    /// Names it in addresses.
    pub key: String,
    /// Absolute.
    pub root: String,
    /// The last part of the root.
    pub name: String,
}

/// The list of conversations.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
pub struct ConversationList {
    /// Newest first.
    pub conversations: Vec<ConversationJson>,
}

/// Which of them.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct Which {
    /// Of the project with this key alone.
    project: Option<String>,
    /// In which this text occurs.
    search: Option<String>,
    /// At most so many.
    #[serde(default = "hundred")]
    limit: usize,
}

fn hundred() -> usize {
    100
}

pub(crate) async fn list(
    State(shared): State<Arc<Shared>>,
    Params(Which { project, search, limit }): Params<Which>,
) -> Answer<ConversationList> {
    let of = shared.clone();
    let found = blocking(move || {
        let root = match project {
            Some(key) => Some(of.projects.open(&key)?.root_name()),
            None => None,
        };
        let log = &of.log;
        let infos: Vec<(Info, Option<String>)> = match search.filter(|it| !it.trim().is_empty()) {
            Some(text) => {
                let found = log.search(&text, root.as_deref(), limit)?;
                found.into_iter().map(|it| (it.info, Some(it.excerpt))).collect()
            }
            None => {
                // One that was begun here and has no turn yet is shown as well.
                let all = log.list(root.as_deref(), limit.saturating_mul(2))?.into_iter();
                all.filter(|it| it.has_begun() || of.conversations.hosted(&it.id).is_some())
                    .map(|it| (it, None))
                    .collect()
            }
        };
        let listed = infos.into_iter().take(limit).map(|(info, excerpt)| (Listed::of(log.as_ref(), info), excerpt));
        Ok(listed.collect::<Vec<_>>())
    });
    let found = found.await?;
    let elsewhere = elsewhere(&shared, found.iter().map(|it| &it.0.info.id)).await;
    let conversations = found.into_iter().map(|(it, excerpt)| json(&shared, &elsewhere, it, excerpt));
    Ok(Json(ConversationList { conversations: conversations.collect() }))
}

/// Those of them that other processes work on, with how they stand where it is known.
async fn elsewhere<'a>(
    shared: &Shared,
    ids: impl Iterator<Item = &'a ConversationId>,
) -> BTreeMap<ConversationId, Option<View>> {
    let asked = ids.filter_map(|id| Some((id.clone(), shared.conversations.elsewhere(id)?)));
    running::looked(&shared.paths, asked.collect()).await.into_iter().map(|it| (it.id, it.view)).collect()
}

fn json(
    shared: &Shared,
    elsewhere: &BTreeMap<ConversationId, Option<View>>,
    listed: Listed,
    excerpt: Option<String>,
) -> ConversationJson {
    let glance = shared.conversations.glance(&listed.info.id);
    let other = elsewhere.get(&listed.info.id);
    let (busy, waiting) = match (&glance, other) {
        (Some(glance), _) => (glance.busy, glance.is_waiting()),
        (None, Some(Some(view))) => (view.busy, !view.asked.is_empty()),
        _ => (false, false),
    };
    let state = match (waiting, busy, listed.failed()) {
        (true, _, _) => Cow::Borrowed("waiting"),
        (_, true, _) => Cow::Borrowed("working"),
        (_, _, true) => Cow::Borrowed("failed"),
        _ => Cow::Borrowed("idle"),
    };
    let Listed { info, prompt, branch, .. } = listed;
    ConversationJson {
        title: info.title().to_owned(),
        project: ProjectName {
            key: key(&info.root),
            name: info.root.rsplit('/').next().unwrap_or_default().to_owned(),
            root: info.root,
        },
        id: info.id,
        name: info.name,
        prompt,
        branch,
        created: info.created,
        updated: info.updated,
        turns: info.turns,
        cost: info.cost,
        tokens: info.tokens,
        stop: info.stop,
        state,
        here: glance.is_some(),
        elsewhere: other.is_some(),
        excerpt,
    }
}

/// One conversation as the list has it.
async fn one(shared: &Arc<Shared>, id: ConversationId) -> Result<ConversationJson, Failure> {
    let of = shared.clone();
    let listed = blocking(move || {
        let log = &of.log;
        let info = log.info(&id)?;
        Ok(Listed::of(log.as_ref(), info))
    });
    let listed = listed.await?;
    let elsewhere = elsewhere(shared, std::iter::once(&listed.info.id)).await;
    Ok(json(shared, &elsewhere, listed, None))
}

pub(crate) async fn show(State(shared): State<Arc<Shared>>, At(Named { id }): At<Named>) -> Answer<ConversationJson> {
    Ok(Json(one(&shared, ConversationId(id)).await?))
}

/// A new conversation.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct New {
    /// The key of its project.
    project: String,
    #[serde(default)]
    name: Option<String>,
    /// `provider/model`, where it is not the project's.
    #[serde(default)]
    model: Option<String>,
    #[serde(default)]
    mode: Option<Mode>,
    #[serde(default)]
    approval: Option<ApprovalPolicy>,
}

pub(crate) async fn create(
    State(shared): State<Arc<Shared>>,
    Body(New { project, name, model, mode, approval }): Body<New>,
) -> Result<(StatusCode, Json<ConversationJson>), Failure> {
    let mode = mode.map(|it| ("mode", it.name().to_owned()));
    let approval = approval.map(|it| ("approval", it.name().to_owned()));
    let flags = mode.into_iter().chain(approval).collect();
    let options = SessionOptions { name, model, ..SessionOptions::default() };
    let id = shared.conversations.begin(&shared.projects, project, flags, options).await?;
    Ok((StatusCode::CREATED, Json(one(&shared, id).await?)))
}

/// A new name.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct Name {
    name: String,
}

pub(crate) async fn rename(
    State(shared): State<Arc<Shared>>,
    At(Named { id }): At<Named>,
    Body(Name { name }): Body<Name>,
) -> Answer<ConversationJson> {
    let (of, id) = (shared.clone(), ConversationId(id));
    let named = id.clone();
    blocking(move || Ok(of.log.rename(&named, &name)?)).await?;
    shared.conversations.changed().tell(&id);
    Ok(Json(one(&shared, id).await?))
}

pub(crate) async fn delete(
    State(shared): State<Arc<Shared>>,
    At(Named { id }): At<Named>,
) -> Result<NoApi<StatusCode>, Failure> {
    let id = ConversationId(id);
    if let Some(view) = elsewhere(&shared, std::iter::once(&id)).await.get(&id) {
        let holder = if view.is_some() { "ox" } else { "?" };
        return Err(Problem::new("store.conversation_busy").with("id", &id).with("holder", holder).into());
    }
    shared.conversations.close(&id).await;
    let (of, named) = (shared.clone(), id.clone());
    blocking(move || {
        let log = &of.log;
        log.info(&named)?;
        Ok(log.delete(&named)?)
    })
    .await?;
    shared.conversations.changed().tell(&id);
    Ok(NoApi(StatusCode::NO_CONTENT))
}

async fn read(shared: &Arc<Shared>, id: String, from: Seq) -> Result<Vec<Frame>, Problem> {
    let of = shared.clone();
    blocking(move || Ok(of.log.read_from(&ConversationId(id), from)?.frames)).await
}

pub(crate) async fn view(State(shared): State<Arc<Shared>>, At(Named { id }): At<Named>) -> Answer<View> {
    if let Some(hosted) = shared.conversations.hosted(&ConversationId(id.clone())) {
        return Ok(Json(blocking(move || hosted.hub.view()).await?));
    }
    let mut view = View::of(&read(&shared, id.clone(), Seq(1)).await?);
    let id = ConversationId(id);
    // A turn that a crash cut off is nobody's work.
    view.busy &= elsewhere(&shared, std::iter::once(&id)).await.contains_key(&id);
    Ok(Json(view))
}

/// From where on.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct After {
    /// The last event that is known.
    #[serde(default)]
    after: u64,
}

/// Recorded events.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
pub struct Frames {
    /// In order.
    pub frames: Vec<Frame>,
}

pub(crate) async fn frames(
    State(shared): State<Arc<Shared>>,
    At(Named { id }): At<Named>,
    Params(After { after }): Params<After>,
) -> Answer<Frames> {
    Ok(Json(Frames { frames: read(&shared, id, Seq(after.saturating_add(1))).await? }))
}

/// Up to where.
#[derive(Debug, Default, Deserialize, JsonSchema)]
pub(crate) struct UpTo {
    /// The last turn that is copied; all where it is absent.
    #[serde(default)]
    turn: Option<u32>,
}

pub(crate) async fn fork(
    State(shared): State<Arc<Shared>>,
    At(Named { id }): At<Named>,
    Body(UpTo { turn }): Body<UpTo>,
) -> Result<(StatusCode, Json<ConversationJson>), Failure> {
    let of = shared.clone();
    let info = blocking(move || {
        of.log.info(&ConversationId(id.clone()))?;
        of.stored().fork(&id, turn)
    });
    let info = info.await?;
    shared.conversations.changed().tell(&info.id);
    Ok((StatusCode::CREATED, Json(one(&shared, info.id).await?)))
}

/// In which form.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct Form {
    #[serde(default)]
    format: Format,
}

#[derive(Clone, Copy, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Format {
    #[default]
    Markdown,
    Json,
}

pub(crate) async fn export(
    State(shared): State<Arc<Shared>>,
    At(Named { id }): At<Named>,
    Params(Form { format }): Params<Form>,
    headers: HeaderMap,
) -> Result<Response, Failure> {
    let language = crate::guard::language(&headers, shared.language);
    let text = blocking(move || {
        let stored = shared.stored();
        Ok(match format {
            Format::Markdown => ("text/markdown; charset=utf-8", stored.as_markdown(&id, language)?),
            Format::Json => ("application/json", stored.as_json(&id)?.to_string()),
        })
    });
    let (kind, text) = text.await?;
    Ok(([(header::CONTENT_TYPE, kind)], text).into_response())
}

/// Which picture.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct Picture {
    /// The event of the prompt or reply.
    seq: u64,
    /// Which of its pictures, from 0.
    #[serde(default)]
    index: usize,
}

pub(crate) async fn image(
    State(shared): State<Arc<Shared>>,
    At(Named { id }): At<Named>,
    Params(Picture { seq, index }): Params<Picture>,
) -> Result<Response, Failure> {
    let frames = read(&shared, id, Seq(seq.max(1))).await?;
    let images = frames.first().filter(|it| it.seq.0 == seq).and_then(|it| match &it.event {
        Event::TurnStart { images, .. } | Event::Steered { images, .. } | Event::StreamComplete { images, .. } => {
            Some(images)
        }
        _ => None,
    });
    let picture = images.and_then(|it| it.get(index));
    let known = ["image/png", "image/jpeg", "image/gif", "image/webp"];
    let found = picture.and_then(|it| {
        let kind = known.into_iter().find(|known| *known == it.media_type)?;
        Some((kind, BASE64_STANDARD.decode(&it.data).ok()?))
    });
    let (kind, bytes) = found.ok_or_else(|| Problem::new("server.no_picture").with("seq", seq).with("index", index))?;
    Ok(([(header::CONTENT_TYPE, kind)], bytes).into_response())
}
