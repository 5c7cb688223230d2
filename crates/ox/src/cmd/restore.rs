//! `ox restore`: the project, or some of its files, as they were at a checkpoint. What is there now is recorded first.

use clap::Args;
use ox_repo::Point;

use super::checkpoints::{self, Place, here, note, problem};

/// Arguments of `ox restore`.
#[derive(Debug, Args)]
pub struct RestoreArgs {
    /// The checkpoint, or the beginning of its id.
    id: String,
    /// Files and folders; the whole project by default.
    paths: Vec<String>,
    /// Only tell what would change.
    #[arg(long)]
    dry_run: bool,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

/// Puts back.
pub fn run(args: RestoreArgs) -> anyhow::Result<u8> {
    let place = checkpoints::open()?;
    let _lock = place.lock()?;
    let Place { checkpoints, language, .. } = place;
    let to = checkpoints.find(&args.id).map_err(problem)?;
    let paths: Vec<String> = args.paths.iter().map(|it| here(it)).collect();
    if args.dry_run {
        let at = || Point::At(to.id.clone());
        let mut files = Vec::new();
        for path in &paths {
            files.extend(checkpoints.diff(&Point::Now, &at(), Some(path)).map_err(problem)?);
        }
        if paths.is_empty() {
            files = checkpoints.diff(&Point::Now, &at(), None).map_err(problem)?;
        }
        checkpoints::would(&to, &files, args.json, language);
        return Ok(0);
    }
    let restored = checkpoints.restore(&to.id, &paths, &note("ox restore")).map_err(problem)?;
    checkpoints::told(&restored, args.json, language);
    Ok(0)
}
