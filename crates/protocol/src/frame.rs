//! What travels on the wire: durable, numbered events, and streaming text that is shown and never stored.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{CallId, CommandId, ConversationId, Event, MessageId, Seq, Time};

/// Version of the event format. A reader refuses to write to a log of a newer version.
pub const VERSION: u32 = 2;

/// One event with its place in the log.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Frame {
    /// Format version.
    pub v: u32,
    /// The conversation; empty in logs that were written before frames named it.
    #[serde(default, rename = "conversation_id", skip_serializing_if = "ConversationId::is_empty")]
    pub conversation: ConversationId,
    /// Position in the log.
    pub seq: Seq,
    /// When it was recorded.
    pub time: Time,
    /// The command that it answers; none for what the agent did by itself.
    #[serde(default, rename = "command_id", skip_serializing_if = "Option::is_none")]
    pub command: Option<CommandId>,
    /// What happened.
    #[serde(flatten)]
    pub event: Event,
}

impl Frame {
    /// An event of the current format that answers no command, in a conversation that is not named.
    pub fn new(seq: Seq, time: Time, event: Event) -> Frame {
        Frame { v: VERSION, conversation: ConversationId::default(), seq, time, command: None, event }
    }
}

/// A piece of streaming text, live only: who subscribes later gets the text so far as one piece with offset 0 (of a
/// command's output its end), and the whole text comes with the event that ends the stream.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Delta {
    /// The conversation.
    #[serde(default, rename = "conversation_id", skip_serializing_if = "ConversationId::is_empty")]
    pub conversation: ConversationId,
    /// What is streaming: `stream_delta`, `thinking` or `tool_output`.
    #[serde(rename = "event")]
    pub kind: DeltaKind,
    /// The message it belongs to; empty for tool output, which belongs to a call.
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
    /// A piece of what a command printed, in a conversation that is not named.
    pub fn output(call: CallId, offset: u64, delta: String) -> Delta {
        let (conversation, message_id) = (ConversationId::default(), MessageId::default());
        Delta { conversation, kind: DeltaKind::ToolOutput, message_id, call: Some(call), offset, delta }
    }

    /// The path under which subscribers find the piece.
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

impl Event {
    /// The kind of an event that this version does not know, as it is written in the field `event`.
    pub fn unknown(&self) -> Option<&str> {
        match self {
            Event::Unknown(fields) => Some(fields.get("event").and_then(|it| it.as_str()).unwrap_or_default()),
            _ => None,
        }
    }

    /// The path under which subscribers find the event.
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
