//! What a turn is made of. Only `apply` changes it.

use std::collections::BTreeSet;

use ox_protocol::{
    AuditFinding, Call, CallId, CallKind, ChangeSize, Check, CheckReport, ContextFiles, ConversationId, Failure,
    FailureKind, Finding, Fixer, Gate, Intent, Level, Limits, Mode, ModelFacts, Money, Plan, PrefixCause, Problem,
    QueuedPrompt, ReviewPolicy, Rule, Rules, Seq, Stop, Time, Todo, Tokens, Usage, Verification, WantId, Workflow,
};

use super::loops::Loops;
use super::window::ContextWindow;
use crate::want::AgentRun;

/// A conversation's state: what is carried from turn to turn, and the turn that runs.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Conversation {
    /// The last event folded.
    pub(super) seq: Seq,
    /// When it was recorded.
    pub(super) time: Time,
    pub(super) state: ConversationState,
    pub(super) phase: LoopState,
    pub(super) turn: TurnState,
}

/// What outlives a turn.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct ConversationState {
    pub id: ConversationId,
    pub turns: u32,
    pub mode: Option<Mode>,
    /// Something of the project has been read in this conversation.
    pub explored: bool,
    pub todos: Vec<Todo>,
    /// What is kept in view and what is left out.
    pub files: ContextFiles,
    pub plan: PlanState,
    /// Rules that the user added with "always".
    pub granted: Vec<Rule>,
    /// The set of check commands that the user allowed.
    pub checks_allowed: Option<Vec<String>>,
    pub usage: Usage,
    /// The files that it created, whether by a tool or by a command.
    pub created: BTreeSet<String>,
    /// The commands of checks that an edit has waited for in vain.
    pub too_slow: BTreeSet<String>,
    /// Models and what they lack.
    pub lacking: BTreeSet<(String, String)>,
    pub last_stop: Option<Stop>,
    /// Prompts that wait for the end of the turn, the next one first.
    pub queue: Vec<QueuedPrompt>,
    /// What the last prompt asked for, where that was decided.
    pub intent: Option<Intent>,
    /// The model that replied last.
    pub asked_model: Option<String>,
    /// Why the next request will not begin like the last one, until that is recorded.
    pub dropped: Option<PrefixCause>,
    /// How full the window was before each turn that still counts.
    pub windows: Vec<(u32, ContextWindow)>,
    /// Sub-agents so far; the next one is numbered after them.
    pub agents: u32,
}

/// The plan of a conversation, and what belongs to it.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct PlanState {
    pub plan: Option<Plan>,
    /// No build has taken it up yet.
    pub waits: bool,
    /// The turn that made it, changed it or took it up last.
    pub turn: u32,
    /// The files that were changed since it has these steps.
    pub touched: BTreeSet<String>,
    /// The running turn has taken it up, and its steps are not yet in the todo list.
    pub taken_up: bool,
}

