//! `ox redo`: the state before the last undo. Refused when the files have been changed since.

use clap::Args;
use ox_protocol::Problem;

use super::checkpoints::{self, Place, note, problem};
use crate::wire::Told;

/// Arguments of `ox redo`.
#[derive(Debug, Args)]
pub struct RedoArgs {
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

/// Goes forward.
pub fn run(args: RedoArgs) -> anyhow::Result<u8> {
    let place = checkpoints::open()?;
    let _lock = place.lock()?;
    let Place { checkpoints, language, .. } = place;
    let restored = checkpoints.redo(&note("ox redo")).map_err(problem)?;
    let restored = restored.ok_or_else(|| Told(Problem::new("redo.nothing")))?;
    checkpoints::told(&restored, args.json, language);
    Ok(0)
}
