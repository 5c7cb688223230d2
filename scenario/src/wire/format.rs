//! What the providers' wire formats have in common, from the provider's side.

use std::sync::Arc;

use ox_model::{Model, Reply};
use ox_protocol::{Failure, FailureKind, ModelFacts, Tokens, Usage};
use serde_json::Value;

use super::server::Asked;

/// The key that the servers want.
pub const KEY: &str = "mock-key-0123456789";
/// The model that they serve.
pub const MODEL: &str = "mock-model";

/// A provider's wire format, as its server speaks it.
pub trait Format: Send + Sync {
    /// True for the path that is posted to.
    fn is_path(&self, path: &str) -> bool;
    /// Everything that is wrong with a request.
    fn check(&self, asked: &Asked, body: &Value) -> Vec<String>;
    /// A refusal that comes before the script is asked.
    fn refusal(&self, _body: &Value) -> Option<Failure> {
        None
    }
    /// The events of an answer, each as it stands in the stream.
    fn events(&self, reply: &Reply, usage: Usage, number: usize) -> Vec<String>;
    /// The events of an answer that never ends.
    fn beginning(&self, text: &str) -> Vec<String>;
    /// An error as the provider words it.
    fn error(&self, failure: &Failure) -> Value;
    /// The messages of a request without what may change from request to request.
    fn messages(&self, body: &Value) -> Vec<Value>;
    /// A model that asks this server.
    fn model(&self, facts: ModelFacts, base_url: &str) -> Arc<dyn Model>;
}

pub(super) fn plain(kind: FailureKind, status: u16, message: &str) -> Failure {
    let message = message.to_string();
    Failure { kind, status: Some(status), message, retry_after_ms: None, partial: String::new() }
}

/// The status under which a failure of this kind usually comes.
pub(super) fn usual_status(kind: FailureKind) -> u16 {
    match kind {
        FailureKind::RateLimited => 429,
        FailureKind::Overloaded => 529,
        FailureKind::Server => 500,
        FailureKind::Auth => 401,
        FailureKind::Quota => 402,
        FailureKind::UnknownModel => 404,
        _ => 400,
    }
}

/// The error code that names a kind, where providers have one.
pub(super) fn usual_code(kind: FailureKind) -> &'static str {
    match kind {
        FailureKind::Quota => "insufficient_quota",
        FailureKind::UnknownModel => "model_not_found",
        FailureKind::ContextTooLong => "context_length_exceeded",
        FailureKind::ContentFilter => "content_filter",
        FailureKind::Overloaded => "overloaded_error",
        FailureKind::RateLimited => "rate_limit_error",
        FailureKind::Auth => "authentication_error",
        FailureKind::Server => "api_error",
        _ => "invalid_request_error",
    }
}

/// The words of a failure; kinds that are told by words alone get them.
pub(super) fn words(failure: &Failure) -> String {
    let needed = match failure.kind {
        FailureKind::ToolsRejected => "does not support tools",
        FailureKind::ToolChoiceRejected => "tool_choice",
        _ => "",
    };
    match failure.message.to_lowercase().contains(needed) {
        true => failure.message.clone(),
        false => format!("{} ({needed})", failure.message),
    }
}

/// Four bytes a token.
pub(super) fn estimate(reply: &Reply, prompt: usize) -> Usage {
    let output: usize = reply.text.len() + reply.calls.iter().map(|it| it.name.len() + it.args.len()).sum::<usize>();
    Usage { input: Tokens(prompt as u64 / 4), output: Tokens(output as u64 / 4 + 1), ..Usage::default() }
}

/// The text in pieces of a few characters, as it streams.
pub(super) fn pieces(text: &str) -> Vec<String> {
    const LENGTH: usize = 9;
    let letters: Vec<char> = text.chars().collect();
    letters.chunks(LENGTH).map(|it| it.iter().collect()).collect()
}
