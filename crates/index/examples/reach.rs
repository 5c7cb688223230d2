//! How well impact names the tests of a change: `reach CASES [files|symbols]` reads one case a line,
//! `{"repo", "dir", "changed", "ranges": [[first, last]], "tests": [PATH]}`: a tree as it was before a change of the file
//! `changed` in these lines, and the tests that were changed with it. It prints per repository how many of these tests impact
//! names, and how much it names in all. `-v` prints a line for each case, `-m` the tests that it does not name.

#![allow(clippy::unwrap_used, missing_docs)]

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::time::{Duration, Instant};

use ox_index::{FileState, Index, Snapshot, Target, reached};
use ox_syntax::is_test;
use serde_json::Value;

/// Places that are asked for.
const PLACES: usize = 2_000;

#[derive(Default)]
struct Row {
    cases: usize,
    wanted: usize,
    named: usize,
    whole: usize,
    tests: usize,
    all_tests: usize,
    files: usize,
    places: usize,
    cut: usize,
    time: Duration,
}

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let has = |it: &str| args.iter().any(|arg| arg == it);
    let cases = std::fs::read_to_string(&args[0]).unwrap();
    let cache = std::env::temp_dir().join("ox-reach");
    let mut rows: BTreeMap<String, Row> = BTreeMap::new();
    for line in cases.lines() {
        let case: Value = serde_json::from_str(line).unwrap();
        let repo = case["repo"].as_str().unwrap();
        let snapshot = snapshot(&cache, repo, Path::new(case["dir"].as_str().unwrap()));
        let row = rows.entry(repo.to_owned()).or_default();
        measure(&snapshot, &case, row, has("symbols"), has("-v"), has("-m"));
    }
    println!("repository  cases  tests named  all named  tests/case  of tests  files/case  places/case  cut   ms/case");
    let mut sum = Row::default();
    for (repo, row) in &rows {
        print(repo, row);
        sum.cases += row.cases;
        sum.wanted += row.wanted;
        sum.named += row.named;
        sum.whole += row.whole;
        sum.tests += row.tests;
        sum.all_tests += row.all_tests;
        sum.files += row.files;
        sum.places += row.places;
        sum.cut += row.cut;
        sum.time += row.time;
    }
    print("all", &sum);
}

fn print(repo: &str, it: &Row) {
    let each = |sum: usize| sum as f64 / it.cases.max(1) as f64;
    let share = |part: usize, of: usize| 100.0 * part as f64 / of.max(1) as f64;
    println!(
        "{repo:<10} {:>6} {:>8.1} % {:>8.1} % {:>11.1} {:>7.1} % {:>11.1} {:>12.1} {:>4} {:>9.1}",
        it.cases,
        share(it.named, it.wanted),
        share(it.whole, it.cases),
        each(it.tests),
        share(it.tests, it.all_tests),
        each(it.files),
        each(it.places),
        it.cut,
        it.time.as_secs_f64() * 1e3 / it.cases.max(1) as f64,
    );
}

fn measure(snapshot: &Snapshot, case: &Value, row: &mut Row, by_symbol: bool, verbose: bool, missed: bool) {
    let changed = case["changed"].as_str().unwrap();
    let targets = if by_symbol { symbols(snapshot, changed, &case["ranges"]) } else { Vec::new() };
    let targets = if targets.is_empty() { vec![Target::File(changed.to_owned())] } else { targets };
    let start = Instant::now();
    let impact = reached(snapshot, &targets, PLACES);
    row.time += start.elapsed();
    let named: BTreeSet<&str> = impact.tests().into_iter().collect();
    let wanted: Vec<&str> =
        case["tests"].as_array().unwrap().iter().filter_map(Value::as_str).filter(|it| snapshot.has(it)).collect();
    let found = wanted.iter().filter(|it| named.contains(**it)).count();
    row.cases += 1;
    row.wanted += wanted.len();
    row.named += found;
    row.whole += usize::from(found == wanted.len());
    row.tests += named.len();
    row.all_tests += snapshot.paths().filter(|it| is_test(it) && ox_syntax::language(it).is_some()).count();
    row.files += impact.files().len();
    row.places += impact.items.len();
    row.cut += usize::from(impact.cut);
    if verbose {
        println!("{changed} {targets:?}: {found} of {}, {} tests", wanted.len(), named.len());
    }
    for it in wanted.iter().filter(|it| missed && !named.contains(**it)) {
        println!("  missed {it} for {changed} {targets:?} {}", case["dir"]);
    }
}

/// The innermost symbols that the changed lines are in.
fn symbols(snapshot: &Snapshot, path: &str, ranges: &Value) -> Vec<Target> {
    let facts = snapshot.facts(path).unwrap();
    let mut names = BTreeSet::new();
    for range in ranges.as_array().unwrap() {
        let (first, last) = (range[0].as_u64().unwrap(), range[1].as_u64().unwrap());
        for line in first..=last {
            let around = facts.symbols.iter().filter(|it| (u64::from(it.line)..=u64::from(it.end)).contains(&line));
            if let Some(it) = around.min_by_key(|it| it.end - it.line) {
                names.insert(it.qualified.clone());
            }
        }
    }
    names.into_iter().map(|name| Target::Symbol { path: path.to_owned(), name }).collect()
}

fn snapshot(cache: &Path, key: &str, dir: &Path) -> Snapshot {
    let index = Index::open(cache, key).unwrap();
    let (mut states, mut folders) = (Vec::new(), vec![dir.to_owned()]);
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap().flatten() {
            let (kind, path) = (entry.file_type().unwrap(), entry.path());
            if kind.is_dir() {
                folders.push(path);
            } else if kind.is_file() {
                let meta = entry.metadata().unwrap();
                let since = meta.modified().unwrap().duration_since(std::time::UNIX_EPOCH).unwrap();
                let mtime = i64::try_from(since.as_nanos()).unwrap();
                let path = path.strip_prefix(dir).unwrap().to_str().unwrap().to_owned();
                states.push(FileState { path, size: meta.len(), mtime, ..FileState::default() });
            }
        }
    }
    states.sort_by(|a, b| a.path.cmp(&b.path));
    index.update(&states, &|path| std::fs::read(dir.join(path)), &|_| {}).unwrap();
    let _ = index.save();
    index.snapshot()
}
