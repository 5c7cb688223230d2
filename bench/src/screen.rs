//! `bench screen`: how soon there is a prompt, how often an idle one wakes up, and what it costs to show a long reply.
//!
//! Ox and the peers on `PATH` run on terminals of one size with one scripted model; Ox is held to its limits, peers can fail
//! nothing. What is measured is what the kernel says of the processes: switches that they asked for, memory, time; and the
//! bytes that came out of the terminal.

pub mod process;
mod programs;
mod pty;
mod server;

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Context, Result};

use self::programs::{OX, PEERS, Program};
use self::pty::Pty;
use self::server::{Reply, serving};
use crate::agent_loop::measure::{self, Place};
use crate::program;

/// The most that the median start may take until there is a prompt, in milliseconds.
const MOST_START: f64 = 30.0;
/// The most that the peak of memory may grow between the short reply and the long one, as a factor.
const MOST_GROWTH: f64 = 1.5;
/// How long what a program begins with is left to settle, and how long it is watched then.
const SETTLES: Duration = Duration::from_secs(2);
/// Between the text of a prompt and Enter: programs take what comes faster for a paste.
const TYPED: Duration = Duration::from_millis(500);
const MIB: f64 = 1024.0 * 1024.0;

/// What is measured, and how often.
#[derive(clap::Args)]
pub struct Options {
    /// How often the start is measured.
    #[arg(long, default_value = "10", value_parser = clap::value_parser!(u16).range(1..))]
    runs: u16,
    /// Lines of the short reply and of the long one.
    #[arg(long, num_args = 2, default_values = ["10000", "100000"])]
    lines: Vec<usize>,
    /// When a reply that is not shown to its end is given up, in seconds.
    #[arg(long, default_value = "180")]
    patience: u64,
    /// A binary to take instead of building one.
    #[arg(long)]
    ox: Option<PathBuf>,
    /// A program to measure; all without it. May be repeated.
    #[arg(long)]
    only: Vec<String>,
}

/// What one reply cost.
struct Shown {
    lines: usize,
    /// None where it was given up.
    took: Option<Duration>,
    bytes: u64,
    deltas: usize,
    cpu: f64,
    /// The peak of all processes of the program, in bytes.
    peak: u64,
}

/// Measures; true if Ox kept its limits.
pub fn run(options: &Options) -> Result<bool> {
    let wanted = |name: &str| options.only.is_empty() || options.only.iter().any(|only| only == name);
    let (mut missed, mut notes) = (Vec::new(), Vec::new());
    println!(
        "{:<8} {:>10} {:>8} {:>8} {:>8} {:>8} {:>9} {:>12} {:>8} {:>9}",
        "", "prompt ms", "lowest", "wake-ups", "lines", "s", "CPU s", "bytes/delta", "MiB", "deltas"
    );
    for subject in [OX].iter().chain(PEERS).filter(|it| wanted(it.name)) {
        let is_ox = subject.name == OX.name;
        let found = if is_ox { Some(program::ox(options.ox.as_ref())?) } else { program::on_path(subject.name) };
        let Some(found) = found else {
            notes.push(format!("{}: not found on PATH", subject.name));
            continue;
        };
        match measured(subject, &found, options) {
            Ok(it) if is_ox => missed = it,
            Ok(_) => {}
            Err(error) if is_ox => return Err(error),
            Err(error) => notes.push(format!("{}: {error:#}", subject.name)),
        }
    }
    notes.push(format!(
        "wake-ups: in {} s of idleness, all threads; MiB: peak of memory; {}",
        SETTLES.as_secs(),
        program::load()
    ));
    notes.iter().for_each(|it| println!("{it}"));
    missed.iter().for_each(|it| println!("MISSED  {it}"));
    Ok(missed.is_empty())
}

