//! What the rules look at: the root, every file that belongs to the project, and cargo's own view of the packages.
//!
//! Reads only; it never looks into `target` or at files that git ignores.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};

use crate::source::Source;

/// The repository as the rules see it, read once.
pub struct Workspace {
    /// The folder that holds the workspace manifest.
    pub root: PathBuf,
    /// Every text file of the project, path relative to the root with forward slashes.
    pub files: Vec<File>,
}

/// One text file of the project.
pub struct File {
    /// Relative to the root.
    pub path: String,
    /// The whole content.
    pub text: String,
}

impl File {
    /// The file as Rust code, if that is what it is.
    pub fn rust(&self) -> Option<Source> {
        self.path.ends_with(".rs").then(|| Source::new(&self.path, &self.text))
    }

    /// The name of the crate's folder for files in `crates/NAME/`, otherwise the first folder.
    pub fn room(&self) -> &str {
        let mut parts = self.path.split('/');
        match parts.next() {
            Some("crates") => parts.next().unwrap_or_default(),
            Some(first) => first,
            None => "",
        }
    }
}

impl Workspace {
    /// Reads the repository that this program was built from.
    pub fn load() -> Result<Workspace> {
        let root = root();
        let mut files = Vec::new();
        for path in tracked(&root)? {
            // A file that another process has just removed, or that is not text, is none of the rules' business.
            if let Ok(text) = std::fs::read_to_string(root.join(&path)) {
                files.push(File { path, text });
            }
        }
        Ok(Workspace { root, files })
    }

    /// The project's Rust sources.
    pub fn sources(&self) -> impl Iterator<Item = (&File, Source)> {
        let read: Vec<_> = self.files.iter().filter_map(|file| Some((file, file.rust()?))).collect();
        let declared: HashSet<String> = read.iter().flat_map(|(file, source)| source.test_files(&file.path)).collect();
        // What lies in the folder of a test module is test code as well.
        read.into_iter().map(move |(file, mut source)| {
            source.is_test |=
                file.path.match_indices('/').any(|(at, _)| declared.contains(&format!("{}.rs", &file.path[..at])))
                    || declared.contains(&file.path);
            (file, source)
        })
    }

    /// The text of the file at `path`, empty if there is none.
    pub fn text(&self, path: &str) -> &str {
        self.files.iter().find(|file| file.path == path).map_or("", |file| &file.text)
    }

    /// Whether the project has a file at `path`.
    pub fn has(&self, path: &str) -> bool {
        self.files.iter().any(|file| file.path == path)
    }

    /// The folders under `crates/`.
    pub fn crates(&self) -> Vec<&str> {
        let mut names: Vec<&str> = self
            .files
            .iter()
            .filter(|file| file.path.ends_with("/Cargo.toml") && file.path.starts_with("crates/"))
            .map(File::room)
            .collect();
        names.sort_unstable();
        names
    }
}

/// The folder of the workspace manifest.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("xtask lies in the root of the workspace").to_path_buf()
}

/// Where cargo builds.
pub fn target() -> PathBuf {
    std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), PathBuf::from)
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

/// Tracked files and new ones that are not ignored.
fn tracked(root: &Path) -> Result<Vec<String>> {
    let listed = Command::new("git")
        .args(["ls-files", "-z", "--cached", "--others", "--exclude-standard", "--deduplicate"])
        .current_dir(root)
        .output()
        .context("git lists the project's files, and it could not be started")?;
    ensure!(listed.status.success(), "git ls-files failed: {}", String::from_utf8_lossy(&listed.stderr).trim());
    let listed = String::from_utf8_lossy(&listed.stdout).into_owned();
    Ok(listed.split('\0').filter(|path| !path.is_empty()).map(str::to_owned).collect())
}
