//! The example of the index's crate that measures it from within.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Result, ensure};
use serde_json::{Map, Value};

use crate::program::example;

/// What was measured of one tree.
pub type Row = Map<String, Value>;

/// The example, built for speed.
pub fn build() -> Result<PathBuf> {
    example("ox-index", "speed")
}

/// A tree of `size` files, made of those of `repo`, in `folder`.
pub fn multiplied(example: &Path, repo: &Path, folder: &Path, size: usize) -> Result<PathBuf> {
    let tree = folder.join("tree");
    let mut multiply = Command::new(example);
    multiply.arg("multiply").arg(repo).arg(&tree).arg(size.to_string());
    ensure!(multiply.status()?.success(), "the tree of {size} files was not made");
    Ok(tree)
}

/// Measures a tree.
pub fn measured(example: &Path, tree: &Path) -> Result<Row> {
    let output = Command::new(example).arg("measure").arg(tree).stderr(Stdio::inherit()).output()?;
    ensure!(output.status.success(), "the measurement of {} failed", tree.display());
    Ok(serde_json::from_slice(&output.stdout)?)
}
