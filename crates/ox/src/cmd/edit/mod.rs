//! `ox edit`: the edit engine for people and scripts. `apply` makes a patch's changes to the project, all of them or none;
//! `--batch` answers edits of texts, and touches no file.

mod apply;
mod batch;
mod told;

use clap::{Args, Subcommand};
use ox_protocol::Problem;

use crate::wire::Told;

/// Arguments of `ox edit`.
#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true)]
pub struct EditArgs {
    /// Read edits as JSON, one a line, from stdin, and print what becomes of each, one JSON object a line. No file is
    /// touched.
    #[arg(long)]
    batch: bool,
    #[command(subcommand)]
    what: Option<EditCommand>,
}

#[derive(Debug, Subcommand)]
enum EditCommand {
    /// Apply a patch from stdin to this project: a unified diff, `*** Begin Patch`, or SEARCH/REPLACE blocks.
    Apply(apply::ApplyArgs),
}

/// Applies a patch, or answers a batch.
pub fn run(args: EditArgs) -> anyhow::Result<u8> {
    match (args.what, args.batch) {
        (Some(EditCommand::Apply(args)), _) => apply::run(&args),
        (None, true) => batch::run(),
        (None, false) => Err(Told(Problem::new("usage.edit")).into()),
    }
}
