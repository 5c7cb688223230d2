//! `ox scenario ID > FILE`: a stored conversation as a scenario, which replays it as a test.

use clap::Args;
use ox_app::conversations::stored::Conversations;

use super::print::out;

/// Arguments of `ox scenario`.
#[derive(Debug, Args)]
pub struct ScenarioArgs {
    /// Conversation: its id, the beginning of its id, or its name.
    id: String,
}

/// Writes it to standard output.
pub fn run(args: ScenarioArgs) -> anyhow::Result<u8> {
    let stored = Conversations::open()?;
    let frames = stored.frames(&stored.find(&args.id)?.id)?;
    out(ox_scenario::from_log(&frames).trim_end());
    Ok(0)
}
