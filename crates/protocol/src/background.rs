//! Commands beside the calls of a turn: in the background, and the user's own.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A background command of a conversation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct BackgroundJob {
    /// Its name in the conversation, for example `job_2`.
    pub id: String,
    /// The command line.
    pub command: String,
    /// What happened.
    pub state: BackgroundState,
    /// Exit code, where it ended by itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exit_code: Option<i32>,
}

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

/// A command of the user's own that ended, or could not be started.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct UserCommand {
    /// The command line.
    pub command: String,
    /// What it printed, or why it could not be started.
    pub output: String,
    /// Its exit code; none when it was stopped or ended by a signal.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exit_code: Option<i32>,
    /// How long it ran, in milliseconds.
    pub duration_ms: u64,
}
