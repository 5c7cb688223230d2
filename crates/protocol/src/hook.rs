//! The user's own hooks: commands that are told what happens and may object.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{CallId, WantId};

/// When a hook runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum HookPoint {
    /// Before the first request of a turn. Blocking ends the turn.
    RunStart,
    /// Before a tool call runs. Blocking denies the call.
    BeforeTool,
    /// After a tool call ran. Blocking adds its message to the call's result.
    AfterTool,
    /// Before the turn ends as done. Blocking sends the model back to work.
    BeforeStop,
    /// After the turn ended. Blocking changes nothing; the message is shown.
    AfterRun,
}

/// A hook as it is configured.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Hook {
    /// When it runs.
    pub at: HookPoint,
    /// The shell command line, run in the project root, with a JSON object on its standard input.
    pub command: String,
    /// Tools that it is about (before and after a tool), with `*` as in rules; empty means all.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tools: Vec<String>,
    /// Time limit in milliseconds.
    pub limit_ms: u64,
    /// Where it is configured: `user`, `project`, or `plugin` and its name.
    pub source: String,
    /// What it reads and how it answers.
    #[serde(default, skip_serializing_if = "HookFormat::is_own")]
    pub format: HookFormat,
}

/// What a hook reads on its standard input and how it answers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum HookFormat {
    /// Ox's own.
    #[default]
    Ox,
    /// That of Claude Code.
    Claude,
}

impl HookFormat {
    fn is_own(&self) -> bool {
        *self == HookFormat::Ox
    }
}

/// What became of a hook.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct HookRun {
    /// The command line.
    pub command: String,
    /// True when it objected: exit code 2, or its time limit.
    pub blocked: bool,
    /// What it said, for the model where it blocked.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub message: String,
    /// Exit code; none when it was killed or could not start.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exit_code: Option<i32>,
    /// True when it was killed at its time limit.
    #[serde(default)]
    pub timed_out: bool,
    /// How long it took, in milliseconds.
    #[serde(default)]
    pub duration_ms: u64,
}

/// Hooks that ran.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Hooked {
    /// The want that asked for them.
    pub want: WantId,
    /// When they ran.
    pub at: HookPoint,
    /// The call that they were about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub call: Option<CallId>,
    /// Each in the order of the configuration; those after one that blocked did not run.
    pub runs: Vec<HookRun>,
}
