//! Facts that happened, in the log and on the wire: codes and arguments, which each interface words in its language.

use crate::{
    AgentEnd, AgentStart, ApprovalPolicy, AuditFinding, BackgroundJob, Call, CallId, ChangeSize, Check, CheckReport,
    CheckpointReason, CommandId, ContextFiles, ConversationId, Decision, EarlierTurn, Effect, Effort, Failure,
    FailureKind, FileChange, Finish, Fixer, ForkOrigin, Gate, Hooked, Image, IntentDecision, Level, Limits, MessageId,
    Mode, ModelFacts, Money, Outcome, Plan, PrefixCause, Problem, Pruning, QueuedPrompt, Reasoning, Repair,
    RestoredTree, ReviewPolicy, Rule, Rules, Section, Stage, Stop, Summary, Time, Todo, Tokens, ToolChoice, ToolSpec,
    Usage, UserCommand, Verification, WantId, Workflow,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// A fact. The serde name in the `event` field is the name that subscribers see.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "event", rename_all = "snake_case")]
#[allow(clippy::large_enum_variant)] // Events are stored in vectors of a few thousand at most; boxes would only obscure them.
pub enum Event {
    /// First event of every log.
    ConversationId {
        /// The conversation.
        id: ConversationId,
        /// The project root, absolute.
        root: String,
        /// Version of Ox that began it.
        ox: String,
        /// What it was copied from; none where it began empty.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        from: Option<ForkOrigin>,
    },
    /// The conversation got a name.
    Named {
        /// The name.
        name: String,
    },
    /// A phase began.
    StageEnter {
        /// The phase.
        stage: Stage,
    },
    /// A phase ended.
    StageExit {
        /// The phase.
        stage: Stage,
        /// How long it took.
        duration_ms: u64,
        /// False when it ended with an error.
        success: bool,
    },
    /// A turn began. Everything that its decisions depend on is recorded here, so that it replays alike.
    TurnStart {
        /// 1-based number in the conversation.
        turn: u32,
        /// What it may do.
        mode: Mode,
        /// What the user asked; empty when it continues the turn before.
        prompt: String,
        /// Pictures that came with it.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        images: Vec<Image>,
        /// True when it takes up the turn before.
        #[serde(default)]
        continues: bool,
        /// The branch that was checked out when it began; none outside git, and where no branch is checked out.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        branch: Option<String>,
        /// Permission policy.
        rules: Rules,
        /// Limits.
        limits: Limits,
        /// The model.
        model: ModelFacts,
        /// The models that take over, one after the other, where a model cannot be asked.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        fallbacks: Vec<ModelFacts>,
        /// Which checks must pass.
        verification: Verification,
        /// When a reviewer looks at its change before it ends.
        #[serde(default, skip_serializing_if = "ReviewPolicy::is_off")]
        review: ReviewPolicy,
        /// The project's checks, cheap ones first.
        #[serde(default)]
        checks: Vec<Check>,
        /// The project's fixers, which run before the checks look.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        fixers: Vec<Fixer>,
        /// The model that is asked, beside the work, what the prompt asks for; none where the turn's own course decides.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        router: Option<String>,
    },
    /// What the prompt asks for was decided, or could not be.
    Intent {
        /// What was decided.
        #[serde(flatten)]
        decision: IntentDecision,
    },
    /// The prompt as assembled. `system` and `tools` are present when they differ from the last recorded ones.
    Prompted {
        /// The system prompt.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        system: Option<String>,
        /// The offered tools.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        tools: Option<Vec<ToolSpec>>,
        /// Sections that precede the user's words.
        #[serde(default)]
        context: Vec<Section>,
    },
    /// An iteration began; messages queued before it are taken up by it.
    IterationStart {
        /// 1-based number in the turn.
        iteration: u32,
        /// The limit.
        total: u32,
        /// What the model must do about tools.
        tool_choice: ToolChoice,
        /// The longest reply that the budget still pays for, where that is less than the model's own limit.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        max_output: Option<Tokens>,
    },
    /// A model request failed.
    ModelFailed {
        /// The want that failed.
        want: WantId,
        /// How.
        failure: Failure,
        /// Random share of the back-off, in thousandths; recorded so that the fold stays pure.
        jitter: u16,
    },
    /// The failed request will be made again.
    Retry {
        /// Number of the coming attempt, 2 or more.
        attempt: u32,
        /// The limit.
        total: u32,
        /// Why the last one failed.
        kind: FailureKind,
        /// How long until then.
        wait_ms: u64,
        /// When.
        until: Time,
    },
    /// The model or its endpoint lacks an ability; Ox does without from now on.
    Downgrade {
        /// `provider/model`.
        model: String,
        /// `tool_choice` or `native_tools`.
        what: String,
        /// The endpoint's words.
        reason: String,
    },
    /// The next configured model takes over for the rest of the turn.
    Fallback {
        /// The model that could not be asked, as `provider/model`.
        from: String,
        /// The one that takes over.
        to: ModelFacts,
        /// Why.
        kind: FailureKind,
    },
    /// What the model reads of the conversation was made shorter; the log keeps everything.
    Pruned {
        /// The want that asked for it.
        want: WantId,
        /// What was left out.
        pruning: Pruning,
        /// Tokens of the conversation before.
        before: Tokens,
        /// Tokens of the conversation after.
        after: Tokens,
    },
    /// The next request does not begin like the last one, so the provider's cache of that is of no use.
    PrefixDropped {
        /// Why.
        cause: PrefixCause,
        /// Tokens of the last request.
        tokens: Tokens,
    },
    /// A timer that was waited for has passed.
    Woken {
        /// When.
        at: Time,
    },
    /// A reply is complete.
    StreamComplete {
        /// The want that it answers.
        want: WantId,
        /// Its id, under which its pieces were streamed.
        message_id: MessageId,
        /// Its text.
        text: String,
        /// Its reasoning.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        reasoning: Vec<Reasoning>,
        /// Pictures that the model made.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        images: Vec<Image>,
        /// Its calls.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        calls: Vec<Call>,
        /// Indices of the calls in the order in which they run, where that is not their own.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        order: Vec<u16>,
        /// Why it ended.
        finish: Finish,
        /// What it used.
        usage: Usage,
        /// What it cost, where the price is known.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        cost: Option<Money>,
        /// Bytes of text.
        total_length: u64,
        /// How long it took.
        duration_ms: u64,
    },
    /// What has been used so far.
    TokenUsage {
        /// By this turn.
        turn: Usage,
        /// By this conversation.
        conversation: Usage,
        /// Cost of this turn, where the price is known.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        cost: Option<Money>,
        /// Tokens that the last request filled of the model's window.
        used: u64,
        /// The window.
        window: u64,
    },
    /// A call needs consent.
    ApprovalRequest {
        /// The call; for the project's checks an id that starts with `checks_`.
        call: CallId,
        /// The tool.
        tool: String,
        /// Its arguments.
        args: Value,
        /// How far it reaches.
        level: Level,
        /// The exact command lines it runs.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        commands: Vec<String>,
        /// What it does, as far as it is known.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        effects: Vec<Effect>,
        /// The hosts that a yes opens to it; `*` for any.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        hosts: Vec<String>,
        /// Why it is asked.
        why: Problem,
        /// The rule that "always" would add.
        always: Rule,
        /// Further rules that "always" would add, where the parts of a command line have one each.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        further: Vec<Rule>,
        /// What an edit would change, worked out over the files as they are.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        changes: Vec<FileChange>,
    },
    /// A request for consent was answered.
    Approval {
        /// The call.
        call: CallId,
        /// The answer.
        decision: Decision,
        /// `user`, or `headless` where nobody could be asked.
        by: String,
    },
    /// The user changed a call's arguments before allowing it; the facts are computed anew.
    Amended {
        /// The call as it will run, under its old id.
        call: Call,
    },
    /// A call began.
    ToolStart {
        /// The call.
        call: CallId,
        /// The tool.
        tool: String,
        /// Its arguments.
        args: Value,
        /// The iteration it belongs to.
        iteration: u32,
    },
    /// A call settled.
    ToolComplete {
        /// The call.
        call: CallId,
        /// The tool.
        tool: String,
        /// What came of it.
        outcome: Outcome,
    },
    /// A call had started before a crash and its result is unknown.
    Lost {
        /// The call.
        call: CallId,
    },
    /// The todo list changed.
    Todo {
        /// All of it.
        items: Vec<Todo>,
    },
    /// The plan changed.
    Plan {
        /// All of it.
        plan: Plan,
    },
    /// The workflow moved on.
    Workflow {
        /// Where it is now.
        state: Workflow,
        /// Code of the next action, worded by the catalogue.
        next: String,
    },
    /// The agent asks the user something.
    Question {
        /// The call that asks.
        call: CallId,
        /// The question.
        text: String,
        /// Answers to choose from; a free answer is allowed too.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        options: Vec<String>,
    },
    /// The user answered.
    Answer {
        /// The call.
        call: CallId,
        /// The answer.
        text: String,
    },
    /// Checks began.
    ChecksStart {
        /// The want.
        want: WantId,
        /// True for the state before the first edit.
        baseline: bool,
        /// Round of verification, 1-based; 0 for a baseline and for the model's own runs.
        round: u32,
        /// The limit of rounds.
        total: u32,
    },
    /// Checks ended.
    CheckResult {
        /// The want.
        want: WantId,
        /// True for the state before the first edit.
        baseline: bool,
        /// Round of verification.
        round: u32,
        /// The limit of rounds.
        total: u32,
        /// The results.
        report: CheckReport,
    },
    /// The change was audited: whether it is finished, and whether the evidence for it is what it was.
    Audited {
        /// The want.
        want: WantId,
        /// The count of changes of the turn that it looked at.
        changes: u64,
        /// How large the change is.
        #[serde(default, skip_serializing_if = "ChangeSize::is_empty")]
        size: ChangeSize,
        /// What it found, the gravest first.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        findings: Vec<AuditFinding>,
    },
    /// A stop hook refused to let the turn end.
    Refusal {
        /// Which.
        gate: Gate,
        /// The concluding call that it refused; none when the reply had no call.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        call: Option<CallId>,
        /// Refusals in a row without progress.
        retry: u32,
        /// The limit.
        total: u32,
        /// The hook's own words, where a hook of the user's objected.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        message: String,
    },
    /// The user said something while the turn ran; it is delivered after the tool results.
    #[serde(rename = "queued")]
    Steered {
        /// What was said.
        text: String,
        /// Pictures that came with it.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        images: Vec<Image>,
    },
    /// The user took back the last of what they said while the turn ran; the model has not read it.
    TakenBack {
        /// How many messages.
        count: u32,
    },
    /// A prompt waits for the end of the running turn.
    PromptQueued {
        /// The prompt.
        #[serde(flatten)]
        prompt: QueuedPrompt,
    },
    /// The prompts that wait, in their order; those that are not named wait no longer.
    QueueSet {
        /// By the commands that brought them.
        prompts: Vec<CommandId>,
    },
    /// An attempt failed and another one begins, with a context built anew.
    Repair(Repair),
    /// The user stopped the turn.
    Interrupted,
    /// The mode of the next turns.
    ModeSet {
        /// The mode.
        mode: Mode,
    },
    /// When the user is asked, from now on.
    ApprovalSet {
        /// The policy.
        policy: ApprovalPolicy,
    },
    /// A command of the user's own ended, or could not be started.
    UserCommand(UserCommand),
    /// The model of the next turns.
    ModelSet {
        /// `provider/model`.
        model: String,
    },
    /// How much the model of the next turns reasons.
    EffortSet {
        /// The effort; the provider's own default when absent.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        effort: Option<Effort>,
    },
    /// The files that the next turns have in view, and those that they leave out.
    FilesSet(ContextFiles),
    /// A client handed in turns of the past.
    EarlierTurns {
        /// Oldest first.
        turns: Vec<EarlierTurn>,
    },
    /// The agent loop ended.
    Stopped {
        /// Why.
        stop: Stop,
    },
    /// What a turn did.
    Summary {
        /// The summary.
        summary: Summary,
    },
    /// A turn is over; nothing of it follows.
    Completion {
        /// Why it ended.
        stop: Stop,
        /// The exit code of `ox run`.
        exit_code: u8,
    },
    /// The working tree was recorded.
    Checkpoint {
        /// Its name among the checkpoints of the project.
        id: String,
        /// Why it was made.
        reason: CheckpointReason,
        /// Files that it differs in from the checkpoint before.
        files: u32,
        /// Hash of everything that was recorded: two checkpoints of equal trees have the same.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        tree: String,
        /// Files that were too large to be kept, or left out by rule; a few of them.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        skipped: Vec<String>,
    },
    /// The working tree was put back.
    Restored(RestoredTree),
    /// What the model remembers ends before this turn; the log keeps everything.
    Rewound {
        /// 1-based number of the first forgotten turn.
        turn: u32,
    },
    /// Hooks of the user ran.
    Hooked(Hooked),
    /// A background command began, ended or was lost.
    Background(BackgroundJob),
    /// A sub-agent begins: a conversation of its own, with a part of what this turn may still spend.
    AgentStart(AgentStart),
    /// A sub-agent ended; what it used counts as this turn's.
    AgentEnd(AgentEnd),
    /// Something went wrong that the user should know.
    Error {
        /// What.
        problem: Problem,
    },
    /// An event of a newer version, as it was written: its kind is in the field `event`.
    #[serde(untagged)]
    Unknown(Map<String, Value>),
}
