//! The index against its limits: `cargo xtask bench index --repo DIR [--sizes 100,1000,…]`.
//!
//! The measuring itself is an example of the index's crate, so that this program stays free of our crates. DIR is measured
//! as it is; the curve is measured on trees made of its files, each copy with identifiers of its own. ctags and ripgrep
//! run over the same trees where they are installed. Limits are about the clock on the wall; CPU time stands beside it.

mod context;
mod example;

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use anyhow::{Result, ensure};
use serde_json::Value;

use self::example::{Row, build, measured, multiplied};
use crate::program;

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

/// What is measured.
#[derive(clap::Args)]
pub struct Options {
    /// The folder that is measured, and that larger trees are made of.
    #[arg(long)]
    repo: PathBuf,
    /// Files of the trees of the curve.
    #[arg(long, value_delimiter = ',', default_values_t = SIZES)]
    sizes: Vec<usize>,
    /// A binary to take instead of building one.
    #[arg(long)]
    ox: Option<PathBuf>,
}

/// Runs the measurement; false if a limit was missed.
pub fn run(options: &Options) -> Result<bool> {
    let Options { repo, sizes, ox } = options;
    ensure!(repo.is_dir(), "{} is no folder", repo.display());
    let example = build()?;
    let mut missed = Vec::new();
    println!("{}:", repo.display());
    let row = measured(&example, repo)?;
    layers(&row);
    missed.extend(limits(&row));
    peers(repo, &row);
    look_ups(&row);
    missed.extend(context::run(&example, repo, ox.as_ref())?);
    println!("\n{}", heads());
    for size in sizes.iter().copied() {
        let folder = tempfile::tempdir()?;
        let tree = multiplied(&example, repo, folder.path(), size)?;
        let row = measured(&example, &tree)?;
        println!("{}\n{}", curve(&row, &tree), cores(&row));
        missed.extend(limits(&row));
    }
    println!("{}; milliseconds on the wall, and below each the CPU time of the same", program::load());
    missed.iter().for_each(|it| println!("MISSED  {it}"));
    Ok(missed.is_empty())
}

fn of(row: &Row, name: &str) -> f64 {
    row.get(name).and_then(Value::as_f64).unwrap_or(f64::NAN)
}

fn megabytes(row: &Row) -> f64 {
    of(row, "bytes") / 1e6
}

/// MB of source per CPU-second for all layers.
fn speed(row: &Row) -> f64 {
    megabytes(row) * 1000.0 / (of(row, "build_cpu") + of(row, "graph_cpu"))
}

fn layers(row: &Row) {
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
    println!("  {} known by their path alone, {} that the parser gave up", of(row, "skipped"), of(row, "unparsed"));
    // Threads tell how long they were at a layer, which on a busy machine is longer than they worked at it: the share of each
    // is taken of the CPU time of all.
    let busy: f64 = LAYERS.iter().map(|(_, key)| of(row, key)).sum();
    for (name, key) in LAYERS {
        layer(row, name, of(row, "build_cpu") * of(row, key) / busy);
    }
    layer(row, "graph: all edges", of(row, "graph_cpu"));
    layer(row, "all layers", of(row, "build_cpu") + of(row, "graph_cpu"));
    println!("  {:.2} s on the wall", (of(row, "build") + of(row, "graph")) / 1000.0);
}

/// The layers of a build, and what its threads tell of each.
const LAYERS: [(&str, &str); 4] = [
    ("files: read, hashed, judged", "files_ms"),
    ("symbols: parsed, cut into chunks", "symbols_ms"),
    ("meaning: full text", "meaning_ms"),
    ("writing and merging", "writing_ms"),
];

fn layer(row: &Row, name: &str, cpu: f64) {
    println!("  {name:<34} {cpu:>9.1} CPU-ms {:>8.1} MB/s", megabytes(row) * 1000.0 / cpu);
}

