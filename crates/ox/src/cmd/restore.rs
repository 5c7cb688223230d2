//! `ox restore`: the project, or some of its files, as they were at a checkpoint. What is there now is recorded first.

use clap::Args;

use super::checkpoints::{self, here};

/// Arguments of `ox restore`.
#[derive(Debug, Args)]
pub struct RestoreArgs {
    /// Checkpoint id, or its beginning.
    id: String,
    /// Files and folders to restore; the whole project by default.
    paths: Vec<String>,
    /// Show what would change, and change nothing.
    #[arg(long)]
    dry_run: bool,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

/// Puts back.
pub fn run(args: RestoreArgs) -> anyhow::Result<u8> {
    let (states, language) = checkpoints::open()?;
    let to = states.get(&args.id)?;
    let paths: Vec<String> = args.paths.iter().map(|it| here(it)).collect();
    if args.dry_run {
        checkpoints::would(&to, &states.would_restore(&to, &paths)?, args.json, language);
        return Ok(0);
    }
    checkpoints::reported(&states.restore(&to, &paths)?, args.json, language);
    Ok(0)
}
