//! Arguments that several commands share, and what they mean for the configuration.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use ox_protocol::{Approval, Layer, LimitsLayer, Mode, Preset, Problem, RulesLayer};

use crate::wire;

/// What a turn may do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ModeArg {
    /// What the turn itself turns out to be; the default.
    Auto,
    /// Questions about the code; read-only.
    Chat,
    /// A plan; read-only.
    Plan,
    /// A change: nothing less ends the turn.
    Build,
}

/// How much is done unasked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ApprovalArg {
    /// Everything that changes something is asked.
    Ask,
    /// Edits are made unasked.
    AcceptEdits,
    /// Whatever the sandbox makes harmless is done unasked.
    Auto,
}

/// Which models take which part, and how large the budgets are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum PresetArg {
    /// Small models for the small parts, small budgets.
    Lite,
    /// Strong models for the hard parts, large budgets.
    Pro,
}

/// What shapes a turn.
#[derive(Clone, Debug, Default, Args)]
pub struct TurnArgs {
    /// What the turn may do.
    #[arg(long, value_enum)]
    pub mode: Option<ModeArg>,
    /// How much is done unasked.
    #[arg(long, value_enum)]
    pub approval: Option<ApprovalArg>,
    /// Allow a tool unasked: `run_checks`, `run_command(cargo test*)`. May be repeated.
    #[arg(long, value_name = "RULE")]
    pub allow: Vec<String>,
    /// Let the project's own settings count for this run, whether or not its folder is trusted.
    #[arg(long)]
    pub trust: bool,
    /// Change only files that match. May be repeated.
    #[arg(long, value_name = "GLOB")]
    pub scope: Vec<String>,
    /// Work in a further folder too. May be repeated.
    #[arg(long, value_name = "DIR")]
    pub add_dir: Vec<PathBuf>,
    /// The model, as PROVIDER/MODEL.
    #[arg(long, value_name = "PROVIDER/MODEL")]
    pub model: Option<String>,
    /// Which models take which part, and how large the budgets are.
    #[arg(long, value_enum)]
    pub preset: Option<PresetArg>,
    /// Endpoint to use instead of the provider's own.
    #[arg(long, value_name = "URL")]
    pub base_url: Option<String>,
    /// With `--model manual`: exchange requests and replies as files in this folder.
    #[arg(long, value_name = "DIR")]
    pub manual_dir: Option<PathBuf>,
    /// Record the model's traffic to this file.
    #[arg(long, value_name = "FILE")]
    pub record: Option<PathBuf>,
    /// Attach a picture, a PDF document or a text. May be repeated.
    #[arg(long, value_name = "PATH")]
    pub image: Vec<PathBuf>,
    /// Name of a new conversation.
    #[arg(long, value_name = "NAME")]
    pub name: Option<String>,
    /// Limit of model requests.
    #[arg(long, value_name = "N")]
    pub max_turns: Option<u32>,
    /// Token budget.
    #[arg(long, value_name = "N")]
    pub max_tokens: Option<u64>,
    /// Cost budget in US dollars.
    #[arg(long, value_name = "USD")]
    pub max_cost: Option<f64>,
    /// Time budget, such as `10m`.
    #[arg(long, value_name = "DURATION")]
    pub max_time: Option<String>,
}

impl TurnArgs {
    /// Opens the project for a task. Where `asks`, whoever sits at a terminal is asked about settings of the project that
    /// nobody has trusted; with `--trust` they count for this run.
    pub fn opening(&self, asks: bool) -> anyhow::Result<wire::Opening> {
        if self.trust {
            wire::trust_this_run();
        }
        let open = if asks { wire::opening_asking } else { wire::opening };
        let opening = open(self.layer(), &self.add_dir)?;
        super::trust::say_wide(&opening);
        Ok(opening)
    }

    /// The arguments as the last layer of configuration.
    pub fn layer(&self) -> Layer {
        let mode = |it| match it {
            ModeArg::Auto => Mode::Auto,
            ModeArg::Chat => Mode::Chat,
            ModeArg::Plan => Mode::Plan,
            ModeArg::Build => Mode::Build,
        };
        let approval = |it| match it {
            ApprovalArg::Ask => Approval::Ask,
            ApprovalArg::AcceptEdits => Approval::AcceptEdits,
            ApprovalArg::Auto => Approval::Auto,
        };
        let preset = |it| match it {
            PresetArg::Lite => Preset::Lite,
            PresetArg::Pro => Preset::Pro,
        };
        Layer {
            model: self.model.clone(),
            preset: self.preset.map(preset),
            base_url: self.base_url.clone(),
            mode: self.mode.map(mode),
            approval: self.approval.map(approval),
            scope: (!self.scope.is_empty()).then(|| self.scope.clone()),
            rules: RulesLayer { allow: self.allow.clone(), ..RulesLayer::default() },
            limits: LimitsLayer {
                max_turns: self.max_turns,
                max_tokens: self.max_tokens,
                max_cost: self.max_cost,
                max_time: self.max_time.clone(),
                ..LimitsLayer::default()
            },
            ..Layer::default()
        }
    }
}

/// Reads the images that were named on the command line.
pub fn images(paths: &[PathBuf]) -> Result<Vec<ox_protocol::Image>, Problem> {
    paths.iter().map(|path| wire::image(path)).collect()
}
