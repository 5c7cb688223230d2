//! Asks a model beside the turn's own for a few words about the conversation. The turn waits for them, so it waits not long, and
//! goes on without them.

use std::time::Duration;

use ox_model::{Model, Request};
use ox_protocol::{Message, Role, Tokens, Usage};

/// How long such a model may take.
const PATIENCE: Duration = Duration::from_secs(60);

/// What it said.
#[derive(Debug, Default)]
pub(crate) struct Notes {
    /// Its words; none where it went on for too long.
    pub text: String,
    /// What that used.
    pub usage: Usage,
}

/// The words of `model`, of which `longest` tokens are the most; none where it fails or takes too long.
pub(crate) async fn notes(model: &dyn Model, system: String, text: String, longest: Tokens) -> Option<Notes> {
    let messages = vec![Message::text(Role::User, text).into()];
    let request = Request { system, messages, max_output: longest, ..Request::default() };
    let reply = tokio::time::timeout(PATIENCE, model.ask(&request, &|_| {})).await.ok()?.ok()?;
    let words = reply.text.trim();
    let fits = ox_context::estimate(words) <= longest;
    let text = if fits { words.to_owned() } else { String::new() };
    Some(Notes { text, usage: reply.usage.unwrap_or_default() })
}
