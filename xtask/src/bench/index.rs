//! The index against its limits: `cargo xtask bench index --repo DIR [--sizes 100,1000,…]`.
//!
//! The measuring itself is an example of the index's crate, so that this program stays free of our crates. DIR is measured
//! as it is; the curve is measured on trees made of its files, each copy with identifiers of its own. ctags and ripgrep
//! run over the same trees where they are installed.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use anyhow::{Context, Result, bail, ensure};
use serde_json::{Map, Value};

use crate::workspace::{cargo, root};

/// Sizes of the curve, in files.
const SIZES: [usize; 5] = [100, 1_000, 10_000, 50_000, 80_000];
/// Source per CPU-second for all layers, in MB.
const SPEED: f64 = 3.0;
/// Memory for each byte of source, the floor below which it is not asked for (grammars and the engine weigh as much for a
/// small tree), and the cap, in MiB.
const MEMORY: (f64, f64, f64) = (4.0, 32.0, 512.0);
/// Milliseconds: opening, an edit in the median and in 95 of 100, 500 files of another branch.
const OPEN: f64 = 10.0;
const EDIT: (f64, f64) = (20.0, 50.0);
const SWITCH: f64 = 1_000.0;
/// Files, and milliseconds that a query may take with so many.
const QUERY: [(f64, f64); 2] = [(1_000.0, 30.0), (50_000.0, 150.0)];

/// Runs the measurement; false if a limit was missed.
pub fn run(args: &[String]) -> Result<bool> {
    let (repo, sizes) = arguments(args)?;
    let example = build()?;
    let mut kept = true;
    println!("{}:", repo.display());
    let row = measured(&example, &repo)?;
    layers(&row);
    kept &= limits(&row);
    peers(&repo, &row);
    println!("\n{}", heads());
    for size in sizes {
        let folder = tempfile::tempdir()?;
        let tree = folder.path().join("tree");
        let mut multiply = Command::new(&example);
        multiply.arg("multiply").arg(&repo).arg(&tree).arg(size.to_string());
        ensure!(multiply.status()?.success(), "the tree of {size} files was not made");
        let row = measured(&example, &tree)?;
        println!("{}", curve(&row, &tree));
        kept &= limits(&row);
    }
    Ok(kept)
}

fn arguments(args: &[String]) -> Result<(PathBuf, Vec<usize>)> {
    let (mut repo, mut sizes) = (None, SIZES.to_vec());
    for pair in args.chunks(2) {
        match pair {
            [option, folder] if option == "--repo" => repo = Some(PathBuf::from(folder)),
            [option, list] if option == "--sizes" => {
                let numbers = list.split(',').filter(|it| !it.is_empty()).map(str::parse);
                sizes = numbers.collect::<Result<_, _>>().context("--sizes takes numbers")?;
            }
            _ => bail!("usage: cargo xtask bench index --repo DIR [--sizes 100,1000,…]"),
        }
    }
    let repo = repo.context("usage: cargo xtask bench index --repo DIR [--sizes 100,1000,…]")?;
    ensure!(repo.is_dir(), "{} is no folder", repo.display());
    Ok((repo, sizes))
}

fn build() -> Result<PathBuf> {
    let mut build = cargo();
    build.args(["build", "--release", "--package", "ox-index", "--example", "speed"]);
    ensure!(build.status().context("building the measurement")?.success(), "the measurement does not build");
    Ok(root().join("target/release/examples/speed"))
}

fn measured(example: &Path, tree: &Path) -> Result<Map<String, Value>> {
    let output = Command::new(example).arg("measure").arg(tree).stderr(Stdio::inherit()).output()?;
    ensure!(output.status.success(), "the measurement of {} failed", tree.display());
    Ok(serde_json::from_slice(&output.stdout)?)
}

fn of(row: &Map<String, Value>, name: &str) -> f64 {
    row.get(name).and_then(Value::as_f64).unwrap_or(f64::NAN)
}

fn megabytes(row: &Map<String, Value>) -> f64 {
    of(row, "bytes") / 1e6
}

/// MB of source per CPU-second for all layers.
fn speed(row: &Map<String, Value>) -> f64 {
    megabytes(row) * 1000.0 / (of(row, "cpu") + of(row, "graph_cpu"))
}

