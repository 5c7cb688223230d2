//! What is asked of a conversation.

use std::sync::Arc;

use aide::NoApi;
use axum::Json;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use ox_protocol::{
    CallId, Command, CommandId, ConversationId, Decision, Delivery, Image, Mode, Over, Problem, Seq, Submission,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::blocking::blocking;
use crate::conversations::Taken;
use crate::failure::Failure;
use crate::input::{At, Body, Named, NamedCall};
use crate::shared::Shared;

/// A command was admitted.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
pub struct Admitted {
    /// Its name: events that it causes carry it.
    pub command_id: CommandId,
    /// Where it was admitted.
    pub conversation: ConversationId,
    /// The last event that was recorded with it.
    pub seq: Seq,
}

type Answered = Result<NoApi<(StatusCode, Json<Admitted>)>, Failure>;

/// A prompt.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct Prompt {
    /// The user's words.
    text: String,
    /// Pictures, in order.
    #[serde(default)]
    images: Vec<Image>,
    /// Changes the mode from this turn on.
    #[serde(default)]
    mode: Option<Mode>,
    /// When it is delivered while a turn runs.
    #[serde(default)]
    delivery: Delivery,
}

pub(crate) async fn prompt(
    State(shared): State<Arc<Shared>>,
    At(Named { id }): At<Named>,
    headers: HeaderMap,
    Body(Prompt { text, images, mode, delivery }): Body<Prompt>,
) -> Answered {
    if text.trim().is_empty() && images.is_empty() {
        return Err(Problem::new("server.empty_prompt").into());
    }
    if !images.is_empty() {
        let (of, id, attached) = (shared.clone(), id.clone(), images.clone());
        blocking(move || super::changes::project_of(&of, &id)?.check_attached(&attached)).await?;
    }
    send(&shared, &id, &headers, Command::Prompt { text, images, mode, delivery }).await
}

pub(crate) async fn command(
    State(shared): State<Arc<Shared>>,
    At(Named { id }): At<Named>,
    headers: HeaderMap,
    Body(command): Body<Command>,
) -> Answered {
    if command == Command::Close {
        return Err(Problem::new("server.close").into());
    }
    send(&shared, &id, &headers, command).await
}

pub(crate) async fn interrupt(
    State(shared): State<Arc<Shared>>,
    At(Named { id }): At<Named>,
    headers: HeaderMap,
) -> Answered {
    send(&shared, &id, &headers, Command::Interrupt).await
}

/// The answer to a request for consent.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct Consent {
    decision: Decision,
}

pub(crate) async fn decide(
    State(shared): State<Arc<Shared>>,
    At(NamedCall { id, call }): At<NamedCall>,
    headers: HeaderMap,
    Body(Consent { decision }): Body<Consent>,
) -> Answered {
    send(&shared, &id, &headers, Command::Decide { call: CallId(call), decision }).await
}

/// The answer to a question.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct Words {
    text: String,
}

pub(crate) async fn answer(
    State(shared): State<Arc<Shared>>,
    At(NamedCall { id, call }): At<NamedCall>,
    headers: HeaderMap,
    Body(Words { text }): Body<Words>,
) -> Answered {
    send(&shared, &id, &headers, Command::Answer { call: CallId(call), text }).await
}

/// How an undo goes.
#[derive(Debug, Default, Deserialize, JsonSchema)]
pub(crate) struct Undo {
    /// What becomes of files that somebody changed since.
    #[serde(default)]
    over: Over,
}

pub(crate) async fn undo(
    State(shared): State<Arc<Shared>>,
    At(Named { id }): At<Named>,
    headers: HeaderMap,
    Body(Undo { over }): Body<Undo>,
) -> Answered {
    send(&shared, &id, &headers, Command::Undo { over }).await
}

pub(crate) async fn redo(
    State(shared): State<Arc<Shared>>,
    At(Named { id }): At<Named>,
    headers: HeaderMap,
) -> Answered {
    send(&shared, &id, &headers, Command::Redo).await
}

/// Has a command carried out, wherever its conversation is worked on.
async fn send(shared: &Arc<Shared>, id: &str, headers: &HeaderMap, command: Command) -> Answered {
    let key = headers.get("idempotency-key").and_then(|it| it.to_str().ok()).map(str::to_owned);
    let (of, named) = (shared.clone(), id.to_owned());
    let key_of = key.clone();
    let (info, known) = blocking(move || {
        let log = &of.log;
        let info = log.info(&ConversationId(named))?;
        // A command that the log knows was taken before; it need not be sent again.
        let known = match key_of.map(|key| command_id(&info.id, Some(&key))) {
            Some(id) => log.read(&info.id)?.frames.iter().find(|it| it.command.as_ref() == Some(&id)).map(|it| it.seq),
            None => None,
        };
        Ok((info, known))
    })
    .await?;
    let command_id = command_id(&info.id, key.as_deref());
    let admitted = |seq| {
        let body = Admitted { command_id: command_id.clone(), conversation: info.id.clone(), seq };
        Ok(NoApi((StatusCode::ACCEPTED, Json(body))))
    };
    if let Some(seq) = known {
        return admitted(seq);
    }
    let submission = Submission { id: command_id.clone(), command };
    match shared.conversations.submit(&shared.projects, &info.id, &info.root, submission).await? {
        Taken::Yes(seq) => admitted(seq),
        Taken::No(why) => Err(Failure::conflict(why)),
    }
}

/// The name of a command: by its key, else one that is used once.
fn command_id(conversation: &ConversationId, key: Option<&str>) -> CommandId {
    use std::hash::{BuildHasher, RandomState};
    let unique = || format!("{:016x}", RandomState::new().hash_one(conversation));
    let digits = |bytes: &[u8]| bytes.iter().take(8).map(|it| format!("{it:02x}")).collect::<String>();
    CommandId(match key {
        Some(key) => format!("http-{}", digits(&Sha256::digest(key.as_bytes()))),
        None => format!("http-{}", unique()),
    })
}
