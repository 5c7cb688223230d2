//! The one schema of configuration. Every key is optional in every layer; layers are merged by `config`.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{ApprovalPolicy, CheckKind, Effort, HookPoint, Mode, ToolFormat};

/// One layer of configuration: the user's file, the project's file, the environment or the flags.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Layer {
    /// The model to use, as `provider/model`.
    pub model: Option<String>,
    /// How much the models reason; the providers' own default when absent. User, environment and flags only.
    pub effort: Option<Effort>,
    /// Endpoint that replaces the provider's own. User, environment and flags only.
    pub base_url: Option<String>,
    /// Which models take which part, and how large the budgets are. User, environment and flags only.
    pub preset: Option<Preset>,
    /// Models to go on with, in this order, where the model cannot be had. User, environment and flags only.
    pub fallback: Option<Vec<String>>,
    /// Models of single parts of the work. User file, environment and flags only.
    pub roles: RolesLayer,
    /// How long an endpoint may take. User file, environment and flags only.
    pub timeouts: TimeoutsLayer,
    /// Default mode of an untyped task.
    pub mode: Option<Mode>,
    /// How much is done unasked.
    pub approval: Option<ApprovalPolicy>,
    /// Which checks must pass before a turn is done.
    pub verification: Option<Verification>,
    /// When a reviewer looks at a change before a turn is done.
    pub review: Option<ReviewPolicy>,
    /// `en` or `zh`; by default from the environment.
    pub language: Option<String>,
    /// Terminal colours: `auto`, `dark`, `light`, `16` (the terminal's own palette) or `none`.
    pub theme: Option<String>,
    /// How the terminal is used. User file and environment only.
    pub terminal: TerminalLayer,
    /// Keys of the terminal, separated by blanks, by what they do. User file only.
    pub keys: BTreeMap<String, String>,
    /// How a conversation in a terminal is shown.
    pub screen: Option<ScreenMode>,
    /// Globs that edits must stay within.
    pub scope: Option<Vec<String>>,
    /// Permission rules.
    pub rules: RulesLayer,
    /// Commands that run at certain moments and may object. Count only in a trusted project.
    pub hooks: Option<Vec<HookConfig>>,
    /// Traces and metrics for a collector. User file, environment and flags only.
    pub telemetry: TelemetryLayer,
    /// How commands are isolated. User file, environment and flags only.
    pub sandbox: SandboxLayer,
    /// Limits of a turn.
    pub limits: LimitsLayer,
    /// How far sub-agents may go.
    pub agents: AgentsLayer,
    /// What a model is shown of the conversation.
    pub context: ContextLayer,
    /// What is known of the code and the documents.
    pub index: IndexLayer,
    /// The project's checks; replaces discovery when present.
    pub checks: Option<Vec<CheckConfig>>,
    /// The project's fixers; replaces discovery when present, also when empty.
    pub fixers: Option<Vec<FixerConfig>>,
    /// Providers by name. User file only.
    pub providers: BTreeMap<String, ProviderLayer>,
    /// What is known of models, by `provider/model`. User file only.
    pub models: BTreeMap<String, ModelLayer>,
    /// What searches the web. User file only.
    pub web_search: WebSearchLayer,
    /// Git hosts of one's own, by the name that remotes have for them. User file only.
    pub git_hosts: BTreeMap<String, GitHostLayer>,
}

/// How the terminal is used.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct TerminalLayer {
    /// Columns of characters that are wide in East Asian fonts alone: `auto`, `narrow` or `wide`.
    pub ambiguous_width: Option<String>,
    /// `full`, or `reduced`: nothing is animated.
    pub motion: Option<String>,
    /// True for plain lines that are never redrawn, for a screen reader.
    pub screen_reader: Option<bool>,
    /// How what is typed is edited: `emacs` or `vi`.
    pub editing_mode: Option<String>,
    /// A command that prints the line below the prompt.
    pub status_line: Option<String>,
}

/// Traces and metrics for a collector of OpenTelemetry.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct TelemetryLayer {
    /// Where the collector takes OTLP over HTTP, for example `http://localhost:4318`; nothing is sent without it.
    pub endpoint: Option<String>,
}

/// Permission rules as text, see `Rule`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct RulesLayer {
    /// Done unasked. User file and flags only.
    pub allow: Vec<String>,
    /// Asked.
    pub ask: Vec<String>,
    /// Never done.
    pub deny: Vec<String>,
}

