//! What a sandboxed start costs over a plain one, and over bubblewrap's.
//!
//! The starting itself is an example of the sandbox's crate, so that this program stays free of our crates. It is put beside
//! a copy of the release binary of Ox, because that is what serves as the helper for users, with all its weight.

use std::fs;
use std::process::Command;

use anyhow::{Context, Result, ensure};

use super::agent_loop;
use crate::workspace::cargo;

/// Milliseconds that the walls may add to the median of a start.
const LIMIT: f64 = 8.0;

/// Measures and prints; false if the limit was missed.
pub fn run(rounds: usize) -> Result<bool> {
    let ox = agent_loop::build()?;
    let mut build = cargo();
    build.args(["build", "--release", "--package", "ox-sandbox", "--example", "spawn"]);
    ensure!(build.status().context("building the starter")?.success(), "the starter does not build");
    let example = ox.with_file_name("examples").join("spawn");
    let folder = tempfile::tempdir_in(ox.parent().context("a program lies in a folder")?)?;
    fs::copy(&ox, folder.path().join("ox-sandbox-helper"))?;
    fs::copy(&example, folder.path().join("spawn"))?;
    let mut spawn = Command::new(folder.path().join("spawn"));
    let output = spawn.arg(rounds.to_string()).current_dir(folder.path()).output().context("starting processes")?;
    ensure!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let medians: serde_json::Map<String, serde_json::Value> = serde_json::from_slice(&output.stdout)?;
    let of = |name: &str| medians.get(name).and_then(serde_json::Value::as_f64);
    let (plain, walls) = of("plain").zip(of("ox")).context("both ways were measured")?;
    println!("start of `true`, median of {rounds} rounds");
    for (name, value) in &medians {
        let value = value.as_f64().unwrap_or(f64::NAN);
        println!("  {name:<12} {value:>7.2} ms  {:>+7.2} ms  {:>5.2} × plain", value - plain, value / plain);
    }
    if let Some(peer) = of("bubblewrap") {
        println!("  ox / bubblewrap: {:.2}", walls / peer);
    }
    let kept = walls - plain <= LIMIT;
    println!("  limit: {LIMIT} ms over plain: {}", if kept { "kept" } else { "MISSED" });
    Ok(kept)
}
