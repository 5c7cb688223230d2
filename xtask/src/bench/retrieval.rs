//! Whether the right files are found: `cargo xtask bench retrieval --corpus FILE --repos DIR`.
//!
//! Each case lays out one commit of a repository, asks `ox query` for the files that a real issue is about, and compares
//! them with those that its fix changed. Baselines are computed in the same run from the same files: BM25 over whole files
//! and over pieces, and a vote of keywords. With `--calibrate` the signals are fetched instead of the ranking, and
//! weights are fitted to them; see [`fit`].

mod baselines;
mod calibrate;
mod cases;
mod fit;
mod layout;
mod meaning;
mod score;

use std::cell::Cell;
use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::Instant;

use anyhow::{Context, Result, bail};
use serde_json::{Value, json};

use crate::workspace::{cargo, root};
use baselines::Texts;
use cases::Case;
use layout::Layout;
use score::Table;

const USAGE: &str = "\
usage: cargo xtask bench retrieval --corpus FILE --repos DIR [options]

  --corpus FILE    cases as JSON lines: id, repo, base_commit, query, gold_files, language
  --repos DIR      clones or bare mirrors named OWNER+NAME, OWNER__NAME or OWNER/NAME
  --scratch DIR    where commits are laid out and the index is kept; a temporary folder without it
  --only TEXT      only cases of repositories whose name holds this
  --limit N        only the first N cases of each repository
  --no-history     lay the files out without their repository
  --embeddings DIR a table more: with the vectors of the model in this folder, which is to be no worse
  --no-baselines   ask ox alone
  --program FILE   an ox that is built already
  --calibrate      fit weights, cross-validated by repository, and print them
  --misses FILE    write what was missed, and what came instead
";

/// Recall of all gold files in ten, and of gold files in one, in percent of all cases.
const LIMITS: (f64, f64) = (84.0, 54.0);
/// So many files are asked for; what comes later costs more than it helps.
const ASKED: usize = 200;

struct Options {
    corpus: PathBuf,
    repos: PathBuf,
    scratch: Option<PathBuf>,
    only: Option<String>,
    limit: usize,
    history: bool,
    baselines: bool,
    program: Option<PathBuf>,
    calibrate: bool,
    embeddings: Option<PathBuf>,
    misses: Option<PathBuf>,
}

/// `cargo xtask bench retrieval …`.
pub fn run(args: &[String]) -> Result<bool> {
    let Some(options) = options(args)? else {
        eprint!("{USAGE}");
        return Ok(false);
    };
    let cases = cases::read(&options.corpus, options.only.as_deref(), options.limit)?;
    let temporary = tempfile::tempdir()?;
    let scratch = options.scratch.clone().unwrap_or_else(|| temporary.path().to_owned());
    let program = options.program.clone().map_or_else(program, Ok)?;
    if options.calibrate {
        return calibrate::run(&cases, &options, &scratch, &program);
    }
    let names = ["ox", "ox, embeddings", "bm25, files", "bm25, pieces", "ripgrep vote"];
    let mut tables = names.map(Table::new);
    let mut spent = meaning::Spent::default();
    if let Some(folder) = &options.embeddings {
        meaning::pull(&program, &scratch, folder)?;
    }
    let (mut misses, mut missing) = (String::new(), 0);
    let progress = Progress::new(&cases);
    for (repo, cases) in &cases {
        let mut layout = Layout::open(&options.repos, repo, &scratch, options.history)?;
        let mut texts = Texts::default();
        for case in cases {
            let files = layout.show(&case.base_commit)?;
            let answer = asked(&program, &layout.tree, &scratch, case, &[], "off")?;
            let ranked = paths(&answer);
            tables[0].add(case, &ranked, &files);
            if options.embeddings.is_some() {
                meaning::fill(&program, &scratch, &layout.tree, &mut spent)?;
                let answer = asked(&program, &layout.tree, &scratch, case, &[], meaning::MODEL)?;
                tables[1].add(case, &paths(&answer), &files);
            }
            misses += &score::missed(case, &ranked);
            if options.baselines {
                texts.read(&mut layout, &files)?;
                tables[2].add(case, &texts.bm25(&files, &case.query), &files);
                tables[3].add(case, &texts.pieces(&files, &case.query), &files);
                tables[4].add(case, &texts.vote(&files, &case.query), &files);
            }
            progress.step(repo);
        }
        missing += layout.missing.len();
    }
    if let Some(file) = &options.misses {
        std::fs::write(file, misses).with_context(|| file.display().to_string())?;
    }
    for table in tables.iter().filter(|it| it.cases() > 0) {
        println!("{}", table.text());
    }
    let (all, first) = tables[0].reached();
    println!("contents that the repositories do not hold: {missing}");
    println!("all gold in 10: {all:.1} (limit {}), R@1: {first:.1} (limit {})", LIMITS.0, LIMITS.1);
    let mut good = all >= LIMITS.0 && first >= LIMITS.1;
    if options.embeddings.is_some() {
        let (with, with_first) = tables[1].reached();
        println!("with embeddings: {with:.1}, R@1: {with_first:.1} (limits: those without); {}", spent.text());
        good &= with >= all && with_first >= first;
    }
    Ok(good)
}

