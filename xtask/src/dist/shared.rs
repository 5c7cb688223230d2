//! What the makers of single packages share: binaries, names, and how things are packed. It makes no package by itself.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, ensure};

use super::targets::{Names, Target};
use crate::workspace;

/// A binary and what it was built for.
pub struct Binary {
    /// Where it lies.
    pub path: PathBuf,
    /// What it was built for.
    pub target: Target,
}

/// Everything that the makers of single packages share.
pub struct Dist {
    /// Where the packages go.
    pub out: PathBuf,
    /// Where they are put together; removed at the end.
    pub work: PathBuf,
    /// What things are called.
    pub names: Names,
    /// Of the workspace, and so of every package.
    pub version: String,
    /// The public repository.
    pub repository: String,
    /// The time of the commit in seconds, which is the time of every file in every package.
    pub epoch: u64,
    /// How hard to compress, from 1 to 9.
    pub level: u8,
}

impl Dist {
    /// Ready to write into `out`, which must be new or empty.
    pub fn new(out: &Path, level: u8) -> Result<Dist> {
        std::fs::create_dir_all(out).with_context(|| format!("creating {}", out.display()))?;
        let out = out.canonicalize()?;
        let is_empty = std::fs::read_dir(&out)?.next().is_none();
        ensure!(is_empty, "{} is not empty; name a new folder, or empty this one", out.display());
        let root = workspace::root();
        let manifest: toml::Table = std::fs::read_to_string(root.join("Cargo.toml"))?.parse()?;
        let package = |key: &str| {
            let value = manifest.get("workspace")?.get("package")?.get(key)?.as_str()?;
            Some(value.to_owned())
        };
        Ok(Dist {
            work: out.join(".work"),
            out,
            names: Names::read(&root)?,
            version: package("version").context("Cargo.toml has no version")?,
            repository: package("repository").context("Cargo.toml has no repository")?,
            epoch: epoch(),
            level,
        })
    }

    /// `TARGET=PATH`, or a path to a binary for this machine.
    pub fn binary(&self, words: &str) -> Result<Binary> {
        let (triple, path) = match words.split_once('=') {
            Some((triple, path)) => (triple.to_owned(), path),
            None => (host()?, words),
        };
        let path = Path::new(path).canonicalize().with_context(|| format!("there is no binary at {path}"))?;
        let known = || self.names.targets.iter().map(|it| it.triple.as_str()).collect::<Vec<_>>().join(", ");
        let target = self.names.targets.iter().find(|it| it.triple == triple);
        let target = target.with_context(|| format!("packaging/targets.toml has no `{triple}`; it has {}", known()))?;
        Ok(Binary { path, target: target.clone() })
    }

    /// Packs the folder `name` in `parent`, without what differs from machine to machine.
    pub fn tar(&self, parent: &Path, name: &str, to: &Path) -> Result<()> {
        let time = format!("--mtime=@{}", self.epoch);
        let gzip = format!("--use-compress-program=gzip -n -{}", self.level);
        run(Command::new("tar")
            .args(["--create", "--sort=name", "--owner=0", "--group=0", "--numeric-owner", "--mode=go-w", &time, &gzip])
            .arg("--file")
            .arg(to)
            .arg("--directory")
            .args([parent.as_os_str(), name.as_ref()]))
        .map(drop)
    }
}

/// When the packages say that their files were written.
fn epoch() -> u64 {
    if let Some(given) = std::env::var("SOURCE_DATE_EPOCH").ok().and_then(|it| it.parse().ok()) {
        return given;
    }
    let commit = run(Command::new("git").args(["log", "-1", "--format=%ct"]).current_dir(workspace::root()));
    commit.ok().and_then(|it| it.trim().parse().ok()).unwrap_or_default()
}

/// What rustc builds for by itself.
fn host() -> Result<String> {
    let said = run(Command::new("rustc").arg("-vV"))?;
    let line = said.lines().find_map(|line| line.strip_prefix("host: "));
    Ok(line.context("rustc did not say its host")?.to_owned())
}

/// Name and SHA-256 of each file in a folder, by name.
pub fn sums(folder: &Path) -> Result<Vec<(String, String)>> {
    let mut names = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        names.push(entry?.file_name().into_string().ok().context("a package with a name that is not UTF-8")?);
    }
    names.retain(|name| name != "SHA256SUMS");
    names.sort_unstable();
    let said = run(Command::new("sha256sum").arg("--").args(&names).current_dir(folder))?;
    Ok(said
        .lines()
        .filter_map(|line| line.split_once("  "))
        .map(|(sum, name)| (name.to_owned(), sum.to_owned()))
        .collect())
}

/// Writes a file, and says which one where that fails.
pub fn write(path: &Path, text: impl AsRef<[u8]>) -> Result<()> {
    if let Some(parent) = path.parent() {
        std::fs::create_dir_all(parent).with_context(|| format!("creating {}", parent.display()))?;
    }
    std::fs::write(path, text).with_context(|| format!("writing {}", path.display()))
}

/// What a program prints; its complaint where it fails.
pub fn run(command: &mut Command) -> Result<String> {
    let ran = command.stdin(Stdio::null()).output().with_context(|| format!("{command:?} could not be started"))?;
    let complaint = String::from_utf8_lossy(&ran.stderr).into_owned();
    ensure!(ran.status.success(), "{command:?} failed: {}", complaint.trim());
    Ok(String::from_utf8_lossy(&ran.stdout).into_owned())
}
