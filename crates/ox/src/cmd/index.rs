//! `ox index`: brings the index of this project up to date and tells what is in it.
//!
//! The index is derived: its folder may be deleted at any time, and is then made again.

mod vectors;

use std::time::{Duration, Instant};

use clap::Args;
use ox_agent::project_index::Refreshed;
use ox_index::{RULES, Unsaved};
use ox_protocol::locale::Language;
use serde_json::{Value, json};

use super::bar::Bar;
use super::print::{columns, err, json, out};
use crate::cmd::shared;

/// Arguments of `ox index`.
#[derive(Debug, Args)]
pub struct IndexArgs {
    /// Show all counts and times.
    #[arg(short, long)]
    verbose: bool,
    /// Print JSON.
    #[arg(long)]
    json: bool,
    /// Fail if no embedding model is available (embeddings are computed by default).
    #[arg(long, conflicts_with = "no_embeddings")]
    embeddings: bool,
    /// Compute no embeddings.
    #[arg(long)]
    no_embeddings: bool,
}

/// What was found, and how long the edges between files took.
struct Found {
    refreshed: Refreshed,
    edges: u64,
    graph: Duration,
    wall: Duration,
    vectors: Option<vectors::Made>,
}

/// Updates the index and reports.
pub fn run(args: IndexArgs) -> anyhow::Result<u8> {
    let project = shared::open()?;
    let language = project.settings.language;
    let start = Instant::now();
    let index = project.index()?;
    let bar = Bar::new(language);
    // What takes minutes comes when everything else is kept.
    let refreshed = project.refresh(&index, true, &|it| bar.show(it));
    bar.clear();
    let refreshed = refreshed?;
    let graph = Instant::now();
    let edges = index.snapshot().edges();
    let graph = graph.elapsed();
    let vectors = if args.no_embeddings { None } else { vectors::make(&project, &index, args.embeddings)? };
    let found = Found { refreshed, edges, graph, wall: start.elapsed(), vectors };
    for line in warnings(&found, language) {
        err(&line);
    }
    match args.json {
        true => json(&as_json(&found)),
        false => out(&table(&found, args.verbose, language)),
    }
    Ok(found.vectors.map_or(0, |it| it.exit_code(args.embeddings)))
}

/// What is not as it should be; the index works all the same.
fn warnings(found: &Found, language: Language) -> Vec<String> {
    let report = &found.refreshed.report;
    let mut lines: Vec<String> =
        report.broken.iter().map(|it| language.say("index.broken", &[("why", it.as_str())])).collect();
    lines.extend(report.unsaved.as_ref().map(|it| match it {
        Unsaved::Busy => language.say("index.busy", &[]),
        Unsaved::Full(why) => language.say("index.full", &[("why", why.as_str())]),
        Unsaved::Refused(why) => language.say("index.refused", &[("why", why.as_str())]),
    }));
    lines
}

fn as_json(found: &Found) -> Value {
    let report = &found.refreshed.report;
    let seconds = |it: Duration| (it.as_secs_f64() * 1e6).round() / 1e6;
    let mut skipped = serde_json::Map::new();
    skipped.insert("ignored".to_owned(), json!(found.refreshed.ignored));
    for rule in RULES {
        skipped.insert(rule.name().to_owned(), json!(report.skipped.get(&rule).copied().unwrap_or(0)));
    }
    json!({
        "files": report.files, "symbols": report.symbols, "references": report.references, "chunks": report.chunks,
        "imports": report.imports, "edges": found.edges, "bytes": report.bytes,
        "unchanged": report.unchanged, "reused": report.reused, "parsed": report.parsed, "removed": report.removed,
        "skipped": skipped, "unparsed": report.unparsed,
        "seconds": {
            "listing": seconds(found.refreshed.listing), "files": seconds(report.spent.files),
            "symbols": seconds(report.spent.symbols), "meaning": seconds(report.spent.meaning),
            "writing": seconds(report.spent.writing), "graph": seconds(found.graph), "wall": seconds(found.wall),
        },
        "embeddings": found.vectors.as_ref().map(vectors::Made::as_json),
        "disk": report.disk, "broken": report.broken,
        "unsaved": report.unsaved.as_ref().map(|it| match it {
            Unsaved::Busy => "busy",
            Unsaved::Full(_) => "full",
            Unsaved::Refused(_) => "refused",
        }),
    })
}

/// The rows without which nobody knows what was done.
const SHORT: [&str; 5] = ["files", "symbols", "vectors", "time.wall", "disk"];

fn table(found: &Found, verbose: bool, language: Language) -> String {
    let report = &found.refreshed.report;
    let mut rows: Vec<Vec<String>> = Vec::new();
    let mut row = |key: &str, value: String| {
        if verbose || SHORT.contains(&key) {
            rows.push(vec![language.say(&format!("index.row.{key}"), &[]), value]);
        }
    };
    for (key, value) in [
        ("files", report.files),
        ("symbols", report.symbols),
        ("references", report.references),
        ("chunks", report.chunks),
        ("edges", found.edges),
    ] {
        row(key, value.to_string());
    }
    row("bytes", size(report.bytes));
    for (key, value) in [
        ("unchanged", report.unchanged),
        ("reused", report.reused),
        ("parsed", report.parsed),
        ("removed", report.removed),
    ] {
        row(key, value.to_string());
    }
    row("ignored", found.refreshed.ignored.unwrap_or(0).to_string());
    for rule in RULES {
        row(rule.name(), report.skipped.get(&rule).copied().unwrap_or(0).to_string());
    }
    row("unparsed", report.unparsed.to_string());
    let spent = &report.spent;
    for (key, value) in [
        ("time.files", found.refreshed.listing + spent.files),
        ("time.symbols", spent.symbols),
        ("time.meaning", spent.meaning),
        ("time.graph", found.graph),
        ("time.writing", spent.writing),
        ("time.wall", found.wall),
    ] {
        row(key, format!("{:.3} s", value.as_secs_f64()));
    }
    row("disk", size(report.disk));
    found.vectors.iter().for_each(|it| it.rows(&mut row));
    columns(&rows)
}

fn size(bytes: u64) -> String {
    match bytes {
        0..10_240 => format!("{bytes} B"),
        10_240..10_485_760 => format!("{:.1} KiB", bytes as f64 / 1024.0),
        _ => format!("{:.1} MiB", bytes as f64 / 1_048_576.0),
    }
}
