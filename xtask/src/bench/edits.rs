//! The edit engine on recorded edits: `cargo xtask bench edits --corpus PATH [--vs] [--show ID|CATEGORY]`.
//!
//! The measuring itself is an example of the engine's crate, so that this program stays free of our crates; here it is
//! only built for speed and run.

use anyhow::{Context, Result};

use crate::workspace::cargo;

/// Runs the measurement; false if a limit was missed.
pub fn run(args: &[String]) -> Result<bool> {
    let mut measure = cargo();
    measure.args(["run", "--quiet", "--release", "--package", "ox-edit", "--example", "edits", "--"]).args(args);
    Ok(measure.status().context("measuring the edit engine")?.success())
}
