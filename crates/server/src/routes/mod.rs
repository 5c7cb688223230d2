//! The routes, and the OpenAPI document that is made of them.

mod changes;
mod checkpoints;
mod code;
mod commands;
mod conversations;
mod files;
mod general;
mod projects;
mod render;

use std::sync::Arc;

use aide::axum::ApiRouter;
use aide::axum::routing::{delete_with, get_with, patch_with, post_with, put_with};
use aide::openapi::{Info, OpenApi, SecurityScheme, Server, StatusCode as Status};
use aide::transform::TransformOperation;
use axum::http::StatusCode;
use axum::routing::get;
use axum::{Json, Router};
use ox_protocol::Problem;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use self::conversations::ConversationJson;
use crate::failure::{ErrorBody, Failure};
use crate::shared::Shared;
use crate::{events, page};

/// What routes answer, as types.
pub mod answers {
    pub use super::changes::{
        Changes, Part as ReviewedHunk, ReviewedJson as ReviewedFile, Settled, UndoJson as UndoPreview,
    };
    pub use super::checkpoints::{
        ChangedFile, Diff, Preview as RestorePreview, Recorded, RestoredJson as Restored, StateJson as RecordedState,
        TurnJson as RecordedTurn,
    };
    pub use super::commands::Admitted;
    pub use super::conversations::{ConversationJson as ConversationInfo, ConversationList, Frames, ProjectName};
    pub use super::projects::ProjectJson as ProjectInfo;
    pub use crate::failure::ErrorBody;
}

/// All routes of the API.
fn api() -> ApiRouter<Arc<Shared>> {
    ApiRouter::new()
        .merge(of_everything())
        .merge(of_code())
        .merge(of_states())
        .merge(of_settings())
        .merge(of_conversations())
        .merge(of_events())
        .merge(of_commands())
        .merge(of_changes())
}

fn of_everything() -> ApiRouter<Arc<Shared>> {
    ApiRouter::new()
        .api_route("/health", get_with(general::health, says_openly("health", "Whether the server is up.")))
        .api_route(
            "/api/about",
            get_with(general::about, says("about", "The version, the language and the open projects.")),
        )
        .api_route(
            "/api/words",
            get_with(general::words, says("words", "The sentences that an interface shows, by their keys.")),
        )
        .api_route(
            "/api/links",
            post_with(general::link, says("createLink", "Makes an address that opens the page once.")),
        )
        .api_route(
            "/api/render",
            post_with(render::render, says("render", "Text as blocks and spans: Markdown, programs, diffs, events.")),
        )
        .api_route(
            "/api/events",
            get_with(events::many, says_stream("followMany", "Follows any number of conversations.")),
        )
        .api_route("/api/projects", get_with(projects::list, says("listProjects", "The open projects.")))
        .api_route(
            "/api/projects",
            post_with(
                projects::add,
                says_created::<projects::ProjectJson>("openProject", "Opens the project around a folder."),
            ),
        )
}

fn of_code() -> ApiRouter<Arc<Shared>> {
    ApiRouter::new()
        .api_route(
            "/api/projects/{project}/files",
            get_with(files::list, says("listFiles", "The files and folders of a folder.")),
        )
        .api_route(
            "/api/projects/{project}/file",
            get_with(files::show, says("readFile", "A file, as text with the classes of its language.")),
        )
        .api_route(
            "/api/projects/{project}/complete",
            get_with(files::complete, says("complete", "Files, folders and symbols whose names are like a text.")),
        )
        .api_route(
            "/api/projects/{project}/commands",
            get_with(code::commands, says("listCommands", "The custom commands, which a prompt calls behind a slash.")),
        )
        .api_route(
            "/api/projects/{project}/query",
            get_with(code::query, says("query", "The places in the code that a text is about.")),
        )
        .api_route(
            "/api/projects/{project}/graph",
            get_with(code::graph, says("graph", "What depends on some files, as nodes and edges.")),
        )
        .api_route(
            "/api/projects/{project}/context",
            get_with(code::context, says("context", "What a model would be sent for a task, by source.")),
        )
        .api_route(
            "/api/projects/{project}/checks",
            get_with(code::checks, says("listChecks", "The checks found in the project.")),
        )
        .api_route(
            "/api/projects/{project}/checks/run",
            post_with(code::run_checks, says("runChecks", "Runs all checks of the project.")),
        )
}

fn of_states() -> ApiRouter<Arc<Shared>> {
    ApiRouter::new()
        .api_route(
            "/api/projects/{project}/checkpoints",
            get_with(checkpoints::list, says("listCheckpoints", "The recorded states, by turn, newest first.")),
        )
        .api_route(
            "/api/projects/{project}/checkpoints/{state}/diff",
            get_with(checkpoints::diff, says("diffCheckpoint", "What changed since a recorded state.")),
        )
        .api_route(
            "/api/projects/{project}/checkpoints/{state}/restore",
            get_with(checkpoints::preview, says("previewRestore", "What restoring a state would change.")),
        )
        .api_route(
            "/api/projects/{project}/checkpoints/{state}/restore",
            post_with(
                checkpoints::restore,
                says(
                    "restoreCheckpoint",
                    "Puts the project, or some of its files, back to a state; what it leaves is recorded first.",
                ),
            ),
        )
}

