//! What a screen shows of a conversation, folded from its frames: the same for every interface.
//!
//! Promise: `View::apply` is pure and total; every frame of every conversation folds, also of a kind that this version does
//! not know. Nothing is decided or worded here. The fixtures under `tests/view` state the fold for other languages.

mod agent;
mod entry;
mod fold;
mod spent;

use std::collections::VecDeque;

use ox_protocol::{
    ApprovalPolicy, BackgroundState, Call, CallId, CommandReach, ContextFiles, ConversationId, Effect, Effort, Failure,
    FileChange, Frame, Level, Mode, Plan, Problem, QueuedPrompt, Rule, Seq, Stage, Status, Stop, Summary, Time, Todo,
    Workflow,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

pub use entry::{CallEntry, CallState, Clipped, Entry, EntryKind, RunningAgent};
pub use spent::{Account, Spent};

/// The state of a conversation as an interface needs it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct View {
    /// The conversation's id.
    pub conversation: ConversationId,
    /// Its project root.
    pub root: String,
    /// The name it was given.
    pub name: Option<String>,
    /// Number of the last event that is in it.
    pub seq: Seq,
    /// The mode of the last turn, or the one set for the next.
    pub mode: Mode,
    /// When the user is asked.
    pub approval: ApprovalPolicy,
    /// `provider/model`, likewise.
    pub model: String,
    /// How much it reasons, likewise; the provider's own default when absent.
    pub effort: Option<Effort>,
    /// What commands of the last turn can reach, where they run in a sandbox.
    pub sandbox_reach: Option<CommandReach>,
    /// Why they run in none although they were to.
    pub not_isolated: Option<String>,
    /// Number of the last turn.
    pub turn: u32,
    /// True between the start and the completion of a turn.
    pub busy: bool,
    /// When the turn began.
    pub began: Time,
    /// Iteration and limit.
    pub iteration: (u32, u32),
    /// The stage that is entered.
    pub stage: Option<Stage>,
    /// Stages that ended in this turn, with milliseconds and success.
    pub stages: Vec<(Stage, u64, bool)>,
    /// Calls of the last reply.
    pub calls: Vec<Call>,
    /// Calls that run, with the moment they began.
    pub running: Vec<(CallId, Time)>,
    /// Checks that run: the moment they began and the round (0 for a baseline or the model's own run).
    pub checks: Option<(Time, u32)>,
    /// When a failed request is made again.
    pub retry: Option<Time>,
    /// What waits for the user, oldest first.
    pub asked: VecDeque<Asked>,
    /// Calls of this turn about whose consent something was said already.
    pub answered: Vec<CallId>,
    /// Prompts that wait for the end of the turn, the next one first.
    pub queue: Vec<QueuedPrompt>,
    /// What the user said while the turn ran and the model has not read yet.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unread: Vec<String>,
    /// Commands in the background that run.
    pub jobs: Vec<Job>,
    /// The files that are kept in view and those that are left out.
    pub files: ContextFiles,
    /// The todo list.
    pub todos: Vec<Todo>,
    /// The plan.
    pub plan: Option<Plan>,
    /// Files changed by this turn, edit by edit.
    pub changes: Vec<FileChange>,
    /// The turns that one can go back to.
    pub turns: Vec<PastTurn>,
    /// Tokens and cost.
    pub account: Account,
    /// Tokens of the window that the last request filled, and the window.
    pub window: (u64, u64),
    /// The last failure of the model.
    pub failure: Option<Failure>,
    /// The text of the last reply.
    pub reply: String,
    /// The summary of the turn.
    pub summary: Option<Summary>,
    /// Where the workflow is.
    pub workflow: Workflow,
    /// Why the last turn ended.
    pub stop: Option<Stop>,
    /// The conversation from its beginning, one entry for each thing that a person would point at.
    pub entries: Vec<Entry>,
    /// Sub-agents that run.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub agents: Vec<RunningAgent>,
}

/// A turn, for those who may want to go back to before it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PastTurn {
    /// Its number.
    pub number: u32,
    /// When it began.
    pub began: Time,
    /// What was asked.
    pub prompt: String,
    /// The files that it changed, as far as it is known.
    pub files: Vec<String>,
}

/// A command that runs in the background.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Job {
    /// Its name in the conversation, for example `job_2`.
    pub id: String,
    /// The command line.
    pub command: String,
    /// What was last heard of it.
    pub state: BackgroundState,
    /// When it began.
    #[serde(default)]
    pub since: Time,
}

/// Something that waits for the user.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "asks", rename_all = "snake_case")]
#[allow(clippy::large_enum_variant)] // A handful at most wait at a time.
pub enum Asked {
    /// Consent.
    Approval(ApprovalRequest),
    /// An answer.
    Question {
        /// The call.
        call: CallId,
        /// The question.
        text: String,
        /// Answers to choose from.
        options: Vec<String>,
        /// The kind of the sub-agent that asks; none where the conversation itself does.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        agent: Option<String>,
    },
}

/// A request for consent.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ApprovalRequest {
    /// The call.
    pub call: CallId,
    /// The tool.
    pub tool: String,
    /// Its arguments.
    pub args: Value,
    /// How far it reaches.
    pub level: Level,
    /// The exact command lines.
    pub commands: Vec<String>,
    /// What the call does, as far as it is known.
    pub effects: Vec<Effect>,
    /// The hosts that a yes opens to it; `*` for any.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub hosts: Vec<String>,
    /// Why it is asked.
    pub why: Problem,
    /// The rule that "always" adds.
    pub always: Rule,
    /// Further rules that it adds, where the parts of a command line have one each.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub further: Vec<Rule>,
    /// What an edit would change, worked out over the files as they were when it was asked about.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub changes: Vec<FileChange>,
    /// What commands can reach, where they run in a sandbox.
    pub sandbox_reach: Option<CommandReach>,
    /// The kind of the sub-agent that asks; none where the conversation itself does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
}

impl Asked {
    /// The call that waits.
    pub fn call(&self) -> &CallId {
        match self {
            Asked::Approval(request) => &request.call,
            Asked::Question { call, .. } => call,
        }
    }
}

impl View {
    /// The view of a whole log.
    pub fn of<'a>(frames: impl IntoIterator<Item = &'a Frame>) -> View {
        let mut view = View::default();
        frames.into_iter().for_each(|it| view.apply(it));
        view
    }

    /// True where a call of this conversation may have changed something.
    pub fn has_acted(&self) -> bool {
        let acted = |it: &CallEntry| it.level > Level::Read && it.status == Some(Status::Ok);
        self.entries.iter().any(|it| matches!(&it.kind, EntryKind::Call(call) if acted(call)))
    }

    /// The call with this id, as the last reply made it.
    pub fn call(&self, id: &CallId) -> Option<&Call> {
        self.calls.iter().find(|call| call.id == *id)
    }

    /// The open request for consent to this call.
    pub fn request(&self, id: &CallId) -> Option<&ApprovalRequest> {
        self.asked.iter().find_map(|asked| match asked {
            Asked::Approval(request) if request.call == *id => Some(request),
            _ => None,
        })
    }
}
