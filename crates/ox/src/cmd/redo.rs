//! `ox redo`: the state before the last undo. Refused when the files have been changed since.

use clap::Args;
use ox_protocol::Problem;

use super::checkpoints;

/// Arguments of `ox redo`.
#[derive(Debug, Args)]
pub struct RedoArgs {
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

/// Goes forward.
pub fn run(args: RedoArgs) -> anyhow::Result<u8> {
    let (states, language) = checkpoints::open()?;
    let restored = states.redo()?.ok_or_else(|| Problem::new("redo.nothing"))?;
    checkpoints::reported(&restored, args.json, language);
    Ok(0)
}