/// Each limit that was missed, with what was measured.
fn limits(row: &Row) -> Vec<String> {
    let source = of(row, "bytes") / 1_048_576.0;
    let memory = (MEMORY.0 * source).clamp(MEMORY.1, MEMORY.2);
    let mut rows = vec![
        ("memory MiB", of(row, "memory_mib"), memory),
        ("open ms", of(row, "open_median"), OPEN),
        ("edit, median ms", of(row, "edit_median"), EDIT.0),
        ("edit, 95 of 100 ms", of(row, "edit_p95"), EDIT.1),
        ("switch of 500 files ms", of(row, "switch"), SWITCH),
        ("switch back ms", of(row, "switch_back"), SWITCH),
    ];
    if let Some((_, limit)) = QUERY.iter().find(|(files, _)| of(row, "files") <= *files) {
        rows.push(("query, slowest ms", of(row, "query_max"), *limit));
    }
    let files = of(row, "files");
    // What was not measured is not kept.
    let over = rows.into_iter().filter(|(_, value, limit)| value.is_nan() || value > limit);
    let mut missed: Vec<String> =
        over.map(|(name, value, limit)| format!("{files} files: {name}: {value:.1}, at most {limit:.0}")).collect();
    if speed(row).is_nan() || speed(row) < SPEED {
        missed.push(format!("{files} files: MB per CPU-second: {:.2}, at least {SPEED}", speed(row)));
    }
    missed
}

/// What the columns of the curve show beside files, MB, speed and memory.
const TIMES: [(&str, &str); 9] = [
    ("open", "open_median"),
    ("edit", "edit_median"),
    ("edit p95", "edit_p95"),
    ("search it", "edit_search_median"),
    ("switch", "switch"),
    ("back", "switch_back"),
    ("again", "unchanged"),
    ("query", "query_median"),
    ("slowest", "query_max"),
];

fn heads() -> String {
    let times = TIMES.iter().map(|it| it.0);
    let heads = ["files", "MB", "MB/CPU-s", "MiB"].into_iter().chain(times).chain(["ctags s", "rg s"]);
    heads.map(|it| format!("{it:>9}")).collect::<Vec<_>>().join(" ")
}

fn curve(row: &Row, tree: &Path) -> String {
    let mut cells =
        vec![format!("{}", of(row, "files")), format!("{:.1}", megabytes(row)), format!("{:.2}", speed(row))];
    cells.push(format!("{:.0}", of(row, "memory_mib")));
    cells.extend(TIMES.iter().map(|it| format!("{:.1}", of(row, it.1))));
    cells.push(seconds(ctags(tree)));
    cells.push(seconds(ripgrep(tree)));
    cells.iter().map(|it| format!("{it:>9}")).collect::<Vec<_>>().join(" ")
}

/// The CPU time of each time of the curve.
fn cores(row: &Row) -> String {
    let cells = TIMES.iter().map(|it| format!("{:>9.1}", of(row, &format!("{}_cpu", it.1))));
    format!("{:>39} {}", "CPU", cells.collect::<Vec<_>>().join(" "))
}

fn peers(tree: &Path, row: &Row) {
    println!(
        "  ctags, symbols alone: {} s; ripgrep, one word: {} s; ours, a search for a sentence: {:.4} s",
        seconds(ctags(tree)),
        seconds(ripgrep(tree)),
        of(row, "search_median") / 1000.0
    );
}

fn look_ups(row: &Row) {
    let one =
        |it: &&str| format!("{it} {:.2} ({:.2})", of(row, &format!("{it}_median")), of(row, &format!("{it}_max")));
    let all: Vec<String> =
        ["defined", "referenced", "has_term", "df", "search", "first_search"].iter().map(one).collect();
    println!("  look-ups, median and slowest ms: {}", all.join(", "));
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
    let path = std::env::var_os("OX_BENCH_TOOLS").or_else(|| std::env::var_os("PATH")).unwrap_or_default();
    let command = command.env("PATH", path);
    let status = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).status().ok()?;
    // One: ripgrep found nothing.
    status.code().filter(|it| *it <= 1).map(|_| start.elapsed().as_secs_f64())
}
