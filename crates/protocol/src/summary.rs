//! What a finished turn says of itself.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{CheckStatus, FileChange, Money, Usage};

/// What a turn did (T11).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Summary {
    /// The model's last words.
    pub text: String,
    /// Files changed, each with the reasons given.
    #[serde(default)]
    pub files: Vec<FileChange>,
    /// The last checks, one line each: name and how it ended.
    #[serde(default)]
    pub checks: Vec<CheckLine>,
    /// How to see the result by hand, in the model's words.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub verify: String,
    /// What was left undone.
    #[serde(default)]
    pub undone: Vec<String>,
    /// Iterations used.
    pub iterations: u32,
    /// Tokens used.
    pub usage: Usage,
    /// Cost, where the price is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost: Option<Money>,
    /// Wall-clock time.
    pub duration_ms: u64,
}

/// One line about one check.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CheckLine {
    /// Its name.
    pub name: String,
    /// How it ended.
    pub status: CheckStatus,
    /// True when it failed before the first edit in the same way.
    #[serde(default)]
    pub failed_before: bool,
}
