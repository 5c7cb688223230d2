//! Every way in which a turn can end, by name.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::FailureKind;

/// Why a turn ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", tag = "reason")]
pub enum Stop {
    /// Finished, and all checks that can run pass.
    Done,
    /// Answered or planned; nothing had to be changed.
    Answered,
    /// Finished in a project without checks, or with verification turned off; shown with a warning.
    DoneUnchecked,
    /// Finished, not verified: the checks were not allowed to run, could not run, did not finish, or all failed before; the tests
    /// of a changed file could not run; or what they prove was made weaker by the change itself.
    ChecksNotRun,
    /// Checks still fail after the last repair round.
    ChecksFailing,
    /// Not done: a required permission was denied.
    PermissionRefused,
    /// The iteration limit was reached.
    IterationLimit,
    /// The model stopped too often without finishing.
    StopHookRetries,
    /// Every tool call failed in several replies in a row.
    AllCallsFailed,
    /// The model repeated the same call with the same result.
    Oscillation,
    /// The model repeated the same failing call.
    RepeatedFailure,
    /// The model sent empty or interrupted replies.
    EmptyReplies,
    /// The context window is full, and compaction no longer frees enough.
    WindowFull,
    /// The token limit was reached.
    TokenBudget,
    /// The cost limit was reached.
    CostBudget,
    /// The time limit was reached.
    TimeBudget,
    /// Interrupted by the user.
    Interrupted,
    /// The model request failed.
    ModelFailed {
        /// Why not.
        kind: FailureKind,
    },
    /// Something outside Ox kept it from running; the error before it says what, for example that another turn holds the project.
    Failed,
    /// An internal error in Ox.
    Internal,
}

impl Stop {
    /// The process exit code that `ox run` ends with.
    pub fn exit_code(self) -> u8 {
        match self {
            Stop::Done | Stop::Answered | Stop::DoneUnchecked => 0,
            Stop::ModelFailed { .. } | Stop::Failed | Stop::Internal => 1,
            Stop::ChecksNotRun | Stop::ChecksFailing => 3,
            Stop::PermissionRefused => 4,
            Stop::TokenBudget | Stop::CostBudget | Stop::TimeBudget => 5,
            Stop::IterationLimit
            | Stop::StopHookRetries
            | Stop::AllCallsFailed
            | Stop::Oscillation
            | Stop::RepeatedFailure
            | Stop::EmptyReplies
            | Stop::WindowFull => 6,
            Stop::Interrupted => 130,
        }
    }

    /// The code under which the catalogue words it, for example `stop.done`.
    pub fn code(self) -> &'static str {
        match self {
            Stop::Done => "stop.done",
            Stop::Answered => "stop.answered",
            Stop::DoneUnchecked => "stop.done_unchecked",
            Stop::ChecksNotRun => "stop.checks_not_run",
            Stop::ChecksFailing => "stop.checks_failing",
            Stop::PermissionRefused => "stop.permission_refused",
            Stop::IterationLimit => "stop.iteration_limit",
            Stop::StopHookRetries => "stop.stop_hook_retries",
            Stop::AllCallsFailed => "stop.all_calls_failed",
            Stop::Oscillation => "stop.oscillation",
            Stop::RepeatedFailure => "stop.repeated_failure",
            Stop::EmptyReplies => "stop.empty_replies",
            Stop::WindowFull => "stop.window_full",
            Stop::TokenBudget => "stop.token_budget",
            Stop::CostBudget => "stop.cost_budget",
            Stop::TimeBudget => "stop.time_budget",
            Stop::Interrupted => "stop.interrupted",
            Stop::ModelFailed { .. } => "stop.model_failed",
            Stop::Failed => "stop.failed",
            Stop::Internal => "stop.internal",
        }
    }
}

/// The built-in stop hooks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Gate {
    /// Nothing was explored though the answer needs code.
    NothingExplored,
    /// A change was asked for and nothing was edited.
    NothingEdited,
    /// Todo items are open.
    OpenTodos,
    /// The plan was asked for and none was given.
    NoPlan,
    /// Checks fail that did not fail before.
    ChecksFail,
    /// The audit of the change found something.
    Audit,
    /// A reviewer found errors in the change.
    Review,
    /// A concluding call stood beside other calls.
    NotAlone,
    /// The reply was empty or was cut off at the output limit.
    Unfinished,
    /// A hook of the user's objected.
    Hook,
}
