//! Measures the index over a folder: `speed measure DIR`; the last line is JSON, times are in milliseconds, on the wall and
//! (`_cpu`) on the cores.
//! `speed multiply DIR TARGET FILES` makes a tree of so many files by copying those of DIR with changed identifiers.

#![allow(clippy::unwrap_used, missing_docs)] // A measurement that panics says why; nobody calls it.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::time::Instant;

use ox_index::{Change, Fields, FileState, How, Index, Report, Scope, tokens};
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

type Row = serde_json::Map<String, serde_json::Value>;

fn put(row: &mut Row, name: &str, value: f64) {
    row.insert(name.to_owned(), ((value * 1000.0).round() / 1000.0).into());
}

fn measure(root: &Path) {
    let temporary = tempfile::tempdir().unwrap();
    let cache: PathBuf = temporary.path().join("cache");
    let mut row = Row::new();
    let all = states(root);
    let before = memory("VmRSS");
    let build = Watch::start();
    let index = Index::open(&cache, "speed").unwrap();
    let report = update(&index, root, &all);
    build.put("build", &mut row);
    let graph = Watch::start();
    put(&mut row, "edges", index.snapshot().edges() as f64);
    graph.put("graph", &mut row);
    put(&mut row, "memory_mib", memory("VmHWM") - before);
    counts(&report, &mut row);
    open(&cache, root, &all, &mut row);
    let quiet = Watch::start();
    update(&index, root, &all);
    quiet.put("unchanged", &mut row);
    edits(&index, root, &all, &mut row);
    index.save();
    switch(&index, root, &all, &mut row);
    index.save();
    let index = Index::open(&cache, "speed").unwrap();
    questions(&index, root, &mut row);
    look_ups(&index, &mut row);
    println!("{}", serde_json::Value::Object(row));
}

/// Opening, with one file and its facts looked up, so that nothing is only put off.
fn open(cache: &Path, root: &Path, all: &[FileState], row: &mut Row) {
    let mut known =
        all.iter().rev().filter(|it| ox_syntax::language(&it.path).is_some() && root.join(&it.path).exists());
    let path = known.next().map_or("", |it| it.path.as_str());
    let mut times = Times::default();
    for _ in 0..15 {
        times.take(|| {
            let snapshot = Index::open(cache, "speed").unwrap().snapshot();
            assert!(path.is_empty() || snapshot.state(path).is_some());
            std::hint::black_box(snapshot.facts(path));
        });
    }
    times.put("open", row);
}

fn counts(report: &Report, row: &mut Row) {
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
        ("unparsed", report.unparsed as f64),
    ] {
        put(row, name, value);
    }
}

/// Edits of single files, each taken in at once; then a search, which must see it.
fn edits(index: &Index, root: &Path, all: &[FileState], row: &mut Row) {
    let code: Vec<&FileState> =
        all.iter().filter(|it| ox_syntax::language(&it.path).is_some() && it.size < 200_000).collect();
    let (mut edits, mut searches) = (Times::default(), Times::default());
    for round in 0..100 {
        let path = &code[round * 7919 % code.len()].path;
        let text = std::fs::read_to_string(root.join(path)).unwrap_or_default();
        let edited = format!("{text}\n// freshword{round}\n");
        let read = |_: &str| Ok(edited.clone().into_bytes());
        let change = Change { path: path.clone(), kind: ChangeKind::Modified, from: None };
        edits.take(|| drop(index.change(std::slice::from_ref(&change), &read).unwrap()));
        let words = [(format!("freshword{round}"), 1.0)];
        let found = searches.take(|| index.snapshot().search(&words, &FIELDS, Scope::Files, 3));
        // What is known by its path alone is not found by its words.
        let known = index.snapshot().facts(path).is_some();
        assert!(!known || found.first().map(|it| &it.path) == Some(path), "the edit of {path} is seen");
    }
    edits.put("edit", row);
    searches.put("edit_search", row);
}

/// A branch that differs in 500 files, there, back, and there again.
fn switch(index: &Index, root: &Path, all: &[FileState], row: &mut Row) {
    let small: Vec<&FileState> = all.iter().filter(|it| it.size < 200_000).collect();
    // From all over the tree, as branches touch it.
    let touched: HashSet<&str> =
        small.iter().step_by((small.len() / 500).max(1)).take(500).map(|it| it.path.as_str()).collect();
    let on_branch = |path: &str| touched.contains(path);
    for (name, branch) in [("switch", 1), ("switch_back", 0), ("switch_again", 1)] {
        let states: Vec<FileState> = all
            .iter()
            .map(|it| FileState { ctime: it.ctime + if on_branch(&it.path) { branch } else { 0 }, ..it.clone() })
            .collect();
        let read = |path: &str| {
            let mut bytes = std::fs::read(root.join(path))?;
            if branch == 1 && on_branch(path) {
                bytes.extend(b"\n// on the branch\n");
            }
            Ok(bytes)
        };
        let watch = Watch::start();
        let report = index.update(&states, &read, &|_| {}).unwrap();
        watch.put(name, row);
        put(row, &format!("{name}_parsed"), report.parsed as f64);
    }
}