/// Measures one program, prints its rows, and gives the limits of Ox that it would miss.
fn measured(subject: &Program, found: &Path, options: &Options) -> Result<Vec<String>> {
    eprintln!("measuring {} …", subject.name);
    let mut starts = Vec::new();
    // The first run of a program fills caches of the system that later ones find full.
    for _ in 0..=options.runs {
        let place = Place::new()?;
        let began = Instant::now();
        let pty = opened(subject, found, &place, 1)?;
        starts.push(began.elapsed().as_secs_f64() * 1e3);
        pty.ends();
    }
    starts.remove(0);
    let median = measure::median(&mut starts).context("there is a run")?;
    let lowest = starts[0];
    let mut missed = Vec::new();
    let mut peaks = Vec::new();
    for (number, lines) in options.lines.iter().enumerate() {
        let (woken, shown) = reply(subject, found, *lines, Duration::from_secs(options.patience))?;
        let start = if number == 0 { format!("{median:>10.1} {lowest:>8.1}") } else { format!("{:>10} {:>8}", "", "") };
        let took = shown.took.map_or("never".to_owned(), |it| format!("{:.1}", it.as_secs_f64()));
        println!(
            "{:<8} {start} {woken:>8} {:>8} {took:>8} {:>9.2} {:>12.1} {:>8.0} {:>9}",
            subject.name,
            shown.lines,
            shown.cpu,
            shown.bytes as f64 / shown.deltas as f64,
            shown.peak as f64 / MIB,
            shown.deltas,
        );
        if woken > 0 {
            missed.push(format!("an idle prompt woke up {woken} times in {} s", SETTLES.as_secs()));
        }
        if shown.took.is_none() {
            missed.push(format!("{lines} lines were not shown to their end"));
        }
        peaks.push(shown.peak as f64);
    }
    let growth = peaks.last().context("there is a reply")? / peaks[0];
    println!("{:<8} memory grows by a factor of {growth:.2}", "");
    if growth > MOST_GROWTH {
        missed.push(format!("memory grows by a factor of {growth:.2}, at most {MOST_GROWTH} is allowed"));
    }
    if median > MOST_START {
        missed.push(format!("the prompt is there after {median:.1} ms, at most {MOST_START} are allowed"));
    }
    Ok(missed)
}

/// The program at its prompt, on a port where nobody need answer.
fn opened(subject: &Program, found: &Path, place: &Place, port: u16) -> Result<Pty> {
    let mut command = (subject.start)(found, place, port)?;
    measure::isolate(&mut command, place);
    command.env_remove("NO_COLOR");
    let pty = Pty::open(&command)?;
    pty.until(subject.ready, Duration::from_secs(60))?
        .with_context(|| format!("`{}` never came:\n{}", subject.ready, pty.picture()))?;
    Ok(pty)
}

/// Idleness, then a reply of so many lines.
fn reply(subject: &Program, found: &Path, lines: usize, patience: Duration) -> Result<(u64, Shown)> {
    let place = Place::new()?;
    let reply = Reply::new(lines);
    let (server, deltas) = serving(reply.clone())?;
    let port = server.url.rsplit(':').next().and_then(|it| it.parse().ok()).context("the address has a port")?;
    let pty = opened(subject, found, &place, port)?;
    std::thread::sleep(SETTLES);
    let before = process::switches(pty.id());
    std::thread::sleep(SETTLES);
    let woken = process::switches(pty.id()).saturating_sub(before);
    pty.types("Tell me.")?;
    std::thread::sleep(TYPED);
    let (bytes, cpu, began) = (pty.bytes(), process::seconds(pty.id()), Instant::now());
    pty.types("\r")?;
    let took = pty.until(&reply.last(), patience)?.map(|it| it.duration_since(began));
    let shown = Shown {
        lines,
        took,
        bytes: pty.bytes() - bytes,
        deltas: deltas.load(std::sync::atomic::Ordering::Relaxed).max(1),
        cpu: process::seconds(pty.id()) - cpu,
        peak: process::peak(pty.id()),
    };
    if took.is_none() {
        eprintln!("{} after {} s:\n{}", subject.name, patience.as_secs(), pty.picture());
    }
    pty.ends();
    Ok((woken, shown))
}
