//! Plain data that crosses every boundary of Ox: commands in, events and deltas out, and the words they are made of.
//!
//! This crate never performs I/O, reads no clock and takes no decision. What derives `Serialize` here is a promise of
//! compatibility: the log on disk, the `--json` output and every interface speak exactly these types.

mod agent;
mod audit;
mod background;
mod call;
mod check;
mod checkpoint;
mod command;
mod config;
mod context_files;
mod effect;
mod event;
mod evidence;
mod failure;
mod fixer;
mod frame;
mod hook;
mod ids;
mod intent;
pub mod locale;
mod message;
pub mod names;
mod permission;
mod plan;
mod prefix;
mod problem;
mod pruning;
mod repair;
mod run;
mod stop;
mod summary;
pub mod word_list;
mod work;

pub use agent::{AgentEnd, AgentRequest, AgentStart, Finding, Severity};
pub use audit::{AuditFinding, AuditKind, AuditWeight, ChangeSize};
pub use background::{BackgroundJob, BackgroundState, UserCommand};
pub use call::{
    Call, CallFacts, CallKind, ChangeKind, FileChange, Outcome, PathUse, Presentation, ReadFile, SimpleCommand,
    Statement, Status, ToolSpec, Written,
};
pub use check::{
    ChangedTest, Check, CheckKind, CheckReport, CheckResult, CheckStatus, Dependence, Diagnostic, Lack, NARROW,
    RedGreen, Tests,
};
pub use checkpoint::{CheckpointReason, RestoredTree};
pub use command::{Back, Command, Delivery, Over, QueuedPrompt, Submission};
pub use config::{
    AgentsLayer, CheckConfig, ContextLayer, FixerConfig, GitHostLayer, HookConfig, IndexLayer, Layer, LimitsLayer,
    ModelLayer, Preset, ProviderLayer, RepairEdits, ReviewPolicy, RolesLayer, RulesLayer, SandboxLayer, ScreenMode,
    TerminalLayer, TimeoutsLayer, Verification, WebSearchLayer, Wire,
};
pub use context_files::{ContextFile, ContextFiles, EarlierTurn, FileOrigin};
pub use effect::{Effect, EffectKind, Level};
pub use event::Event;
pub use evidence::{Claim, Evidence, RedGreenLine};
pub use failure::{Failure, FailureKind};
pub use fixer::{FIXED_FILES, FIXERS, Fixer};
pub use frame::{Delta, DeltaKind, Frame, VERSION};
pub use hook::{Hook, HookFormat, HookPoint, HookRun, Hooked};
pub use ids::{CallId, CommandId, ConversationId, ForkOrigin, MessageId, Money, Seq, Time, Tokens, WantId};
pub use intent::{Intent, IntentClass, IntentDecision, IntentScope, IntentSource};
pub use message::{Image, Message, Part, Reasoning, Role, Section, ToolChoice, Usage};
pub use permission::{
    ApprovalPolicy, CHECKS_RULE, CommandReach, Decision, FETCH_RULE, Keep, MCP_PREFIX, Mode, NETWORK_RULE, Rule,
    RuleAction, Rules, mcp_word,
};
pub use plan::{PLAN_STEPS, Plan, PlanFormError, PlanQuestion, PlanStep, StepEvidence, StepState};
pub use prefix::PrefixCause;
pub use problem::Problem;
pub use pruning::Pruning;
pub use repair::Repair;
pub use run::{BoxFuture, Exit, Job, Live, Network, Output, Rights, RunError, Runner, Running, Terminal};
pub use stop::{Gate, Stop};
pub use summary::{CheckLine, ReviewSummary, Summary};
pub use work::{AgentLimits, Effort, Finish, Limits, ModelFacts, Stage, Todo, TodoState, ToolFormat, Workflow};
