//! Measures the index over a folder: `speed measure DIR`; the last line is JSON, times are in milliseconds.
//! `speed multiply DIR TARGET FILES` makes a tree of so many files by copying those of DIR with changed identifiers.

#![allow(clippy::unwrap_used, missing_docs)] // A measurement that panics says why; nobody calls it.

use std::path::{Path, PathBuf};
use std::time::Instant;

use ox_index::{Change, Fields, FileState, Index, Report, Scope, tokens};
use ox_protocol::ChangeKind;

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    match args.as_slice() {
        ["measure", root] => measure(Path::new(root)),
        ["multiply", source, target, count] => multiply(source.as_ref(), target.as_ref(), count.parse().unwrap()),
        _ => panic!("usage: speed measure DIR | speed multiply DIR TARGET FILES"),
    }
}

fn measure(root: &Path) {
    let temporary = tempfile::tempdir().unwrap();
    let cache: PathBuf = temporary.path().join("cache");
    let mut row = serde_json::Map::new();
    let mut put =
        |name: &str, value: f64| drop(row.insert(name.to_owned(), ((value * 1000.0).round() / 1000.0).into()));
    let all = states(root);
    let before = memory("VmRSS");
    let (cpu, start) = (cpu_ms(), Instant::now());
    let index = Index::open(&cache, "speed").unwrap();
    let report = update(&index, root, &all);
    put("wall", ms(start));
    put("cpu", cpu_ms() - cpu);
    let (cpu, start) = (cpu_ms(), Instant::now());
    put("edges", index.snapshot().edges() as f64);
    put("graph_ms", ms(start));
    put("graph_cpu", cpu_ms() - cpu);
    put("memory_mib", memory("VmHWM") - before);
    counts(&report, &mut put);
    edits(&index, root, &all, &mut put);
    switch(&index, root, &all, &mut put);
    index.save();
    let opened = repeat(15, || drop(Index::open(&cache, "speed").unwrap().snapshot()));
    put("open", opened[7]);
    let index = Index::open(&cache, "speed").unwrap();
    questions(&index, &mut put);
    println!("{}", serde_json::Value::Object(row));
}

fn counts(report: &Report, put: &mut dyn FnMut(&str, f64)) {
    let layer = |it: std::time::Duration| it.as_secs_f64() * 1000.0;
    for (name, value) in [
        ("files", report.files as f64),
        ("bytes", report.bytes as f64),
        ("symbols", report.symbols as f64),
        ("references", report.references as f64),
        ("chunks", report.chunks as f64),
        ("imports", report.imports as f64),
        ("parsed", report.parsed as f64),
        ("skipped", report.skipped.values().sum::<u64>() as f64),
        ("disk", report.disk as f64),
        ("files_ms", layer(report.spent.files)),
        ("symbols_ms", layer(report.spent.symbols)),
        ("meaning_ms", layer(report.spent.meaning)),
        ("writing_ms", layer(report.spent.writing)),
    ] {
        put(name, value);
    }
}

/// Edits of single files, each taken in at once; then a search, which must see it.
fn edits(index: &Index, root: &Path, all: &[FileState], put: &mut dyn FnMut(&str, f64)) {
    let code: Vec<&FileState> =
        all.iter().filter(|it| ox_index::language(&it.path).is_some() && it.size < 200_000).collect();
    let (mut times, mut searches) = (Vec::new(), Vec::new());
    for round in 0..100 {
        let path = &code[round * 7919 % code.len()].path;
        let text = std::fs::read_to_string(root.join(path)).unwrap_or_default();
        let edited = format!("{text}\n// freshword{round}\n");
        let read = |_: &str| Ok(edited.clone().into_bytes());
        let change = Change { path: path.clone(), kind: ChangeKind::Modified, from: None };
        let start = Instant::now();
        index.change(&[change], &read).unwrap();
        let snapshot = index.snapshot();
        times.push(ms(start));
        let start = Instant::now();
        let found = snapshot.search(&[(format!("freshword{round}"), 1.0)], &FIELDS, Scope::Files, 3);
        searches.push(ms(start));
        assert_eq!(found.first().map(|it| &it.path), Some(path), "the edit is seen");
    }
    times.sort_by(f64::total_cmp);
    searches.sort_by(f64::total_cmp);
    put("edit_median", times[50]);
    put("edit_p95", times[95]);
    put("edit_search_median", searches[50]);
}

/// A branch that differs in 500 files, there, back, and there again.
fn switch(index: &Index, root: &Path, all: &[FileState], put: &mut dyn FnMut(&str, f64)) {
    let touched: Vec<String> = all.iter().filter(|it| it.size < 200_000).map(|it| it.path.clone()).take(500).collect();
    let on_branch = |path: &str| touched.iter().any(|it| it == path);
    for (name, branch) in [("switch", 1), ("switch_back", 0), ("switch_again", 1)] {
        let states: Vec<FileState> = all
            .iter()
            .map(|it| FileState { inode: it.inode + branch, ..it.clone() })
            .map(|it| if on_branch(&it.path) { FileState { ctime: it.ctime + branch as i64, ..it } } else { it })
            .map(|it| FileState { inode: it.inode - branch, ..it })
            .collect();
        let read = |path: &str| {
            let mut bytes = std::fs::read(root.join(path))?;
            if branch == 1 && on_branch(path) {
                bytes.extend(b"\n// on the branch\n");
            }
            Ok(bytes)
        };
        let start = Instant::now();
        let report = index.update(&states, &read, &|_| {}).unwrap();
        put(name, ms(start));
        put(&format!("{name}_parsed"), report.parsed as f64);
    }
}

