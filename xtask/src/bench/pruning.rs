//! Prunings over long sessions: `cargo xtask bench pruning [--logs DIR]`, where DIR holds exported conversations (JSON).
//!
//! The measuring itself is an example of the context crate, so that this program stays free of our crates; here it is
//! only built for speed and run.

use anyhow::{Context, Result};

use crate::workspace::cargo;

/// Runs the measurement; false if something pinned was lost or a pruning took too long.
pub fn run(args: &[String]) -> Result<bool> {
    let mut measure = cargo();
    measure.args(["run", "--quiet", "--release", "--package", "ox-context", "--example", "pruning", "--"]).args(args);
    Ok(measure.status().context("measuring prunings")?.success())
}
