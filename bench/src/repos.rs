//! Small projects with a seeded fault in the languages people use, repaired (or not) by a scripted model, with the real
//! toolchains: `cargo xtask bench repos [--only NAME]`.
//!
//! Each file under `bench/repos/ECOSYSTEM/` is one project with what the model replies and, in its section `end`, what must
//! come of it. Ox finds the checks by itself; nothing tells it which there are. A case whose programs are missing does not
//! pass. `bench/repos/install` brings the programs.

mod case;
mod play;

use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use anyhow::{Context, Result, ensure};

use crate::program;
use case::Case;

/// Which cases are played, and how.
#[derive(clap::Args)]
pub struct Options {
    /// Only cases whose name, such as `python/pytest_repaired`, contains this.
    #[arg(long)]
    only: Option<String>,
    /// A binary to take instead of building one.
    #[arg(long)]
    ox: Option<PathBuf>,
    /// How many cases run at once. Default: one per core.
    #[arg(long)]
    jobs: Option<usize>,
    /// Write what came of each case into its file; review the difference.
    #[arg(long)]
    update: bool,
    /// Also print the events of each case that does not end as it must.
    #[arg(long)]
    events: bool,
}

/// What came of one case.
enum Outcome {
    /// It was played; these are the lines of its end, and the files that are not as they must be.
    Played(play::Played),
    /// It could not be played, and why.
    NotPlayed(String),
}

struct Row {
    case: Case,
    outcome: Outcome,
    took: Duration,
}

impl Row {
    fn passed(&self) -> bool {
        matches!(&self.outcome, Outcome::Played(it) if it.wrong.is_empty() && case::difference(&self.case.end, &it.end).is_empty())
    }
}

/// Plays the cases and prints a table; true if every one ended as its file says.
pub fn run(options: &Options) -> Result<bool> {
    let ox = program::debug_ox(options.ox.as_ref())?;
    let only = options.only.as_deref().unwrap_or_default();
    let cases: Vec<Case> = case::all()?.into_iter().filter(|it| it.name.contains(only)).collect();
    ensure!(!cases.is_empty(), "no case under bench/repos has `{only}` in its name");
    let jobs = options.jobs.or(std::thread::available_parallelism().ok().map(usize::from)).unwrap_or(1).max(1);
    let mut rows = played(cases, &ox, jobs);
    rows.sort_by(|a, b| a.case.name.cmp(&b.case.name));
    if options.update {
        rows.iter().try_for_each(update)?;
    }
    print(&rows, options.events);
    Ok(rows.iter().all(Row::passed))
}

/// Every case, so many at once.
fn played(cases: Vec<Case>, ox: &std::path::Path, jobs: usize) -> Vec<Row> {
    let (next, rows) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    std::thread::scope(|scope| {
        for _ in 0..jobs {
            scope.spawn(|| {
                while let Some(case) = cases.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let (outcome, took) = one(case, ox);
                    let row = Row { case: case.clone(), outcome, took };
                    rows.lock().expect("no holder of this lock panics").push(row);
                }
            });
        }
    });
    rows.into_inner().expect("no holder of this lock panics")
}

fn one(case: &Case, ox: &std::path::Path) -> (Outcome, Duration) {
    let began = std::time::Instant::now();
    let outcome = match play::unmet(case) {
        Some(why) => Outcome::NotPlayed(why),
        None => play::play(case, ox).map_or_else(|error| Outcome::NotPlayed(format!("{error:#}")), Outcome::Played),
    };
    (outcome, began.elapsed())
}

fn update(row: &Row) -> Result<()> {
    let Outcome::Played(played) = &row.outcome else { return Ok(()) };
    let text = row.case.with_end(&played.end);
    std::fs::write(&row.case.file, text).with_context(|| format!("writing {}", row.case.file.display()))
}

fn print(rows: &[Row], events: bool) {
    let stop = |end: &str| {
        let value = |key: &str| end.lines().find_map(|it| it.strip_prefix(key)).unwrap_or("?").to_string();
        format!("{} {}", value("exit: "), value("stop: "))
    };
    println!("{:<48} {:<26} {:<26} {:>7} {:>8} {:>7}", "case", "expected", "got", "seconds", "requests", "tokens");
    for row in rows {
        let (got, requests, tokens) = match &row.outcome {
            Outcome::Played(it) => (stop(&it.end), it.requests.to_string(), it.tokens.to_string()),
            Outcome::NotPlayed(_) => ("not played".to_string(), String::new(), String::new()),
        };
        let mark = if row.passed() { "" } else { "  ✗" };
        let seconds = row.took.as_secs_f64();
        let (name, expected) = (&row.case.name, stop(&row.case.end));
        println!("{name:<48} {expected:<26} {got:<26} {seconds:>7.1} {requests:>8} {tokens:>7}{mark}");
    }
    for row in rows.iter().filter(|it| !it.passed()) {
        println!("\n✗ {}: {}", row.case.name, row.case.title);
        match &row.outcome {
            Outcome::NotPlayed(why) => println!("  {why}"),
            Outcome::Played(it) => {
                case::difference(&row.case.end, &it.end).iter().for_each(|line| println!("  {line}"));
                it.wrong.iter().for_each(|line| println!("  {line}"));
                if events {
                    println!("{}\n{}", it.stdout, it.stderr);
                }
            }
        }
    }
    let folder = |row: &Row| row.case.name.split('/').next().unwrap_or_default().to_string();
    let kinds: std::collections::BTreeSet<String> = rows.iter().map(folder).collect();
    let passed = rows.iter().filter(|it| it.passed()).count();
    println!(
        "\nrepos  {} of {} cases ended as they must, in {} ecosystems; {}",
        passed,
        rows.len(),
        kinds.len(),
        program::load()
    );
}
