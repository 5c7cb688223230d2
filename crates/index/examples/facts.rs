//! How fast files are read: `facts DIR` prints a row per language with the bytes, what was found, and the speed of parsing
//! alone and of all facts, in megabytes per second of one core, and then the files that take longest for their size.
//! `facts FILE` prints what one file says.

#![allow(clippy::unwrap_used, missing_docs)] // A measurement that panics says why; nobody calls it.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

#[derive(Default)]
struct Row {
    files: usize,
    bytes: usize,
    symbols: usize,
    references: usize,
    imports: usize,
    chunks: usize,
    parsing: Duration,
    all: Duration,
}

fn main() {
    let from = PathBuf::from(std::env::args().nth(1).expect("a folder or a file"));
    if from.is_file() {
        let text = std::fs::read_to_string(&from).unwrap();
        println!("{:#?}", ox_syntax::facts(&from.to_string_lossy(), &text));
        return;
    }
    let mut texts: BTreeMap<&str, Vec<(String, String)>> = BTreeMap::new();
    let mut folders = vec![from];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap().flatten() {
            let (kind, path) = (entry.file_type().unwrap(), entry.path());
            if kind.is_dir() && entry.file_name() != ".git" {
                folders.push(path);
            } else if kind.is_file() {
                read(&path, &mut texts);
            }
        }
    }
    println!("language     files      MB  symbols     refs imports  chunks  parse MB/s  facts MB/s  share of parsing");
    let mut sum = Row::default();
    for (language, files) in &texts {
        let row = measure(files);
        print(language, &row);
        sum.files += row.files;
        sum.bytes += row.bytes;
        sum.symbols += row.symbols;
        sum.references += row.references;
        sum.imports += row.imports;
        sum.chunks += row.chunks;
        sum.parsing += row.parsing;
        sum.all += row.all;
    }
    print("all", &sum);
    slowest(&texts);
}

/// The files that would be read fastest if they were read as fast as the others: what to look at first.
fn slowest(texts: &BTreeMap<&str, Vec<(String, String)>>) {
    let mut all: Vec<(f64, usize, &str)> = Vec::new();
    for (name, text) in texts.values().flatten() {
        let run = |_| {
            let start = Instant::now();
            std::hint::black_box(ox_syntax::facts(name, text));
            start.elapsed().as_secs_f64()
        };
        // The lower of two: other work on the machine only ever adds.
        let seconds = (0..2).map(run).fold(f64::INFINITY, f64::min);
        all.push((seconds, text.len(), name));
    }
    // What it takes beyond a usual file of its size.
    let excess = |it: &(f64, usize, &str)| it.0 - it.1 as f64 / 4e6;
    all.sort_by(|a, b| excess(b).total_cmp(&excess(a)));
    for (seconds, bytes, name) in all.iter().take(40) {
        let speed = *bytes as f64 / 1e6 / seconds;
        println!("{:>9.1} ms {:>9} bytes {speed:>7.2} MB/s  {name}", seconds * 1e3, bytes);
    }
}

/// The time that this thread has spent on a core, so that other work on the machine does not count.
fn spent() -> Duration {
    let words = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap();
    Duration::from_nanos(words.split(' ').next().unwrap().parse().unwrap())
}

fn read(path: &Path, texts: &mut BTreeMap<&str, Vec<(String, String)>>) {
    let name = path.to_string_lossy().into_owned();
    let (Some(language), Ok(text)) = (ox_syntax::language(&name), std::fs::read_to_string(path)) else { return };
    if ox_syntax::definitions(&name, &text).is_some() {
        texts.entry(language).or_default().push((name, text));
    }
}

/// Parses all files of a language, then reads their facts: the clock is too coarse for single files.
fn measure(files: &[(String, String)]) -> Row {
    let start = spent();
    let parsed = files.iter().filter(|(name, text)| ox_syntax::definitions(name, text).is_some()).count();
    let mut row = Row { files: parsed, parsing: spent() - start, ..Row::default() };
    let start = spent();
    for (name, text) in files {
        let facts = ox_syntax::facts(name, text);
        row.bytes += text.len();
        row.symbols += facts.symbols.len();
        row.references += facts.references.len();
        row.imports += facts.imports.len();
        row.chunks += facts.chunks.len();
    }
    row.all = spent() - start;
    row
}

fn print(language: &str, row: &Row) {
    let megabytes = row.bytes as f64 / 1e6;
    println!(
        "{language:<12}{:>6}{:>8.2}{:>9}{:>9}{:>8}{:>8}{:>12.1}{:>12.1}{:>16.0} %",
        row.files,
        megabytes,
        row.symbols,
        row.references,
        row.imports,
        row.chunks,
        megabytes / row.parsing.as_secs_f64(),
        megabytes / row.all.as_secs_f64(),
        100.0 * row.parsing.as_secs_f64() / row.all.as_secs_f64(),
    );
}
