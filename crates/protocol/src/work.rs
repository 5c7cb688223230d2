//! The words of a task: stages, limits, the model's facts, todos, the workflow.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{Money, Tokens};

/// The seven phases of a task, in their order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Stage {
    /// The conversation and the working tree are taken.
    Claim,
    /// Project rules, memory, checks and facts are gathered.
    LoadContext,
    /// The prompt is built.
    AssemblePrompt,
    /// Model and tools take turns.
    AgentLoop,
    /// The summary is made.
    FinalResponse,
    /// The result is recorded.
    WriteResult,
    /// Whatever was taken is given back.
    Cleanup,
}

/// The limits of a turn.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Limits {
    /// Iterations: model requests with their calls.
    pub iterations: u32,
    /// Refusals by stop hooks without any progress between.
    pub stop_hook_retries: u32,
    /// Consecutive replies all of whose calls failed.
    pub failed_replies: u32,
    /// Tries of the same failing call, the first included.
    pub same_failure: u32,
    /// Equal calls with equal outcomes within the last five that count as oscillation.
    pub oscillation: u32,
    /// Rounds of repair after failing checks.
    pub check_rounds: u32,
    /// Further attempts at a task after one that failed, each with a context built anew.
    #[serde(default)]
    pub repair_attempts: u32,
    /// Requests for one reply when the model fails in passing.
    pub model_attempts: u32,
    /// How long the first mutation waits for the baseline, in milliseconds.
    pub baseline_wait_ms: u64,
    /// Token budget of the turn.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tokens: Option<Tokens>,
    /// Cost budget of the turn.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost: Option<Money>,
    /// Wall-clock budget of the turn, in milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub time_ms: Option<u64>,
    /// How far sub-agents may go.
    #[serde(default, skip_serializing_if = "AgentLimits::is_default")]
    pub agents: AgentLimits,
}

/// How far sub-agents may go in a turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct AgentLimits {
    /// Sub-agents below one another; 0 where none may be started.
    pub depth: u32,
    /// Sub-agents that run side by side.
    pub parallel: u32,
    /// Sub-agents that a turn may start.
    pub per_turn: u32,
    /// Requests that one of them may make.
    pub iterations: u32,
}

/// What is known of the model that a turn uses.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ModelFacts {
    /// `provider/model`.
    pub name: String,
    /// Window in tokens.
    pub window: Tokens,
    /// Longest reply in tokens.
    pub max_output: Tokens,
    /// True where the model reasons before it answers; forcing a tool is then rejected by providers.
    #[serde(default)]
    pub reasons: bool,
    /// How much it is asked to reason; the provider's own default when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub effort: Option<Effort>,
    /// False where the endpoint rejected `required`.
    #[serde(default = "yes")]
    pub can_require: bool,
    /// How it calls tools.
    pub tools: ToolFormat,
    /// Price per million input tokens, in millionths of a dollar.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub input_price: Option<Money>,
    /// Price per million cached input tokens.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cached_price: Option<Money>,
    /// Price per million output tokens.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output_price: Option<Money>,
}

fn yes() -> bool {
    true
}

/// How much a model reasons before it answers, as far as the provider lets one say.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[allow(missing_docs)] // The words are the providers' own.
pub enum Effort {
    Minimal,
    Low,
    Medium,
    High,
    Xhigh,
    Max,
}

impl Effort {
    /// All of them, the least first.
    pub const ALL: [Effort; 6] =
        [Effort::Minimal, Effort::Low, Effort::Medium, Effort::High, Effort::Xhigh, Effort::Max];

    /// Their words, in the same order.
    pub const NAMES: [&str; 6] = {
        let mut names = [""; 6];
        let mut at = 0;
        while at < names.len() {
            names[at] = Effort::ALL[at].name();
            at += 1;
        }
        names
    };

    /// The effort of that name.
    pub fn named(name: &str) -> Option<Effort> {
        Effort::ALL.into_iter().find(|it| it.name() == name)
    }

    /// The word for it in flags, keys, logs and requests.
    pub const fn name(self) -> &'static str {
        match self {
            Effort::Minimal => "minimal",
            Effort::Low => "low",
            Effort::Medium => "medium",
            Effort::High => "high",
            Effort::Xhigh => "xhigh",
            Effort::Max => "max",
        }
    }
}

/// How a model calls tools.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ToolFormat {
    /// The provider's own tool calls.
    #[default]
    Native,
    /// XML in the text.
    Xml,
}

/// Why a reply ended.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Finish {
    /// The model had nothing more to say.
    #[default]
    Stop,
    /// It wants its calls run.
    Calls,
    /// It hit the output limit.
    Length,
    /// The provider's filter stopped it.
    Filter,
    /// For a reason that Ox does not know, in the provider's own word; the reply counts as it is.
    #[serde(untagged)]
    Other(String),
}

/// The states of the workflow, followed from what actually happens.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Workflow {
    /// Reading and searching.
    #[default]
    Explore,
    /// Deciding what to do.
    Plan,
    /// Editing.
    Implement,
    /// Running checks.
    Verify,
    /// Reading again after a failed check.
    Fix,
    /// Telling what was done.
    Summarize,
}

/// One todo item.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Todo {
    /// 1-based number, stable within the conversation.
    pub id: u32,
    /// What is to be done.
    pub text: String,
    /// Where it stands.
    pub state: TodoState,
    /// `high`, `medium` or `low`.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub priority: String,
    /// Notes.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub notes: String,
}

/// Where a todo item stands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum TodoState {
    /// Not begun.
    #[default]
    Pending,
    /// Begun.
    InProgress,
    /// Done.
    Completed,
}

impl Stage {
    /// All seven, in order.
    pub const ALL: [Stage; 7] = [
        Stage::Claim,
        Stage::LoadContext,
        Stage::AssemblePrompt,
        Stage::AgentLoop,
        Stage::FinalResponse,
        Stage::WriteResult,
        Stage::Cleanup,
    ];
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            iterations: 100,
            stop_hook_retries: 5,
            failed_replies: 3,
            same_failure: 3,
            oscillation: 3,
            check_rounds: 5,
            repair_attempts: 2,
            model_attempts: 6,
            baseline_wait_ms: 15_000,
            tokens: None,
            cost: None,
            time_ms: None,
            agents: AgentLimits::default(),
        }
    }
}

impl Default for AgentLimits {
    fn default() -> AgentLimits {
        AgentLimits { depth: 1, parallel: 4, per_turn: 12, iterations: 30 }
    }
}

impl AgentLimits {
    /// True for the limits that hold where nobody configured any.
    pub fn is_default(&self) -> bool {
        *self == AgentLimits::default()
    }
}

impl Default for ModelFacts {
    fn default() -> ModelFacts {
        ModelFacts {
            name: String::new(),
            window: Tokens(128_000),
            max_output: Tokens(16_384),
            reasons: false,
            effort: None,
            can_require: true,
            tools: ToolFormat::Native,
            input_price: None,
            cached_price: None,
            output_price: None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_end_is_one_word_whether_or_not_it_is_known() {
        for (finish, word) in [(Finish::Length, "\"length\""), (Finish::Other("eos".to_owned()), "\"eos\"")] {
            assert_eq!(serde_json::to_string(&finish).unwrap(), word);
            assert_eq!(serde_json::from_str::<Finish>(word).unwrap(), finish);
        }
    }
}