fn layers(row: &Map<String, Value>) {
    println!(
        "  {} files, {:.1} MB, {} symbols, {} references, {} chunks, {} edges, {:.1} MB on disk",
        of(row, "files"),
        megabytes(row),
        of(row, "symbols"),
        of(row, "references"),
        of(row, "chunks"),
        of(row, "edges"),
        of(row, "disk") / 1e6
    );
    for (name, key) in [
        ("files: read, hashed, judged", "files_ms"),
        ("symbols: parsed, cut into chunks", "symbols_ms"),
        ("meaning: full text", "meaning_ms"),
        ("writing and merging", "writing_ms"),
        ("graph: all edges", "graph_ms"),
    ] {
        println!("  {name:<34} {:>9.1} ms {:>8.1} MB/s", of(row, key), megabytes(row) * 1000.0 / of(row, key));
    }
}

/// Prints each limit and what was measured; false if one was missed.
fn limits(row: &Map<String, Value>) -> bool {
    let source = of(row, "bytes") / 1_048_576.0;
    let memory = (MEMORY.0 * source).clamp(MEMORY.1, MEMORY.2);
    let mut rows = vec![
        ("memory MiB", of(row, "memory_mib"), memory),
        ("open ms", of(row, "open"), OPEN),
        ("edit, median ms", of(row, "edit_median"), EDIT.0),
        ("edit, 95 of 100 ms", of(row, "edit_p95"), EDIT.1),
        ("switch of 500 files ms", of(row, "switch"), SWITCH),
    ];
    if let Some((_, limit)) = QUERY.iter().find(|(files, _)| of(row, "files") <= *files) {
        rows.push(("query, slowest ms", of(row, "query_max"), *limit));
    }
    let mut kept = speed(row) >= SPEED;
    if !kept {
        println!("  MISSED: MB per CPU-second: {:.2}, at least {SPEED}", speed(row));
    }
    for (name, value, limit) in rows {
        // What was not measured is not kept.
        let missed = value.is_nan() || value > limit;
        kept &= !missed;
        if missed {
            println!("  MISSED: {name}: {value:.1}, at most {limit:.0}");
        }
    }
    kept
}

fn heads() -> String {
    let heads =
        ["files", "MB", "MB/CPU-s", "MiB", "open", "edit", "p95", "switch", "back", "query", "max", "ctags s", "rg s"];
    heads.map(|it| format!("{it:>8}")).join(" ")
}

fn curve(row: &Map<String, Value>, tree: &Path) -> String {
    let mut cells =
        vec![format!("{}", of(row, "files")), format!("{:.1}", megabytes(row)), format!("{:.2}", speed(row))];
    cells.push(format!("{:.0}", of(row, "memory_mib")));
    let names = ["open", "edit_median", "edit_p95", "switch", "switch_back", "query_median", "query_max"];
    cells.extend(names.map(|it| format!("{:.1}", of(row, it))));
    cells.push(seconds(ctags(tree)));
    cells.push(seconds(ripgrep(tree)));
    cells.iter().map(|it| format!("{it:>8}")).collect::<Vec<_>>().join(" ")
}

fn peers(tree: &Path, row: &Map<String, Value>) {
    let ours = |name: &str| of(row, name) / 1000.0;
    println!("  all layers {:.2} MB per CPU-second, {:.2} s of wall time", speed(row), ours("wall"));
    println!(
        "  ctags, symbols alone: {} s; ripgrep, one word: {} s; ours, a sentence: {:.4} s",
        seconds(ctags(tree)),
        seconds(ripgrep(tree)),
        ours("query_median")
    );
}

fn seconds(it: Option<f64>) -> String {
    it.map_or_else(|| "–".to_owned(), |it| format!("{it:.3}"))
}

fn ctags(tree: &Path) -> Option<f64> {
    timed(Command::new("ctags").args(["-R", "-f", "-", "--sort=no"]).arg(tree))
}

fn ripgrep(tree: &Path) -> Option<f64> {
    timed(Command::new("rg").args(["--count", "--ignore-case", "configuration"]).arg(tree))
}

/// Seconds of wall time; none where the program is not installed or fails.
fn timed(command: &mut Command) -> Option<f64> {
    let start = Instant::now();
    let status = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).status().ok()?;
    // One: ripgrep found nothing.
    status.code().filter(|it| *it <= 1).map(|_| start.elapsed().as_secs_f64())
}
