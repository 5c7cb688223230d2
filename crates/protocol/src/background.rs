//! What becomes of a command in the background.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What happened to a background command.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum BackgroundState {
    /// It began.
    Started,
    /// It ended by itself.
    Ended,
    /// It was stopped.
    Stopped,
    /// It ended with the Ox that had started it.
    Lost,
}
