//! The one schema of configuration (U9). Every key is optional in every layer; layers are merged by `agent`.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{Approval, CheckKind, HookPoint, Mode, ToolFormat};

/// One layer of configuration: the user's file, the project's file, the environment or the flags.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Layer {
    /// The model to use, as `provider/model`.
    pub model: Option<String>,
    /// Endpoint that replaces the provider's own. User, environment and flags only.
    pub base_url: Option<String>,
    /// Default mode of an untyped task.
    pub mode: Option<Mode>,
    /// How much is done unasked.
    pub approval: Option<Approval>,
    /// Which checks must pass before a turn is done.
    pub verification: Option<Verification>,
    /// `en` or `zh`; by default from the environment.
    pub language: Option<String>,
    /// Terminal colours: `auto`, `dark`, `light` or `none`.
    pub theme: Option<String>,
    /// Globs that edits must stay within.
    pub scope: Option<Vec<String>>,
    /// Permission rules.
    pub rules: RulesLayer,
    /// Commands that run at certain moments and may object. Count only in a trusted project.
    pub hooks: Option<Vec<HookConfig>>,
    /// How commands are isolated. User file, environment and flags only.
    pub sandbox: SandboxLayer,
    /// Limits of a turn.
    pub limits: LimitsLayer,
    /// The project's checks; replaces discovery when present.
    pub checks: Option<Vec<CheckConfig>>,
    /// Providers by name. User file only.
    pub providers: BTreeMap<String, ProviderLayer>,
    /// What is known of models, by `provider/model`. User file only.
    pub models: BTreeMap<String, ModelLayer>,
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

/// Limits of a turn; see `Limits` for their meaning and defaults.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct LimitsLayer {
    /// Iterations.
    pub max_turns: Option<u32>,
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