const FIELDS: Fields = Fields { path: 1.0, name: 2.0, signature: 1.0, body: 1.0, strings: 0.5, doc: 1.0 };

const QUESTIONS: [&str; 4] = [
    "the parser fails with an unexpected end of file error when reading a configuration file from standard input",
    "add an option to print the version and the help text in json format",
    "memory leak in the connection pool after a timeout when the client closes the socket",
    "wrong line number is reported in the error message for nested include files with comments",
];

fn questions(index: &Index, root: &Path, row: &mut Row) {
    let snapshot = index.snapshot();
    let (mut first, mut times) = (Times::default(), Times::default());
    for (round, question) in QUESTIONS.iter().cycle().take(20).enumerate() {
        let terms: Vec<(String, f32)> = tokens(question).into_iter().map(|it| (it, 1.0)).collect();
        let search = || {
            let files = snapshot.search(&terms, &FIELDS, Scope::Files, 50);
            let chunks = snapshot.search(&terms, &FIELDS, Scope::Chunks, 100);
            assert!(!files.is_empty() && !chunks.is_empty());
        };
        if round == 0 { first.take(search) } else { times.take(search) }
    }
    first.put("first_search", row);
    times.put("search", row);
    let read = |path: &str| std::fs::read(root.join(path));
    let mut queries = Times::default();
    for question in QUESTIONS.iter().cycle().take(20) {
        queries.take(|| ox_index::query(&snapshot, &read, question, &ox_index::Options::default()));
    }
    queries.put("query", row);
}

type LookUp<'a> = &'a dyn Fn(&str) -> usize;

/// Names that many files have, and words that some have.
fn look_ups(index: &Index, row: &mut Row) {
    let snapshot = index.snapshot();
    let runs: [(&str, LookUp<'_>); 4] = [
        ("defined", &|it| snapshot.defined(it, How::Exact, 50).len()),
        ("referenced", &|it| snapshot.referenced(it, 50).len()),
        ("has_term", &|it| usize::from(snapshot.has_term(it))),
        ("df", &|it| snapshot.df(it) as usize),
    ];
    for (name, run) in runs {
        let mut times = Times::default();
        for word in ["new", "parse", "config", "main", "error", "open", "test", "string", "absentword", "get"] {
            times.take(|| std::hint::black_box(run(word)));
        }
        times.put(name, row);
    }
}

/// How long something takes, on the wall and on the cores.
struct Watch {
    wall: Instant,
    process: f64,
}

impl Watch {
    fn start() -> Watch {
        Watch { wall: Instant::now(), process: process_cpu() }
    }

    fn put(&self, name: &str, row: &mut Row) {
        put(row, name, self.wall.elapsed().as_secs_f64() * 1000.0);
        put(row, &format!("{name}_cpu"), process_cpu() - self.process);
    }
}

/// Many times of one thing, on the wall and on the core of this thread: other work on the machine is only in the former.
#[derive(Default)]
struct Times {
    wall: Vec<f64>,
    cpu: Vec<f64>,
}

impl Times {
    fn take<T>(&mut self, run: impl FnOnce() -> T) -> T {
        let (wall, before) = (Instant::now(), thread_cpu());
        let made = run();
        self.cpu.push(thread_cpu() - before);
        self.wall.push(wall.elapsed().as_secs_f64() * 1000.0);
        made
    }

    /// Median, 95 of 100, and the longest.
    fn put(mut self, name: &str, row: &mut Row) {
        for (kind, all) in [("", &mut self.wall), ("_cpu", &mut self.cpu)] {
            all.sort_by(f64::total_cmp);
            let at = |share: usize| all[(all.len() * share / 100).min(all.len() - 1)];
            for (which, share) in [("median", 50), ("p95", 95), ("max", 100)] {
                put(row, &format!("{name}_{which}{kind}"), at(share));
            }
        }
    }
}

/// CPU time of this thread in milliseconds. The kernel brings it up to date some hundred times a second, so single figures are
/// coarse where medians are not.
fn thread_cpu() -> f64 {
    let stat = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    stat.split(' ').next().and_then(|it| it.parse::<f64>().ok()).unwrap_or(0.0) / 1e6
}

/// CPU time of this process, its ended threads included, in milliseconds; the kernel counts in hundredths of a second.
fn process_cpu() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields: Vec<f64> =
        stat.rsplit(')').next().unwrap_or_default().split_whitespace().filter_map(|it| it.parse().ok()).collect();
    // The state, a letter, is not a number: user and system time are fields 14 and 15 of the whole line.
    fields.get(10..12).map_or(0.0, |it| it.iter().sum::<f64>() * 10.0)
}

fn update(index: &Index, root: &Path, states: &[FileState]) -> Report {
    index.update(states, &|path| std::fs::read(root.join(path)), &|_| {}).unwrap()
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

fn memory(what: &str) -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|it| it.starts_with(what)).unwrap_or_default();
    line.split_whitespace().nth(1).and_then(|it| it.parse::<f64>().ok()).unwrap_or(0.0) / 1024.0
}