fn of_settings() -> ApiRouter<Arc<Shared>> {
    ApiRouter::new()
        .api_route(
            "/api/projects/{project}/config",
            get_with(projects::config, says("getConfig", "Every setting and where it comes from.")),
        )
        .api_route(
            "/api/projects/{project}/config",
            put_with(
                projects::set_config,
                says_nothing("setConfig", "Writes a setting into the user's own configuration."),
            ),
        )
        .api_route(
            "/api/projects/{project}/models",
            get_with(projects::models, says("listModels", "The models that can be chosen.")),
        )
        .api_route(
            "/api/projects/{project}/memory",
            get_with(projects::memory, says("getMemory", "What a new conversation would be told of earlier tasks.")),
        )
        .api_route(
            "/api/projects/{project}/memory/{id}",
            delete_with(projects::forget, says_nothing("forgetMemory", "Leaves a task out of the memory.")),
        )
}

fn of_conversations() -> ApiRouter<Arc<Shared>> {
    let at = conversation;
    ApiRouter::new()
        .api_route(
            "/api/conversations",
            get_with(
                conversations::list,
                says(
                    "listConversations",
                    "Conversations, the most recently used first; also those in which a text occurs.",
                ),
            ),
        )
        .api_route(
            "/api/conversations",
            post_with(
                conversations::create,
                says_created::<ConversationJson>("createConversation", "Begins a conversation."),
            ),
        )
        .api_route(
            &at(""),
            get_with(conversations::show, says("getConversation", "A conversation as the list has it.")),
        )
        .api_route(
            &at(""),
            patch_with(
                conversations::rename,
                says("renameConversation", "Names a conversation; an empty name takes the name away."),
            ),
        )
        .api_route(
            &at(""),
            delete_with(
                conversations::delete,
                says_nothing("deleteConversation", "Deletes a conversation for good; its files stay."),
            ),
        )
}

fn of_events() -> ApiRouter<Arc<Shared>> {
    let at = conversation;
    ApiRouter::new()
        .api_route(
            &at("/view"),
            get_with(conversations::view, says("getView", "What a screen shows of a conversation.")),
        )
        .api_route(
            &at("/frames"),
            get_with(conversations::frames, says("getFrames", "The recorded events behind a number.")),
        )
        .api_route(
            &at("/fork"),
            post_with(
                conversations::fork,
                says_created::<ConversationJson>("forkConversation", "Copies a conversation up to the end of a turn."),
            ),
        )
        .api_route(
            &at("/export"),
            get_with(conversations::export, says_text("exportConversation", "A conversation as Markdown or JSON.")),
        )
        .api_route(
            &at("/image"),
            get_with(conversations::image, says_text("getImage", "A picture of a prompt or reply.")),
        )
        .api_route(&at("/events"), get_with(events::one, says_stream("follow", "Follows a conversation.")))
}

fn of_commands() -> ApiRouter<Arc<Shared>> {
    let at = conversation;
    ApiRouter::new()
        .api_route(
            &at("/prompts"),
            post_with(
                commands::prompt,
                says_admitted("prompt", "Admits a prompt. The same `Idempotency-Key` is never run twice."),
            ),
        )
        .api_route(
            &at("/commands"),
            post_with(
                commands::command,
                says_admitted(
                    "command",
                    "Any other command: mode, model, approval policy, queue, plan, files, rewind and so on.",
                ),
            ),
        )
        .api_route(
            &at("/interrupt"),
            post_with(commands::interrupt, says_admitted("interrupt", "Stops the running turn; its state is kept.")),
        )
        .api_route(
            &at("/approvals/{call}"),
            post_with(
                commands::decide,
                says_admitted("decide", "Answers a request for consent. The first answer counts."),
            ),
        )
        .api_route(
            &at("/questions/{call}"),
            post_with(commands::answer, says_admitted("answer", "Answers a question of the agent.")),
        )
        .api_route(
            &at("/undo"),
            get_with(
                changes::would_undo,
                says("previewUndo", "What an undo would change, and what somebody changed since."),
            ),
        )
        .api_route(
            &at("/undo"),
            post_with(
                commands::undo,
                says_admitted("undo", "Takes back what the last turn changed that changed something."),
            ),
        )
        .api_route(&at("/redo"), post_with(commands::redo, says_admitted("redo", "Takes the last undo back.")))
}

fn of_changes() -> ApiRouter<Arc<Shared>> {
    let at = conversation;
    ApiRouter::new()
        .api_route(
            &at("/changes"),
            get_with(changes::list, says("getChanges", "What the last run changed, hunk by hunk.")),
        )
        .api_route(
            &at("/changes"),
            post_with(changes::settle, says("settleChanges", "Accepts hunks, and takes rejected ones back.")),
        )
}

/// An address below that of a conversation.
fn conversation(rest: &str) -> String {
    format!("/api/conversations/{{id}}{rest}")
}

type Said = for<'t> fn(TransformOperation<'t>) -> TransformOperation<'t>;

