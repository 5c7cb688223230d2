//! What travels on the wire: durable, numbered events, and streaming text that is shown and never stored.

use schemars::{JsonSchema, Schema, schema_for};
use serde::{Deserialize, Serialize};

use crate::{CallId, Command, Event, Layer, MessageId, Seq, Time};

/// Version of the event format. A reader refuses to write to a log of a newer version.
pub const VERSION: u32 = 1;

/// One event with its place in the log.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Frame {
    /// Format version.
    pub v: u32,
    /// Position in the log.
    pub seq: Seq,
    /// When it was recorded.
    pub time: Time,
    /// What happened.
    #[serde(flatten)]
    pub event: Event,
}

/// A piece of streaming text. A client that lost some of it asks for a snapshot; `offset` tells it where a piece belongs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Delta {
    /// What is streaming: `stream_delta`, `thinking` or `tool_output`.
    #[serde(rename = "event")]
    pub kind: DeltaKind,
    /// The message it belongs to; for tool output the message that made the call.
    pub message_id: MessageId,
    /// The call whose output or arguments stream.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub call: Option<CallId>,
    /// Where the piece begins, in bytes of this message's stream of this kind.
    pub offset: u64,
    /// The piece.
    pub delta: String,
}

impl Delta {
    /// The path under which subscribers find the piece (O2).
    pub fn path(&self) -> &'static str {
        match self.kind {
            DeltaKind::Thinking => "/agent/edit/thinking",
            DeltaKind::Text | DeltaKind::ToolOutput => "/agent/edit/output",
        }
    }
}

/// What a delta is a piece of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum DeltaKind {
    /// The reply's text.
    #[serde(rename = "stream_delta")]
    Text,
    /// The model's reasoning.
    Thinking,
    /// The output of a running command.
    ToolOutput,
}

#[derive(JsonSchema)]
#[allow(dead_code)] // The fields exist for the schema alone.
struct Wire {
    frame: Frame,
    delta: Delta,
    command: Command,
    config: Layer,
}

/// JSON Schema of everything on the wire and of the configuration, generated from the types.
pub fn schema() -> Schema {
    schema_for!(Wire)
}

impl Event {
    /// The path under which subscribers find the event (O2).
    pub fn path(&self) -> &'static str {
        match self {
            Event::ToolStart { .. } => "/agent/edit/tool/call",
            Event::ToolComplete { .. } | Event::Lost { .. } => "/agent/edit/tool/result",
            Event::Completion { .. } => "/agent/edit/completion",
            Event::Error { .. } | Event::ModelFailed { .. } => "/agent/edit/error",
            Event::TokenUsage { .. } => "/agent/edit/token_usage",
            Event::ConversationId { .. } => "/agent/edit/conversation_id",
            _ => "/agent/edit/output",
        }
    }
}