/// How a conversation in a terminal is shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ScreenMode {
    /// In the terminal's own scrollback.
    #[default]
    Inline,
    /// In a view of its own that fills the screen.
    Fullscreen,
}

impl ScreenMode {
    /// As it is written.
    pub fn name(self) -> &'static str {
        match self {
            ScreenMode::Inline => "inline",
            ScreenMode::Fullscreen => "fullscreen",
        }
    }
}

/// When a reviewer looks at a turn's change before its end.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ReviewPolicy {
    /// Never; also what older logs mean, which say nothing of it.
    #[default]
    Off,
    /// Where the change is broad.
    Auto,
    /// At every change.
    Always,
}

impl ReviewPolicy {
    /// True where none ever looks.
    pub fn is_off(&self) -> bool {
        *self == ReviewPolicy::Off
    }
}

/// What becomes of the edits of a failed attempt at a task.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum RepairEdits {
    /// The next attempt goes on from them.
    #[default]
    Keep,
    /// They are taken back first.
    Undo,
}

/// Limits of a turn; see `Limits` for their meaning and defaults.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct LimitsLayer {
    /// Model requests.
    pub max_iterations: Option<u32>,
    /// Token budget of a turn.
    pub max_tokens: Option<u64>,
    /// Cost budget of a turn in US dollars.
    pub max_cost: Option<f64>,
    /// Time budget of a turn, for example `10m`.
    pub max_time: Option<String>,
    /// Rounds of repair after failing checks.
    pub check_rounds: Option<u32>,
    /// Refusals by stop hooks.
    pub stop_hook_retries: Option<u32>,
    /// Further attempts at a task after one that failed.
    pub repair_attempts: Option<u32>,
    /// What becomes of the edits of a failed attempt: `keep` or `undo`.
    pub repair_edits: Option<RepairEdits>,
    /// Tasks that are remembered from one conversation to the next, 10 by default.
    pub memory_tasks: Option<u32>,
}

/// How far sub-agents may go, see `AgentLimits`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct AgentsLayer {
    /// Sub-agents below one another, 1 by default; 0 for none.
    pub depth: Option<u32>,
    /// Sub-agents side by side, 4 by default.
    pub parallel: Option<u32>,
    /// Sub-agents that a turn may start, 12 by default.
    pub per_turn: Option<u32>,
    /// Model requests of one of them, 30 by default.
    pub iterations: Option<u32>,
}

/// Models of single parts of the work, each as `provider/model`. A part that is not named is done by the main model.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct RolesLayer {
    /// Plans.
    pub planner: Option<String>,
    /// Sums up what leaves the window.
    pub summary: Option<String>,
    /// Says what a prompt asks for, in mode `auto`.
    pub router: Option<String>,
    /// Diagnoses a failed attempt before the next one.
    pub repair: Option<String>,
    /// What sub-agents do whose kind names no model.
    pub agent: Option<String>,
    /// Reviews a change before a turn is done.
    pub review: Option<String>,
    /// Turns text into vectors.
    pub embedding: Option<String>,
    /// Makes pictures.
    pub image: Option<String>,
}

/// How long an endpoint may take, each a length of time such as `30s`. What is not named depends on the provider.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct TimeoutsLayer {
    /// Until the connection stands.
    pub connect: Option<String>,
    /// Until the first byte of the answer.
    pub first_byte: Option<String>,
    /// Between two pieces of the answer.
    pub idle: Option<String>,
}

/// What a model is shown of the conversation.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct ContextLayer {
    /// Latest iterations that pruning leaves as they are, 2 by default.
    pub keep_iterations: Option<u32>,
    /// Tokens that code from the index may take in a prompt; by default 800 for a window of 128K and less for a smaller one.
    pub tokens: Option<u32>,
}

/// What is known of the code and the documents.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct IndexLayer {
    /// Folder that the index is kept in, absolute or below `~/`. User file, environment and flags only.
    pub cache: Option<String>,
    /// `auto`, `off`, the name of a pulled model, or `provider/model`. User file, environment and flags only.
    pub embeddings: Option<String>,
    /// Further folders of documents; relative ones lie in the project. A project names only such.
    pub docs: Option<Vec<String>>,
    /// Addresses of document servers, by a name of one's own. User file only.
    pub rag: BTreeMap<String, String>,
}

