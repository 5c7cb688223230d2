//! How soon `ox context` answers in a project of 200 files: with no index yet, and with one.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use anyhow::{Context, Result, ensure};

use super::example::multiplied;
use crate::program::ox;

/// Files, and the milliseconds that gathering may take.
const FILES: usize = 200;
const LIMIT: f64 = 200.0;
/// How often each is measured.
const RUNS: usize = 5;
const TASK: &str = "the parser reports a wrong line for errors in nested files";

/// Prints both; each limit that was missed.
pub fn run(example: &Path, repo: &Path, given: Option<&PathBuf>) -> Result<Vec<String>> {
    let ox = ox(given)?;
    let folder = tempfile::tempdir()?;
    let tree = multiplied(example, repo, folder.path(), FILES)?;
    let (home, mut first, mut again) = (folder.path().join("home"), Vec::new(), Vec::new());
    for _ in 0..RUNS {
        let _ = std::fs::remove_dir_all(&home);
        std::fs::create_dir(&home)?;
        first.push(once(&ox, &tree, &home)?);
        again.push(once(&ox, &tree, &home)?);
    }
    let mut missed = Vec::new();
    for (name, times) in [("without an index", &mut first), ("with one", &mut again)] {
        times.sort_by(f64::total_cmp);
        let (median, lowest) = (times[RUNS / 2], times[0]);
        println!("  `ox context`, {FILES} files, {name}: {median:.0} ms (lowest {lowest:.0})");
        if median > LIMIT {
            missed.push(format!("`ox context` {name}, {FILES} files: {median:.0} ms, at most {LIMIT:.0}"));
        }
    }
    Ok(missed)
}

/// Milliseconds from start to end of one process.
fn once(ox: &Path, tree: &Path, home: &Path) -> Result<f64> {
    let mut command = Command::new(ox);
    command.args(["context", TASK]).current_dir(tree).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    for (name, folder) in
        [("HOME", ""), ("XDG_CACHE_HOME", "cache"), ("XDG_CONFIG_HOME", "config"), ("XDG_DATA_HOME", "data")]
    {
        command.env(name, home.join(folder));
    }
    let start = Instant::now();
    let status = command.status().with_context(|| format!("{} does not start", ox.display()))?;
    ensure!(status.success(), "`ox context` failed");
    Ok(start.elapsed().as_secs_f64() * 1e3)
}