/// What belongs to one turn.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct TurnState {
    pub mode: Mode,
    /// The want under which the router is asked what the prompt asks for, until it has answered.
    pub routing: Option<WantId>,
    /// What the prompt asks for, where that was decided.
    pub intent: Option<Intent>,
    /// The mode that the user set while a turn of mode `auto` ran.
    pub overruled: Option<Mode>,
    /// A broad change was told once that a plan comes first.
    pub plan_demanded: bool,
    pub rules: Rules,
    pub limits: Limits,
    pub model: ModelFacts,
    /// The models that have not had to take over yet.
    pub fallbacks: Vec<ModelFacts>,
    pub verification: Verification,
    pub checks: Vec<Check>,
    pub fixers: Vec<Fixer>,
    pub started: Time,
    pub continues: bool,
    pub iteration: u32,
    /// The attempt at the task; 0 for the first.
    pub attempt: u32,
    /// Iterations of earlier attempts.
    pub earlier_iterations: u32,
    /// The next request must call a tool.
    pub must_call: bool,
    pub usage: Usage,
    pub usage_recorded: Usage,
    pub cost: Option<Money>,
    pub window: ContextWindow,
    /// The longest reply that the budget pays for in this iteration.
    pub max_output: Option<Tokens>,
    /// Counts changes of the tree in this turn.
    pub changes: u64,
    /// The count at which the fixers last ran.
    pub fixed_at: Option<u64>,
    /// The count at which checks last ran without new failures.
    pub verified_at: Option<u64>,
    /// The count at which checks last ran at all.
    pub checked_at: Option<u64>,
    pub last_report: Option<CheckReport>,
    pub check_round: u32,
    /// The last audit of the change: the count of changes that it was made at, and what it found.
    pub audit: Option<(u64, Vec<AuditFinding>)>,
    /// How large the change was at that audit.
    pub size: ChangeSize,
    /// When a reviewer looks at the change.
    pub policy: ReviewPolicy,
    /// The reviewers of the turn.
    pub review: Review,
    /// What audits found and the model was asked about.
    pub put: Vec<AuditFinding>,
    /// Refusals in a row without progress.
    pub refusals: u32,
    pub empty_replies: u32,
    /// How often the request of this iteration failed in each way.
    pub faults: Vec<(FailureKind, u32)>,
    pub loops: Loops,
    /// A call was denied in this turn.
    pub was_denied: bool,
    /// Something of the project was read in this turn.
    pub looked: bool,
    /// Messages queued and not yet taken up.
    pub queued: u32,
    pub baseline: Baseline,
    pub consent: ChecksConsent,
    pub workflow: Workflow,
    pub workflow_recorded: Option<Workflow>,
    /// The model declared that nothing has to be changed.
    pub no_change: bool,
    /// The hooks before the first request.
    pub start_hooks: Hooks,
    /// Where the prompt was recorded.
    pub prompted: Seq,
    /// The turn's sub-agents.
    pub agents: Agents,
}

/// Where the turn stands.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) enum LoopState {
    /// No turn runs.
    #[default]
    Idle,
    /// A turn began; its prompt is being assembled.
    Preparing,
    /// An iteration may begin.
    Ready,
    /// The model is asked.
    Thinking { want: WantId, attempt: u32 },
    /// What the model reads is being made shorter; it is asked afterwards.
    Pruning { want: WantId, attempt: u32 },
    /// The request failed, for the `attempt`th time in this way; what follows is decided by `next_event`.
    Failed { failure: Failure, jitter: u16, attempt: u32 },
    /// Waiting to ask again.
    Waiting { until: Time, attempt: u32 },
    /// Calls are under way.
    Acting { pending: Vec<PendingCall> },
    /// The model says that it is done; the gates decide.
    Concluding(Concluding),
    /// The checks decide.
    Checking { want: WantId, concluding: Concluding },
    /// The turn is to stop: what runs is drained, what has not settled is settled.
    Stopping { stop: Stop, pending: Vec<PendingCall> },
    /// The agent loop is over; the summary is being written.
    Over { stop: Stop },
}

/// A reply that claims to be the last.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Concluding {
    /// The concluding call, if there was one.
    pub call: Option<Call>,
    /// The reply's text.
    pub text: String,
    /// Where the reply was recorded.
    pub seq: Seq,
    /// The hooks before the end.
    pub hooks: Hooks,
    /// What a hook said against ending here.
    pub objection: Option<String>,
}

/// A call and how far it has come.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct PendingCall {
    pub want: WantId,
    pub call: Call,
    pub step: Step,
    /// The user has consented to exactly this call.
    pub consented: bool,
    /// What the user said when refusing it.
    pub reason: String,
    /// The hooks before it.
    pub before: Hooks,
    /// What a hook said against it.
    pub objection: Option<String>,
    /// The hooks after it.
    pub after: Hooks,
    /// It did not do what it was asked, or its command ended otherwise than with 0 or goes on: a conclusion beside it waits.
    pub unfinished: bool,
    /// While it runs, it asks the user something.
    pub questions: bool,
}

