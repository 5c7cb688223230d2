//! Ways in which a model request can fail, as data that retries are decided from.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Why a model request failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum FailureKind {
    /// The host was not found or refused the connection.
    Connect,
    /// The TLS handshake failed; a certificate is wrong or unknown.
    Tls,
    /// No byte within the time limit.
    Timeout,
    /// 429.
    RateLimited,
    /// 529 or an overloaded event.
    Overloaded,
    /// 5xx and other passing faults (408, 409, 425).
    Server,
    /// The stream ended before the reply did.
    Cut,
    /// 401 or 403: the key is wrong or lacks a right.
    Auth,
    /// The account has no credit left (402, insufficient_quota).
    Quota,
    /// The model is not known there.
    UnknownModel,
    /// The endpoint rejected `tool_choice: required`.
    ToolChoiceRejected,
    /// The endpoint rejected native tools.
    ToolsRejected,
    /// The prompt exceeds the model's window.
    ContextTooLong,
    /// The provider's filter stopped the reply.
    ContentFilter,
    /// Another 4xx: the request itself is wrong.
    BadRequest,
    /// What came back was not in the provider's format.
    Malformed,
    /// A scripted model or a cassette has no reply left, or the request differs from the recorded one.
    Script,
}

/// A failed model request.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Failure {
    /// Why.
    pub kind: FailureKind,
    /// HTTP status where there was one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<u16>,
    /// The provider's own words, secrets removed.
    pub message: String,
    /// How long the provider asked to wait, in milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retry_after_ms: Option<u64>,
    /// Text that had already been streamed and shown.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub partial: String,
}

impl FailureKind {
    /// True when asking again may succeed.
    pub fn is_passing(self) -> bool {
        use FailureKind::{Connect, Cut, Malformed, Overloaded, RateLimited, Server, Timeout};
        matches!(self, Connect | Timeout | RateLimited | Overloaded | Server | Cut | Malformed)
    }

    /// True when another model may well answer the same request: the fault is not the request's.
    pub fn concerns_the_model(self) -> bool {
        use FailureKind::{Auth, ContextTooLong, Quota, Tls, UnknownModel};
        self.is_passing() || matches!(self, Auth | ContextTooLong | Quota | Tls | UnknownModel)
    }
}
