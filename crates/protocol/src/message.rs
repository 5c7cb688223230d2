//! What goes to a model and comes back, independent of any provider's wire format.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{CallId, Tokens};

/// Who speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// The user, and Ox on the user's behalf.
    User,
    /// The model.
    Assistant,
    /// Results of the calls of the assistant message before; parts are `Part::Result` only.
    Tool,
}

/// One message of the transcript.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Message {
    /// Who speaks.
    pub role: Role,
    /// What is said, in order.
    pub parts: Vec<Part>,
}

/// One part of a message.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "part", rename_all = "snake_case")]
pub enum Part {
    /// Text.
    Text {
        /// The text.
        text: String,
    },
    /// A picture.
    Image {
        /// The picture.
        image: Image,
    },
    /// The model's reasoning, sent back where the provider demands it.
    Reasoning {
        /// The reasoning.
        reasoning: Reasoning,
    },
    /// A call that the model made.
    Call {
        /// Our id.
        id: CallId,
        /// The tool's name as the model wrote it.
        name: String,
        /// The arguments.
        args: Value,
    },
    /// The result of a call.
    Result {
        /// The call.
        id: CallId,
        /// The tool's name.
        name: String,
        /// False when the call failed.
        ok: bool,
        /// What the model reads.
        text: String,
        /// Pictures beside the text.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        images: Vec<Image>,
    },
}

/// A picture, base64 without line breaks.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Image {
    /// `image/png`, `image/jpeg`, `image/gif` or `image/webp`.
    pub media_type: String,
    /// Base64 of its bytes.
    pub data: String,
    /// The path it came from, to show.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub name: String,
}

/// A piece of reasoning as one provider gave it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Reasoning {
    /// Readable text; may be empty.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub text: String,
    /// The provider's proof (signature, encrypted content), sent back unchanged.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub opaque: Option<Value>,
}

/// What the model may or must do about tools.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ToolChoice {
    /// It decides.
    #[default]
    Auto,
    /// It must not call.
    None,
    /// It must call some tool.
    Required,
}

/// What a reply cost in tokens. `input` counts all of the prompt, cached parts included.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Usage {
    /// Prompt tokens.
    pub input: Tokens,
    /// Prompt tokens read from the provider's cache.
    #[serde(default)]
    pub cache_read: Tokens,
    /// Prompt tokens written to the provider's cache.
    #[serde(default)]
    pub cache_write: Tokens,
    /// Reply tokens, reasoning included.
    pub output: Tokens,
    /// Reasoning tokens.
    #[serde(default)]
    pub reasoning: Tokens,
}

/// A named piece of a prompt with its token count.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Section {
    /// What it is, for example `rules:AGENTS.md`.
    pub name: String,
    /// The text as the model reads it.
    pub text: String,
    /// Its size; an estimate unless the model's tokenizer is at hand.
    pub tokens: Tokens,
}

impl Message {
    /// A message of one text part.
    pub fn text(role: Role, text: impl Into<String>) -> Message {
        Message { role, parts: vec![Part::text(text)] }
    }
}

impl Part {
    /// A text part.
    pub fn text(text: impl Into<String>) -> Part {
        Part::Text { text: text.into() }
    }
}

impl Usage {
    /// Input and output together.
    pub fn total(self) -> Tokens {
        Tokens(self.input.0.saturating_add(self.output.0))
    }
}

impl std::ops::AddAssign for Usage {
    fn add_assign(&mut self, other: Usage) {
        self.input.0 = self.input.0.saturating_add(other.input.0);
        self.cache_read.0 = self.cache_read.0.saturating_add(other.cache_read.0);
        self.cache_write.0 = self.cache_write.0.saturating_add(other.cache_write.0);
        self.output.0 = self.output.0.saturating_add(other.output.0);
        self.reasoning.0 = self.reasoning.0.saturating_add(other.reasoning.0);
    }
}