const FIELDS: Fields = Fields { path: 1.0, name: 2.0, signature: 1.0, body: 1.0, strings: 0.5, doc: 1.0 };

const QUESTIONS: [&str; 4] = [
    "the parser fails with an unexpected end of file error when reading a configuration file from standard input",
    "add an option to print the version and the help text in json format",
    "memory leak in the connection pool after a timeout when the client closes the socket",
    "wrong line number is reported in the error message for nested include files with comments",
];

fn questions(index: &Index, put: &mut dyn FnMut(&str, f64)) {
    let snapshot = index.snapshot();
    let mut times = Vec::new();
    for (round, question) in QUESTIONS.iter().cycle().take(20).enumerate() {
        let terms: Vec<(String, f32)> = tokens(question).into_iter().map(|it| (it, 1.0)).collect();
        let start = Instant::now();
        let files = snapshot.search(&terms, &FIELDS, Scope::Files, 50);
        let chunks = snapshot.search(&terms, &FIELDS, Scope::Chunks, 100);
        let time = ms(start);
        assert!(!files.is_empty() && !chunks.is_empty());
        match round {
            0 => put("first_query", time),
            _ => times.push(time),
        }
    }
    times.sort_by(f64::total_cmp);
    put("query_median", times[9]);
    put("query_max", times[18]);
}

fn update(index: &Index, root: &Path, states: &[FileState]) -> Report {
    index.update(states, &|path| std::fs::read(root.join(path)), &|_| {}).unwrap()
}

fn repeat(times: usize, mut run: impl FnMut()) -> Vec<f64> {
    let mut all: Vec<f64> = (0..times)
        .map(|_| {
            let start = Instant::now();
            run();
            ms(start)
        })
        .collect();
    all.sort_by(f64::total_cmp);
    all
}

/// Copies the files of `source` until there are `count`, each copy with other identifiers.
fn multiply(source: &Path, target: &Path, count: usize) {
    let originals: Vec<String> = states(source).into_iter().map(|it| it.path).collect();
    for number in 0..count {
        let (round, path) = (number / originals.len(), &originals[number % originals.len()]);
        let place = target.join(format!("copy{round}")).join(path);
        std::fs::create_dir_all(place.parent().unwrap()).unwrap();
        let bytes = std::fs::read(source.join(path)).unwrap();
        match (round, String::from_utf8(bytes)) {
            (0, Ok(text)) => std::fs::write(place, text).unwrap(),
            (_, Ok(text)) => std::fs::write(place, renamed(&text, round)).unwrap(),
            (_, Err(binary)) => std::fs::write(place, binary.as_bytes()).unwrap(),
        }
    }
}

/// Every third longer word gets a number, so that copies have names of their own.
fn renamed(text: &str, round: usize) -> String {
    let mut out = String::with_capacity(text.len() + text.len() / 8);
    let mut word = String::new();
    for it in text.chars().chain([' ']) {
        if it.is_ascii_alphabetic() || it == '_' {
            word.push(it);
            continue;
        }
        out.push_str(&word);
        if word.len() > 5 && word.bytes().map(usize::from).sum::<usize>() % 3 == 0 {
            out.push_str(&round.to_string());
        }
        word.clear();
        out.push(it);
    }
    out.pop();
    out
}

fn states(root: &Path) -> Vec<FileState> {
    let (mut all, mut open) = (Vec::new(), vec![root.to_owned()]);
    while let Some(folder) = open.pop() {
        for entry in std::fs::read_dir(folder).unwrap().flatten() {
            let kind = entry.file_type().unwrap();
            let name = entry.file_name();
            if kind.is_dir() && name != ".git" && name != "node_modules" && name != "target" {
                open.push(entry.path());
            } else if kind.is_file() {
                let path = entry.path().strip_prefix(root).unwrap().to_string_lossy().into_owned();
                all.push(FileState { path, size: entry.metadata().unwrap().len(), ..FileState::default() });
            }
        }
    }
    all.sort_by(|a, b| a.path.cmp(&b.path));
    all
}

fn ms(start: Instant) -> f64 {
    start.elapsed().as_secs_f64() * 1000.0
}

/// CPU time of this process; the kernel counts in hundredths of a second.
fn cpu_ms() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields: Vec<f64> =
        stat.rsplit(')').next().unwrap_or_default().split_whitespace().filter_map(|it| it.parse().ok()).collect();
    // The state, a letter, is not a number: user and system time are fields 14 and 15 of the whole line.
    fields.get(10..12).map_or(0.0, |it| it.iter().sum::<f64>() * 10.0)
}

fn memory(what: &str) -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|it| it.starts_with(what)).unwrap_or_default();
    line.split_whitespace().nth(1).and_then(|it| it.parse::<f64>().ok()).unwrap_or(0.0) / 1024.0
}
