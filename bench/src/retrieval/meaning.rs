//! What embeddings add: the same cases in the same run, with a model's vectors of every commit and without.
//!
//! The model is taken from a folder; its vectors are made by `ox index` before a case is asked, and stay in the scratch folder,
//! so that a commit costs what differs from the one before. Nothing is fetched.

use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};
use serde_json::Value;

/// What the model is called in the home of the measurement.
pub const MODEL: &str = "measured";

/// What making vectors has cost so far.
#[derive(Clone, Copy, Debug, Default)]
pub struct Spent {
    /// Chunks that got vectors.
    pub chunks: u64,
    /// How long that took, in seconds of wall time.
    pub seconds: f64,
}

impl Spent {
    /// A line of figures.
    pub fn text(&self) -> String {
        let rate = self.chunks as f64 / self.seconds.max(1e-3);
        format!("vectors: {} chunks in {:.0} s, {rate:.1} chunks/s", self.chunks, self.seconds)
    }
}

/// Takes the model in `folder` into the home of the measurement.
pub fn pull(program: &Path, scratch: &Path, folder: &Path) -> Result<()> {
    let mut ox = ox(program, scratch)?;
    ox.args(["models", "pull", MODEL, "--from"]).arg(folder).stdout(Stdio::null());
    if !ox.status().context("starting ox")?.success() {
        bail!("the model in {} cannot be used", folder.display());
    }
    Ok(())
}

/// Makes the vectors of what is laid out in `tree`.
pub fn fill(program: &Path, scratch: &Path, tree: &Path, spent: &mut Spent) -> Result<()> {
    let mut ox = ox(program, scratch)?;
    ox.args(["index", "--embeddings", "--json"]).current_dir(tree).env("OX_EMBEDDINGS", MODEL);
    let reported = ox.output().context("starting ox")?;
    let report: Value = serde_json::from_slice(&reported.stdout).unwrap_or_default();
    let made = &report["embeddings"];
    if !reported.status.success() || made["left"] != 0 {
        bail!("the vectors of {} were not made: {}", tree.display(), String::from_utf8_lossy(&reported.stderr));
    }
    let chunks = made["made"].as_u64().unwrap_or(0);
    spent.chunks += chunks;
    spent.seconds += if chunks > 0 { made["seconds"].as_f64().unwrap_or(0.0) } else { 0.0 };
    Ok(())
}

/// `ox` with nothing of the user's own settings.
fn ox(program: &Path, scratch: &Path) -> Result<Command> {
    let home = scratch.join("home");
    std::fs::create_dir_all(&home)?;
    let mut ox = Command::new(program);
    ox.env("OX_HOME", &home);
    Ok(ox)
}
