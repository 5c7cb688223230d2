//! What belongs to no project.

use std::collections::BTreeMap;
use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use ox_protocol::locale::Language;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::projects::{ProjectJson, project_json};
use crate::blocking::blocking;
use crate::failure::Answer;
use crate::input::Params;
use crate::shared::Shared;

/// That the server is up.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Health {
    status: &'static str,
    version: &'static str,
}

pub(crate) async fn health() -> Json<Health> {
    Json(Health { status: "ok", version: env!("CARGO_PKG_VERSION") })
}

/// What the page needs first.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct About {
    version: &'static str,
    /// `en` or `zh`: the language of the configuration.
    language: &'static str,
    projects: Vec<ProjectJson>,
}

pub(crate) async fn about(State(shared): State<Arc<Shared>>) -> Answer<About> {
    let of = shared.clone();
    let projects = blocking(move || of.projects.all().iter().map(|(key, _)| project_json(&of, key)).collect()).await?;
    let language = if shared.language == Language::Zh { "zh" } else { "en" };
    Ok(Json(About { version: env!("CARGO_PKG_VERSION"), language, projects }))
}

/// Which language.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct Spoken {
    /// `en` or `zh`; the configuration's where it is absent.
    #[serde(default)]
    language: String,
}

/// Prefixes of the sentences that interfaces show beside what is worded for them: their own, and those of codes in events.
const SHOWN: [&str; 9] = [
    "page.",
    "stage.",
    "stop.",
    "approval.level.",
    "approval.why.",
    "effect.",
    "checkpoints.reason.",
    "checks.kind.",
    "mode.",
];

pub(crate) async fn words(
    State(shared): State<Arc<Shared>>,
    Params(Spoken { language }): Params<Spoken>,
) -> Json<BTreeMap<&'static str, &'static str>> {
    let language = if language.is_empty() { shared.language } else { Language::from_tag(&language) };
    Json(language.all().filter(|(key, _)| SHOWN.iter().any(|it| key.starts_with(it))).collect())
}

/// An address that opens the page once.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Link {
    url: String,
}

pub(crate) async fn link(State(shared): State<Arc<Shared>>) -> Answer<Link> {
    Ok(Json(Link { url: shared.link()? }))
}
