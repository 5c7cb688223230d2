//! `ox edit`: the edit engine for people and scripts. `apply` makes a patch's changes to the project, all of them or none;
//! `--batch` answers edits of texts, and touches no file.

mod apply;
mod batch;
mod reported;

use clap::{Args, Subcommand};
use ox_protocol::Problem;

/// Arguments of `ox edit`.
#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true)]
pub struct EditArgs {
    /// Read edits as JSON lines from stdin and print the result of each as a JSON line. No file is changed.
    #[arg(long, hide = true)]
    batch: bool,
    #[command(subcommand)]
    what: Option<EditCommand>,
}

#[derive(Debug, Subcommand)]
enum EditCommand {
    /// Apply a patch from stdin: a unified diff, `*** Begin Patch`, or SEARCH/REPLACE blocks.
    Apply(apply::ApplyArgs),
}

/// Applies a patch, or answers a batch.
pub fn run(args: EditArgs) -> anyhow::Result<u8> {
    match (args.what, args.batch) {
        (Some(EditCommand::Apply(args)), _) => apply::run(&args),
        (None, true) => batch::run(),
        (None, false) => Err(Problem::new("usage.edit").into()),
    }
}
