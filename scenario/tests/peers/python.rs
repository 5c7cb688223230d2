//! Python and its packages, where they are installed.

use std::path::{Path, PathBuf};
use std::process::Command;

/// The interpreter: that of the environment below `target` if `cargo xtask test` made one, also when it did not start this.
pub fn interpreter() -> PathBuf {
    let own = std::env::current_exe().unwrap();
    let target = own.ancestors().map(|it| it.join("tools/python/bin/python3")).find(|it| it.is_file());
    target.unwrap_or_else(|| PathBuf::from("python3"))
}

/// Why a package is not there; none where it is.
pub fn missing(package: &str) -> Option<String> {
    let find = format!("import importlib.metadata as m; m.version({package:?})");
    let found = Command::new(interpreter()).args(["-c", &find]).output().is_ok_and(|it| it.status.success());
    (!found).then(|| format!("the Python package {package} is not installed; `cargo xtask test` installs it"))
}

/// A program of this folder.
pub fn program(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/peers").join(name)
}