fn named(
    id: &'static str,
    summary: &'static str,
    more: Said,
) -> impl FnOnce(TransformOperation<'_>) -> TransformOperation<'_> {
    move |operation| more(operation.id(id).summary(summary)).default_response::<Json<ErrorBody>>()
}

fn says(id: &'static str, summary: &'static str) -> impl FnOnce(TransformOperation<'_>) -> TransformOperation<'_> {
    named(id, summary, |it| it)
}

/// An answer that needs no token.
fn says_openly(
    id: &'static str,
    summary: &'static str,
) -> impl FnOnce(TransformOperation<'_>) -> TransformOperation<'_> {
    named(id, summary, |mut it| {
        it.inner_mut().security = vec![Default::default()];
        it
    })
}

fn says_created<T: JsonSchema + Serialize>(
    id: &'static str,
    summary: &'static str,
) -> impl FnOnce(TransformOperation<'_>) -> TransformOperation<'_> {
    named(id, summary, |it| it.response::<201, Json<T>>())
}

fn says_admitted(
    id: &'static str,
    summary: &'static str,
) -> impl FnOnce(TransformOperation<'_>) -> TransformOperation<'_> {
    named(id, summary, |it| it.response::<202, Json<commands::Admitted>>())
}

fn says_nothing(
    id: &'static str,
    summary: &'static str,
) -> impl FnOnce(TransformOperation<'_>) -> TransformOperation<'_> {
    named(id, summary, |it| it.response::<204, ()>())
}

fn says_text(id: &'static str, summary: &'static str) -> impl FnOnce(TransformOperation<'_>) -> TransformOperation<'_> {
    named(id, summary, |it| content(it, "*/*"))
}

fn says_stream(
    id: &'static str,
    summary: &'static str,
) -> impl FnOnce(TransformOperation<'_>) -> TransformOperation<'_> {
    named(id, summary, |it| content(it, "text/event-stream"))
}

/// An answer that is no JSON.
fn content<'t>(mut operation: TransformOperation<'t>, kind: &str) -> TransformOperation<'t> {
    let responses = operation.inner_mut().responses.get_or_insert_default();
    let mut response = aide::openapi::Response { description: kind.to_owned(), ..Default::default() };
    response.content.insert(kind.to_owned(), aide::openapi::MediaType::default());
    responses.responses.insert(Status::Code(200), aide::openapi::ReferenceOr::Item(response));
    operation
}

/// The routes with what is no part of the API: the page and errors.
pub(crate) fn router() -> Router<Arc<Shared>> {
    let mut document = described();
    let api: Router<Arc<Shared>> = api().finish_api(&mut document);
    let text: &'static str = written(&document).to_string().leak();
    let openapi = move || async move { ([("content-type", "application/json")], text) };
    let wrong_method = || async { Failure::new(StatusCode::METHOD_NOT_ALLOWED, Problem::new("server.wrong_method")) };
    api.route("/openapi.json", get(openapi))
        .route("/open", get(page::open))
        .route("/", get(page::index))
        .route("/app.js", get(page::script))
        .route("/app.css", get(page::style))
        .fallback(|| async { Failure::new(StatusCode::NOT_FOUND, Problem::new("server.no_route")) })
        .method_not_allowed_fallback(wrong_method)
}

/// The OpenAPI document.
pub fn openapi() -> Value {
    let mut document = described();
    let _: Router<Arc<Shared>> = api().finish_api(&mut document);
    written(&document)
}

fn written(document: &OpenApi) -> Value {
    let mut written = serde_json::to_value(document).expect("invariant: the document is JSON");
    bound(&mut written);
    written
}

/// Says how large whole numbers may be, which the schemas of their types leave out.
fn bound(part: &mut Value) {
    match part {
        Value::Object(fields) => {
            let most = match fields.get("format").and_then(Value::as_str) {
                Some("uint32") => Some(u64::from(u32::MAX)),
                Some("uint" | "uint64") => Some(u64::MAX),
                _ => None,
            };
            if let Some(most) = most {
                fields.entry("maximum").or_insert(most.into());
            }
            fields.values_mut().for_each(bound);
        }
        Value::Array(items) => items.iter_mut().for_each(bound),
        _ => {}
    }
}

fn described() -> OpenApi {
    aide::generate::extract_schemas(true);
    let mut document = OpenApi {
        info: Info { title: "Ox".to_owned(), version: env!("CARGO_PKG_VERSION").to_owned(), ..Info::default() },
        servers: vec![Server { url: "http://127.0.0.1:7878".to_owned(), ..Server::default() }],
        ..OpenApi::default()
    };
    let token = SecurityScheme::Http {
        scheme: "bearer".to_owned(),
        bearer_format: None,
        description: Some("The content of the file `server-token` among the files of Ox's state.".to_owned()),
        extensions: Default::default(),
    };
    document
        .components
        .get_or_insert_default()
        .security_schemes
        .insert("token".to_owned(), aide::openapi::ReferenceOr::Item(token));
    document.security.push([("token".to_owned(), Vec::new())].into_iter().collect());
    document
}
