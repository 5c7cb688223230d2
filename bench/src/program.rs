//! The programs that are measured, built for speed where nobody gives one, and what every measurement needs.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::LazyLock;

use anyhow::{Context, Result, ensure};
use tokio::runtime::Runtime;

/// The folder of the workspace manifest.
pub fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("bench lies in the root of the workspace")
}

/// A cargo that does not inherit what the outer `cargo run` told this program about itself: some build scripts
/// would take the difference for a change and build again.
pub fn cargo() -> Command {
    let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo.current_dir(root());
    for (name, _) in std::env::vars_os() {
        let known = name.to_string_lossy().into_owned();
        let ours = ["CARGO_PKG_", "CARGO_MANIFEST_", "CARGO_BIN_", "CARGO_CRATE_NAME", "CARGO_PRIMARY_PACKAGE"];
        if ours.iter().any(|prefix| known.starts_with(prefix)) {
            cargo.env_remove(&name);
        }
    }
    cargo
}

fn built(args: &[&str], file: &str) -> Result<PathBuf> {
    let status = cargo().args(["build", "--quiet"]).args(args).status().context("starting cargo")?;
    ensure!(status.success(), "`cargo build {}` failed", args.join(" "));
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), PathBuf::from);
    Ok(target.join(file))
}

/// Where a program is, if it is on `PATH`.
pub fn on_path(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).map(|folder| folder.join(name)).find(|file| file.is_file())
}

/// `given`, or the release build of Ox.
pub fn ox(given: Option<&PathBuf>) -> Result<PathBuf> {
    let build = || built(&["--release", "--package", "ox"], "release/ox");
    given.map_or_else(build, |it| Ok(std::path::absolute(it)?))
}

/// `given`, or Ox as it is developed, for what is judged by what happens and not by how fast.
pub fn debug_ox(given: Option<&PathBuf>) -> Result<PathBuf> {
    let build = || built(&["--package", "ox"], "debug/ox");
    given.map_or_else(build, |it| Ok(std::path::absolute(it)?))
}

/// The release build of an example. Measurements of a crate from within are examples of it.
pub fn example(package: &str, name: &str) -> Result<PathBuf> {
    let args = ["--release", "--package", package, "--example", name];
    built(&args, &format!("release/examples/{name}"))
}

/// Runs an example to its end; true if it kept its limits.
pub fn run_example(package: &str, name: &str, args: &[String]) -> Result<bool> {
    let example = example(package, name)?;
    let status = Command::new(&example).args(args).current_dir(root()).status();
    Ok(status.with_context(|| format!("starting {}", example.display()))?.success())
}

/// Where the servers of the measurements run.
pub fn runtime() -> &'static Runtime {
    static RUNTIME: LazyLock<Runtime> = LazyLock::new(|| Runtime::new().expect("the system gives threads"));
    &RUNTIME
}

/// What else the machine does: it shows in every figure.
pub fn load() -> String {
    let load = std::fs::read_to_string("/proc/loadavg").unwrap_or_default();
    let cores = std::thread::available_parallelism().map_or(0, usize::from);
    format!("load {} on {cores} cores", load.trim())
}
