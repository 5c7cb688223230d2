//! What safety costs: `cargo xtask bench sandbox [--rounds N]`: a sandboxed start over a plain one and over bubblewrap's, and
//! checkpoints of a tree of 10,000 files beside git on the same tree.
//!
//! Starting and checkpointing are examples of their crates. The starter is put beside a copy of the release binary of Ox,
//! because that is what serves as the helper for users, with all its weight.

use std::fs;
use std::process::Command;

use anyhow::{Context, Result, ensure};
use serde_json::{Map, Value};

use crate::program::{example, ox, run_example};

/// Milliseconds that the sandbox may add to the median of a start.
const LIMIT: f64 = 8.0;

/// How much is measured.
#[derive(clap::Args)]
pub struct Options {
    /// Rounds of each measurement that is a median.
    #[arg(long, default_value_t = 200)]
    rounds: usize,
}

/// Runs both parts; false if a limit was missed.
pub fn run(options: &Options) -> Result<bool> {
    // Each part is measured whatever became of the one before.
    let spawn = spawn(options.rounds)?;
    Ok(run_example("ox-repo", "checkpoints", &[options.rounds.to_string()])? && spawn)
}

/// Measures starts and prints; false if the limit was missed.
fn spawn(rounds: usize) -> Result<bool> {
    let ox = ox(None)?;
    let example = example("ox-sandbox", "spawn")?;
    let folder = tempfile::tempdir_in(ox.parent().context("a program lies in a folder")?)?;
    fs::copy(&ox, folder.path().join("ox-sandbox-helper"))?;
    fs::copy(&example, folder.path().join("spawn"))?;
    let mut spawn = Command::new(folder.path().join("spawn"));
    let output = spawn.arg(rounds.to_string()).current_dir(folder.path()).output().context("starting processes")?;
    ensure!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let medians: Map<String, Value> = serde_json::from_slice(&output.stdout)?;
    let of = |name: &str| medians.get(name).and_then(Value::as_f64);
    let (plain, sandboxed) = of("plain").zip(of("ox")).context("both ways were measured")?;
    println!("start of `true`, median of {rounds} rounds");
    for (name, value) in &medians {
        let value = value.as_f64().unwrap_or(f64::NAN);
        println!("  {name:<12} {value:>7.2} ms  {:>+7.2} ms  {:>5.2} × plain", value - plain, value / plain);
    }
    if let Some(peer) = of("bubblewrap") {
        println!("  ox / bubblewrap: {:.2}", sandboxed / peer);
    }
    let kept = sandboxed - plain <= LIMIT;
    println!("  limit: {LIMIT} ms over plain: {}", if kept { "kept" } else { "MISSED" });
    Ok(kept)
}