/// A hook, see `Hook`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct HookConfig {
    /// When it runs.
    pub at: HookPoint,
    /// The shell command line.
    pub command: String,
    /// Tools that it is about; all where none is named.
    #[serde(default)]
    pub tools: Vec<String>,
    /// Time limit in seconds, 10 by default.
    #[serde(default)]
    pub timeout: Option<u64>,
}

/// How commands are isolated.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct SandboxLayer {
    /// `auto`, `linux`, `docker`, `podman` or `none`; `auto` by default.
    pub backend: Option<String>,
    /// Image that a container is made from.
    pub image: Option<String>,
    /// Memory of a command in MiB, 2048 by default.
    pub memory: Option<u64>,
    /// Processes of a command, 256 by default.
    pub processes: Option<u32>,
    /// Hosts that commands may speak to; none by default.
    pub hosts: Option<Vec<String>>,
    /// Further folders that commands may write, for example a package cache.
    pub write: Option<Vec<String>>,
}

/// One check of the project.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CheckConfig {
    /// The shell command line.
    pub command: String,
    /// What it verifies; `test` by default.
    #[serde(default)]
    pub kind: Option<CheckKind>,
    /// Short name; the command by default.
    #[serde(default)]
    pub name: Option<String>,
    /// Time limit in seconds.
    #[serde(default)]
    pub timeout: Option<u64>,
}

/// A configured fixer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FixerConfig {
    /// The shell command line, with `{files}` for the changed files.
    pub command: String,
    /// Globs of the files that it may fix; all by default.
    #[serde(default)]
    pub files: Vec<String>,
    /// Short name; the command by default.
    #[serde(default)]
    pub name: Option<String>,
    /// Time limit in seconds.
    #[serde(default)]
    pub timeout: Option<u64>,
}

/// A provider.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct ProviderLayer {
    /// Wire format.
    pub wire: Option<Wire>,
    /// Endpoint, for example `http://localhost:8000/v1`.
    pub base_url: Option<String>,
    /// Name of the environment variable that holds the key.
    pub key_env: Option<String>,
    /// The key itself.
    pub key: Option<String>,
}

/// What is known of a model.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct ModelLayer {
    /// Window in tokens.
    pub window: Option<u64>,
    /// Longest reply in tokens.
    pub max_output: Option<u64>,
    /// True where it reasons before it answers.
    pub reasons: Option<bool>,
    /// How it calls tools.
    pub tools: Option<ToolFormat>,
    /// US dollars per million input tokens.
    pub input_price: Option<f64>,
    /// US dollars per million cached input tokens.
    pub cached_price: Option<f64>,
    /// US dollars per million output tokens.
    pub output_price: Option<f64>,
}

/// What searches the web.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct WebSearchLayer {
    /// Who answers: `brave`, `tavily`, `searxng`, or `mcp` for a tool of an MCP server.
    pub provider: Option<String>,
    /// The address of the service; by default that of the provider.
    pub url: Option<String>,
    /// Name of the environment variable that holds the key.
    pub key_env: Option<String>,
    /// With `mcp`: the server and its tool, as `SERVER/TOOL`.
    pub tool: Option<String>,
}

/// A git host.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct GitHostLayer {
    /// What it runs: `github`, `gitlab`, `gitea` or `forgejo`.
    pub kind: Option<String>,
    /// The address of its REST interface, for example `https://git.example.org/api/v1`; by default that of its kind on the host.
    pub api: Option<String>,
    /// Name of the environment variable that holds the token.
    pub token_env: Option<String>,
}

/// A provider's wire format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Wire {
    /// OpenAI chat completions and whatever is compatible with it.
    OpenaiChat,
    /// OpenAI Responses.
    OpenaiResponses,
    /// Anthropic Messages.
    Anthropic,
    /// Gemini's `streamGenerateContent`.
    Gemini,
}

/// Which models take which part, and how large the budgets are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Preset {
    /// Small models for the small parts, small budgets.
    Lite,
    /// Strong models for the hard parts, large budgets.
    Pro,
}

/// Which checks must pass before a turn is done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Verification {
    /// All of them.
    #[default]
    Full,
    /// Type checks and lints only.
    Types,
    /// None.
    Off,
}
