//! Every way in which a turn can end, by name.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::FailureKind;

/// Why a turn ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", tag = "reason")]
pub enum Stop {
    /// Finished; the checks pass.
    Done,
    /// An answer or a plan was given; nothing was to be changed.
    Answered,
    /// Finished in a project that has no checks, or with verification turned off; a warning goes with it.
    DoneUnchecked,
    /// Finished, not verified: the checks were not allowed to run, could not run or end, or all failed before, too.
    ChecksNotRun,
    /// The rounds of repair were used up and checks still fail.
    ChecksFailing,
    /// A needed permission was refused and the turn is not done.
    PermissionRefused,
    /// The number of iterations was used up.
    IterationLimit,
    /// The stop hooks refused too often.
    StopHookRetries,
    /// Several replies in a row had only failing calls.
    AllCallsFailed,
    /// The same call with the same outcome came again and again.
    Oscillation,
    /// The same failing call was tried too often.
    RepeatedFailure,
    /// The model gave empty replies or broke off too often.
    EmptyReplies,
    /// The conversation fills the model's window, and leaving things out gains next to nothing any more.
    WindowFull,
    /// What is left of the token budget pays for no further reply.
    TokenBudget,
    /// What is left of the cost budget pays for no further reply.
    CostBudget,
    /// The time budget was spent.
    TimeBudget,
    /// The user stopped it.
    Interrupted,
    /// The model could not be asked.
    ModelFailed {
        /// Why not.
        kind: FailureKind,
    },
    /// An error of Ox itself.
    Internal,
}

impl Stop {
    /// The process exit code that `ox run` ends with.
    pub fn exit_code(self) -> u8 {
        match self {
            Stop::Done | Stop::Answered | Stop::DoneUnchecked => 0,
            Stop::ModelFailed { .. } | Stop::Internal => 1,
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
            Stop::Internal => "stop.internal",
        }
    }
}
