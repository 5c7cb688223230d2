//! What checkpoints cost on a tree of 10,000 files, beside git on the same tree.
//!
//! The measuring itself is an example of the crate that makes them, so that this program stays free of our crates.

use anyhow::{Context, Result};

use crate::workspace::cargo;

/// Runs the measurement; false if a limit was missed.
pub fn run(rounds: usize) -> Result<bool> {
    let mut measure = cargo();
    measure.args(["run", "--quiet", "--release", "--package", "ox-repo", "--example", "checkpoints", "--"]);
    Ok(measure.arg(rounds.to_string()).status().context("measuring checkpoints")?.success())
}
