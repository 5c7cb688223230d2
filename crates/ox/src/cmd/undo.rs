//! `ox undo`: the state before the last turn that changed something. What is there now is recorded first.

use clap::Args;
use ox_protocol::Problem;
use ox_repo::Point;

use super::checkpoints::{self, Place, note, problem};
use crate::wire::Told;

/// Arguments of `ox undo`.
#[derive(Debug, Args)]
pub struct UndoArgs {
    /// Only tell what would change.
    #[arg(long)]
    dry_run: bool,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

/// Goes back.
pub fn run(args: UndoArgs) -> anyhow::Result<u8> {
    let Place { checkpoints, language, .. } = checkpoints::open()?;
    let nothing = || Told(Problem::new("undo.nothing"));
    if args.dry_run {
        let to = checkpoints.undo_target().map_err(problem)?.ok_or_else(nothing)?;
        let files = checkpoints.diff(&Point::Now, &Point::At(to.id.clone()), None).map_err(problem)?;
        checkpoints::would(&to, &files, args.json, language);
        return Ok(0);
    }
    let restored = checkpoints.undo(&note("ox undo")).map_err(problem)?.ok_or_else(nothing)?;
    checkpoints::told(&restored, args.json, language);
    Ok(0)
}