fn options(args: &[String]) -> Result<Option<Options>> {
    let value = |name: &str| args.iter().position(|it| it == name).and_then(|at| args.get(at + 1)).cloned();
    let flag = |name: &str| args.iter().any(|it| it == name);
    let (Some(corpus), Some(repos)) = (value("--corpus"), value("--repos")) else { return Ok(None) };
    let limit = value("--limit").map_or(Ok(usize::MAX), |it| it.parse()).context("--limit takes a number")?;
    Ok(Some(Options {
        corpus: corpus.into(),
        repos: std::path::absolute(repos)?,
        scratch: value("--scratch").map(std::path::absolute).transpose()?,
        only: value("--only"),
        limit,
        history: !flag("--no-history"),
        baselines: !flag("--no-baselines"),
        program: value("--program").map(std::path::absolute).transpose()?,
        calibrate: flag("--calibrate"),
        embeddings: value("--embeddings").map(std::path::absolute).transpose()?,
        misses: value("--misses").map(PathBuf::from),
    }))
}

/// The release build of `ox`.
fn program() -> Result<PathBuf> {
    let built = cargo().args(["build", "--quiet", "--release", "--package", "ox"]).status().context("building ox")?;
    if !built.success() {
        bail!("ox does not build");
    }
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), PathBuf::from);
    Ok(target.join("release/ox"))
}

/// What `ox query --batch` answers to one case, with the vectors of the model `meaning`.
fn asked(program: &Path, tree: &Path, scratch: &Path, case: &Case, further: &[&str], meaning: &str) -> Result<Value> {
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
    let told = child.wait_with_output()?;
    if line.is_empty() {
        bail!("{}: ox query gave no answer: {}", case.id, String::from_utf8_lossy(&told.stderr));
    }
    Ok(serde_json::from_str(&line)?)
}

fn paths(answer: &Value) -> Vec<String> {
    let files = answer["files"].as_array().into_iter().flatten();
    files.filter_map(|it| it["path"].as_str()).map(str::to_owned).collect()
}

/// Says now and then how far it is; a run takes minutes.
struct Progress {
    all: usize,
    done: Cell<usize>,
    start: Instant,
}

impl Progress {
    fn new(cases: &Cases) -> Progress {
        Progress { all: cases.values().map(Vec::len).sum(), done: Cell::new(0), start: Instant::now() }
    }

    /// Counts a case.
    fn step(&self, repo: &str) {
        self.done.set(self.done.get() + 1);
        if self.done.get().is_multiple_of(10) || self.done.get() == self.all {
            eprintln!("{} of {} cases, {} s, {repo}", self.done.get(), self.all, self.start.elapsed().as_secs());
        }
    }
}

/// Cases by repository.
type Cases = BTreeMap<String, Vec<Case>>;
