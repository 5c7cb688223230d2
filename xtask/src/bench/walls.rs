//! What safety costs: `cargo xtask bench walls [--rounds N]`.

use anyhow::{Context, Result, bail};

use super::{walls_checkpoints, walls_spawn};

/// Rounds of each measurement that is a median.
const ROUNDS: usize = 200;

/// Runs all parts; false if a limit was missed.
pub fn run(args: &[String]) -> Result<bool> {
    let rounds = match args {
        [] => ROUNDS,
        [option, count] if option == "--rounds" => count.parse().context("--rounds takes a number")?,
        _ => bail!("usage: cargo xtask bench walls [--rounds N]"),
    };
    // Each part is measured whatever became of the one before.
    let spawn = walls_spawn::run(rounds)?;
    Ok(walls_checkpoints::run(rounds)? && spawn)
}
