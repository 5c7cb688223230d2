//! What a prompt asks for, decided before or beside the work on it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{Mode, Money, Usage, WantId};

/// What a prompt asks for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Intent {
    /// The kind of request.
    pub class: IntentClass,
    /// How far the change reaches; `narrow` where none is asked for.
    #[serde(default)]
    pub scope: IntentScope,
    /// Files that it is about, relative to the project's root; each exists, five at most.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub paths: Vec<String>,
    /// Who decided.
    pub by: IntentSource,
}

/// What was decided about a prompt, and what deciding used.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct IntentDecision {
    /// The want that asked.
    pub want: WantId,
    /// The decision; none where the router could not be asked: the turn's own course decides then.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub intent: Option<Intent>,
    /// What asking used.
    #[serde(default)]
    pub usage: Usage,
    /// What asking cost, where the price is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost: Option<Money>,
    /// Why the router could not be asked.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub failure: String,
}

/// The kind of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum IntentClass {
    /// A greeting, thanks, small talk: nothing of the project is needed.
    Conversation,
    /// A question about the code, a review, a look.
    ReadOnly,
    /// A plan or a proposal, and no change yet.
    PlanOnly,
    /// Something is to be changed.
    CodeChange,
}

/// How far a change reaches.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum IntentScope {
    /// Looks and words alone: files are edited and no command that changes anything runs.
    Style,
    /// One place, or a few that belong together.
    #[default]
    Narrow,
    /// Many places: a plan comes first.
    Broad,
}

/// Who decided what a prompt asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum IntentSource {
    /// The model of the role `router`.
    Router,
    /// The turn before, whose question the prompt answers.
    Inherited,
}

impl IntentClass {
    /// The mode whose rules hold for it.
    pub fn mode(self) -> Mode {
        match self {
            IntentClass::Conversation | IntentClass::ReadOnly => Mode::Chat,
            IntentClass::PlanOnly => Mode::Plan,
            IntentClass::CodeChange => Mode::Build,
        }
    }
}
