//! What a subscriber is told.

use std::sync::Arc;

use ox_protocol::{CommandId, ConversationId, Delta, Frame, Problem, Seq, Submission};
use schemars::{JsonSchema, Schema, schema_for};
use serde::{Deserialize, Serialize};

use crate::view::View;

/// One update, one line on the wire; the field `event` tells the kinds apart.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum Update {
    /// Something about the subscription itself or the subscriber's own commands.
    Control(Control),
    /// Streaming text, shown and never stored.
    Delta(Delta),
    /// A recorded event.
    Frame(Arc<Frame>),
}

/// An update that is no part of the conversation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "event", rename_all = "snake_case")]
#[allow(clippy::large_enum_variant)] // One at a time.
pub enum Control {
    /// A command has taken effect: by the frames that name it, which came before this.
    Accepted {
        /// The conversation.
        #[serde(rename = "conversation_id")]
        conversation: ConversationId,
        /// The command.
        #[serde(rename = "command_id")]
        command: CommandId,
        /// The last event that was recorded with it.
        seq: Seq,
    },
    /// A command has no effect.
    Rejected {
        /// The conversation.
        #[serde(rename = "conversation_id")]
        conversation: ConversationId,
        /// The command.
        #[serde(rename = "command_id")]
        command: CommandId,
        /// Why, and what to do.
        why: Problem,
    },
    /// What all events up to now amount to; it stands in for too many of them.
    Snapshot {
        /// The view; its `seq` is that of the last event in it.
        view: Box<View>,
    },
    /// The subscriber was too slow and is told nothing more; it may subscribe again from this event.
    Gap {
        /// The conversation.
        #[serde(rename = "conversation_id")]
        conversation: ConversationId,
        /// The first event that it missed.
        from: Seq,
    },
}

impl Update {
    /// The path under which subscribers find the update.
    pub fn path(&self) -> &'static str {
        match self {
            Update::Frame(frame) => frame.event.path(),
            Update::Delta(delta) => delta.path(),
            Update::Control(Control::Rejected { .. }) => "/agent/edit/error",
            Update::Control(_) => "/agent/edit/output",
        }
    }

    /// The recorded event, where it is one.
    pub fn frame(&self) -> Option<&Frame> {
        match self {
            Update::Frame(frame) => Some(frame),
            Update::Delta(_) | Update::Control(_) => None,
        }
    }
}

impl From<Frame> for Update {
    fn from(frame: Frame) -> Update {
        Update::Frame(Arc::new(frame))
    }
}

/// What a client says over a connection, one line each.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum Message {
    /// Begins to follow the conversation, or begins anew.
    Subscribe {
        /// The first event that is not known yet, counted from 1.
        subscribe: Seq,
    },
    /// Asks for one snapshot of everything up to now; nothing is followed.
    Look {
        /// True; nothing else is asked for so far.
        view: bool,
    },
    /// A command.
    Submit(Submission),
}

#[derive(JsonSchema)]
#[allow(dead_code)] // The fields exist for the schema alone.
struct Wire {
    update: Update,
    message: Message,
    command: ox_protocol::Command,
    config: ox_protocol::Layer,
}

/// JSON Schema of everything on the wire and of the configuration, generated from the types.
pub fn schema() -> Schema {
    schema_for!(Wire)
}