impl PendingCall {
    pub(super) fn new(seq: Seq, index: usize, call: &Call) -> PendingCall {
        let index = u16::try_from(index).unwrap_or(u16::MAX);
        PendingCall {
            want: WantId { seq, index: index.saturating_add(1) },
            call: call.clone(),
            step: Step::Waiting,
            consented: false,
            reason: String::new(),
            before: Hooks::None,
            objection: None,
            after: Hooks::None,
            unfinished: false,
            questions: false,
        }
    }
}

/// How far a call has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// Nobody was asked and it does not run: not decided yet, or allowed.
    Waiting,
    /// Someone was asked.
    Asking,
    /// The user said no; its result has to be recorded.
    Refused,
    /// It runs, or it is a question: `ToolStart` or the question is recorded.
    Running,
    /// It has its result.
    Settled { failed: bool },
}

/// The checks before the first edit.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) enum Baseline {
    /// Not wanted: no checks, no edits, verification off, or consent is missing.
    #[default]
    None,
    /// Running, one check after the other, so that a slow one does not cost the others. The first call that changes
    /// something waits for it, until `until` at most; that is set when such a call comes.
    Running { want: WantId, until: Option<Time>, done: CheckReport },
    /// The wait was over before any check was; not begun again.
    GivenUp,
    /// Known.
    Known(CheckReport),
}

/// The sub-agents of a turn.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Agents {
    /// How many were begun.
    pub started: u32,
    /// Requests that those made which have ended.
    pub iterations: u32,
    /// Those that run.
    pub running: Vec<AgentRun>,
}

/// The reviewers that a turn began by itself.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Review {
    /// How many were begun.
    pub begun: u32,
    /// The want of the one that runs.
    pub want: Option<WantId>,
    /// What they found.
    pub findings: Vec<Finding>,
    /// What the model was asked about.
    pub put: Vec<Finding>,
    /// Why the last one could not judge.
    pub problem: Option<Problem>,
    /// Files that were changed since the last one began.
    pub touched: BTreeSet<String>,
    /// Lines that were changed since then, by the calls.
    pub lines: u32,
}

/// Whether the project's checks may run in this turn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum ChecksConsent {
    /// Not asked yet.
    #[default]
    Unknown,
    /// Asked, not answered.
    Asked,
    /// Yes.
    Given,
    /// No.
    Refused,
}

impl PendingCall {
    /// It may change something: a command that only reads is none.
    pub(super) fn is_change(&self) -> bool {
        self.call.facts.may_change() && self.call.facts.level != Level::Read
    }

    /// It is known to write files of the project.
    pub(super) fn is_edit(&self) -> bool {
        self.is_change() && self.call.facts.paths.iter().any(|it| it.write && !it.path.starts_with('/'))
    }

    /// It is still to come, and a reason to run the project's checks.
    pub(super) fn brings_checks(&self) -> bool {
        (self.is_edit() || self.call.facts.kind == CallKind::Checks) && !self.has_result()
    }

    /// It has its result, and nobody has anything more to say about it.
    pub(super) fn is_settled(&self) -> bool {
        self.has_result() && self.after != Hooks::Pending
    }

    pub(super) fn has_result(&self) -> bool {
        matches!(self.step, Step::Settled { .. })
    }
}

impl Conversation {
    pub(super) fn pending(&self) -> &[PendingCall] {
        match &self.phase {
            LoopState::Acting { pending } | LoopState::Stopping { pending, .. } => pending,
            _ => &[],
        }
    }

    pub(super) fn refusal(&self, gate: Gate, call: Option<CallId>) -> ox_protocol::Event {
        let retry = self.turn.refusals + u32::from(gate != Gate::NotAlone);
        ox_protocol::Event::Refusal {
            gate,
            call,
            retry,
            total: self.turn.limits.stop_hook_retries,
            message: String::new(),
        }
    }
}

/// How far the hooks of one moment are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Hooks {
    /// There are none.
    #[default]
    None,
    /// They have to run.
    Pending,
    /// They ran.
    Passed,
}

impl Hooks {
    pub(super) fn waiting(has: bool) -> Hooks {
        if has { Hooks::Pending } else { Hooks::None }
    }
}
