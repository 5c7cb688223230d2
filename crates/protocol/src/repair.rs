//! A further attempt at a task.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{Money, Stop, Usage};

/// The attempt that follows a failed one.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Repair {
    /// Number of the attempt that begins, 2 or more.
    pub attempt: u32,
    /// Attempts in all.
    pub total: u32,
    /// How the attempt before ended.
    pub stop: Stop,
    /// What is known of its failure, as the model reads it.
    pub diagnosis: String,
    /// The limit of iterations of the attempt that begins.
    pub iterations: u32,
    /// True where the edits of the attempt before were taken back.
    #[serde(default)]
    pub rolled_back: bool,
    /// What the model that diagnosed used.
    #[serde(default)]
    pub usage: Usage,
    /// What that cost, where the price is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost: Option<Money>,
}
