//! Whether the adapters for other people's harnesses install, run, time out and collect: `cargo xtask bench harness`.

use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context, Result};

use crate::program::{debug_ox, root};

/// What is run in the harnesses.
#[derive(clap::Args)]
pub struct Options {
    /// A binary to take instead of building one.
    #[arg(long)]
    ox: Option<PathBuf>,
}

/// Runs the adapters' own tests; true if all passed.
pub fn run(options: &Options) -> Result<bool> {
    let script = root().join("bench/harness/test");
    let status = Command::new(&script).arg(debug_ox(options.ox.as_ref())?).status();
    Ok(status.with_context(|| format!("starting {}", script.display()))?.success())
}
