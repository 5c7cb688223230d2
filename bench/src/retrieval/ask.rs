//! Asks `ox query` about the cases, and says how far it is.

use std::cell::Cell;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::Instant;

use anyhow::{Context, Result, bail};
use serde_json::{Value, json};

use super::cases::{Case, Cases};

/// So many files are asked for; what comes later costs more than it helps.
const ASKED: usize = 200;

/// What is asked, and where its files lie.
#[derive(clap::Args)]
pub struct Options {
    /// Cases as JSON lines: id, repo, base_commit, query, gold_files, language.
    #[arg(long)]
    pub corpus: PathBuf,
    /// Clones or bare mirrors named OWNER+NAME, OWNER__NAME or OWNER/NAME.
    #[arg(long, value_parser = absolute)]
    pub repos: PathBuf,
    /// Where commits are laid out and the index is kept; a temporary folder without it.
    #[arg(long, value_parser = absolute)]
    pub scratch: Option<PathBuf>,
    /// Only cases of repositories whose name holds this.
    #[arg(long)]
    pub only: Option<String>,
    /// Only the first N cases of each repository.
    #[arg(long)]
    pub limit: Option<usize>,
    /// Lay the files out without their repository.
    #[arg(long)]
    pub no_history: bool,
    /// A table more: with the vectors of the model in this folder, which is to be no worse.
    #[arg(long, value_parser = absolute)]
    pub embeddings: Option<PathBuf>,
    /// Ask ox alone.
    #[arg(long)]
    pub no_baselines: bool,
    /// A binary to take instead of building one.
    #[arg(long, alias = "program")]
    pub ox: Option<PathBuf>,
    /// Fit weights, cross-validated by repository, and print them.
    #[arg(long)]
    pub calibrate: bool,
    /// Write what was missed, and what came instead, to this file.
    #[arg(long)]
    pub misses: Option<PathBuf>,
}

fn absolute(path: &str) -> std::io::Result<PathBuf> {
    std::path::absolute(path)
}

/// What `ox query --batch` answers to one case, with the vectors of the model `meaning`.
pub fn asked(
    program: &Path,
    tree: &Path,
    scratch: &Path,
    case: &Case,
    further: &[&str],
    meaning: &str,
) -> Result<Value> {
    let mut ox = Command::new(program);
    ox.args(["query", "--batch", "--limit", &ASKED.to_string()]).args(further).current_dir(tree);
    // Nothing of the user's own settings gets in, and the index stays from case to case.
    let home = scratch.join("home");
    std::fs::create_dir_all(&home)?;
    ox.env("OX_HOME", &home)
        .env("OX_EMBEDDINGS", meaning)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut child: Child = ox.spawn().context("starting ox")?;
    let mut input: ChildStdin = child.stdin.take().context("its input")?;
    writeln!(input, "{}", json!({"id": case.id, "query": case.query}))?;
    drop(input);
    let mut line = String::new();
    let mut output: BufReader<ChildStdout> = BufReader::new(child.stdout.take().context("its output")?);
    output.read_line(&mut line)?;
    let reported = child.wait_with_output()?;
    if line.is_empty() {
        bail!("{}: ox query gave no answer: {}", case.id, String::from_utf8_lossy(&reported.stderr));
    }
    Ok(serde_json::from_str(&line)?)
}

/// The paths of an answer, best first.
pub fn paths(answer: &Value) -> Vec<String> {
    let files = answer["files"].as_array().into_iter().flatten();
    files.filter_map(|it| it["path"].as_str()).map(str::to_owned).collect()
}

/// Says now and then how far it is; a run takes minutes.
pub struct Progress {
    all: usize,
    done: Cell<usize>,
    start: Instant,
}

impl Progress {
    /// Before the first of `cases`.
    pub fn new(cases: &Cases) -> Progress {
        Progress { all: cases.values().map(Vec::len).sum(), done: Cell::new(0), start: Instant::now() }
    }

    /// Counts a case.
    pub fn step(&self, repo: &str) {
        self.done.set(self.done.get() + 1);
        if self.done.get().is_multiple_of(10) || self.done.get() == self.all {
            eprintln!("{} of {} cases, {} s, {repo}", self.done.get(), self.all, self.start.elapsed().as_secs());
        }
    }
}
