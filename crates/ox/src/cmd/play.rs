//! `ox play ID`: a stored conversation as if it happened now.

use std::io::{ErrorKind, IsTerminal};
use std::time::Duration;

use clap::Args;
use ox_app::conversations::stored::Conversations;
use ox_app::{Project, ProjectOptions, project};
use ox_ui::{TerminalOptions, UiError};

use super::shared;

/// Arguments of `ox play`.
#[derive(Debug, Args)]
pub struct PlayArgs {
    /// Conversation: its id, the beginning of its id, or its name.
    id: String,
    /// How many times as fast as it was; 0 shows everything at once.
    #[arg(long, value_name = "N", default_value_t = 1.0)]
    speed: f64,
}

/// Plays it; Ctrl-C ends it.
pub fn run(args: PlayArgs) -> anyhow::Result<u8> {
    let stored = Conversations::open()?;
    let frames = stored.frames(&stored.find(&args.id)?.id)?;
    let project = Project::open(&project::current_folder()?, ProjectOptions::default())?;
    let mut options = TerminalOptions::detect(&project, env!("CARGO_PKG_VERSION"));
    if !std::io::stdout().is_terminal() {
        options = options.plain();
    }
    let runtime = shared::runtime()?;
    let played = runtime.block_on(async {
        tokio::select! {
            played = ox_ui::play(&frames, args.speed, &options) => Some(played),
            _ = tokio::signal::ctrl_c() => None,
        }
    });
    runtime.shutdown_timeout(Duration::ZERO);
    Ok(match played {
        // Whoever read it has seen enough.
        Some(Err(UiError::Terminal(error))) if error.kind() == ErrorKind::BrokenPipe => 0,
        Some(played) => played.map(|()| 0)?,
        None => 130,
    })
}
