//! `bench loop`: start-up, the gap between turns, memory and prompt size over a twenty-turn task with a mock model.
//!
//! Ox is held to its limits; peers are measured in the same run for comparison and can fail nothing.

mod figures;
pub mod measure;
mod programs;
pub mod request;
pub mod script;
mod server;

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};

use self::figures::Figures;
use self::measure::{Run, median};
use self::programs::{OX, PEERS, Program};
use self::script::{LONG, Script, TURNS};
use self::server::{Mock, Seen};
use crate::program;

const MIB: f64 = 1024.0 * 1024.0;

/// What is measured, and how often.
#[derive(clap::Args)]
pub struct Options {
    /// How often each figure is measured.
    #[arg(long, default_value = "10", value_parser = clap::value_parser!(u16).range(1..))]
    runs: u16,
    /// A binary to take instead of building one.
    #[arg(long)]
    ox: Option<PathBuf>,
    /// A program to measure; all without it. May be repeated.
    #[arg(long)]
    only: Vec<String>,
}

/// Measures Ox and the peers, prints the table, and answers whether Ox kept its limits.
pub fn run(options: &Options) -> Result<bool> {
    let runs = usize::from(options.runs);
    let wanted = |name: &str| options.only.is_empty() || options.only.iter().any(|only| only == name);
    let mock = Mock::start()?;
    let (mut rows, mut notes, mut missed) = (Vec::new(), Vec::new(), Vec::new());
    if wanted(OX.name) {
        let ox = program::ox(options.ox.as_ref())?;
        let mut measured = subject(&OX, &ox, &mock, runs)?;
        let start = |place: &measure::Place, port: u16| (OX.start)(&ox, place, port);
        measured.usual.growth = Some(growth(&|script, watch| measure::once(&mock, script, watch, &start))?);
        measured.usual.binary = Some(std::fs::metadata(&ox)?.len() as f64 / MIB);
        missed = figures::missed(&measured.usual);
        measured.show(OX.name, &mut rows, &mut notes);
    }
    for peer in PEERS.iter().filter(|peer| wanted(peer.name)) {
        let Some(program) = program::on_path(peer.name) else {
            notes.push(format!("{}: not found on PATH", peer.name));
            continue;
        };
        match subject(peer, &program, &mock, runs.min(3)) {
            Ok(measured) => measured.show(peer.name, &mut rows, &mut notes),
            Err(error) => notes.push(format!("{}: {error:#}", peer.name)),
        }
        if !peer.note.is_empty() {
            notes.push(format!("{}: {}", peer.name, peer.note));
        }
    }
    if options.only.is_empty() {
        notes.push("gemini, cline, openhands, auto-coder: not asked, the mock does not speak to them".to_owned());
    }
    // The lowest of the runs suffer least from other work on the machine.
    notes.push(format!("{}; medians, and below each the lowest of the runs", program::load()));
    print!("\n{}\n", figures::table(&rows));
    notes.iter().for_each(|note| println!("{note}"));
    missed.iter().for_each(|miss| println!("MISSED  {miss}"));
    Ok(missed.is_empty())
}

/// What was measured of one program.
#[derive(Default)]
struct Measured {
    /// Medians, and what does not vary.
    usual: Figures,
    /// The lowest of the runs.
    lowest: Figures,
    /// What kept the rest from being measured.
    failed: Option<anyhow::Error>,
}

impl Measured {
    fn show(self, name: &str, rows: &mut Vec<(String, Figures)>, notes: &mut Vec<String>) {
        rows.push((name.to_owned(), self.usual));
        rows.push(("lowest".to_owned(), self.lowest));
        notes.extend(self.failed.map(|error| format!("{name}: {error:#}")));
    }
}

/// All figures of one program but the size of its binary.
fn subject(subject: &Program, program: &Path, mock: &Mock, runs: usize) -> Result<Measured> {
    eprintln!("measuring {} …", subject.name);
    let start = |place: &measure::Place, port: u16| (subject.start)(program, place, port);
    let once = |script, watch| measure::once(mock, script, watch, &start);
    let mut measured = Measured::default();
    let mut versions = measure::time(program, &["--version"], runs * 2)?;
    (measured.usual.version, measured.lowest.version) = middle_and_lowest(&mut versions);
    start_up(&mut measured, runs, &once)?;
    measured.failed = turns(&mut measured, runs.min(5), &once).err();
    Ok(measured)
}

/// From the start of the process to its first request, and what is in that.
fn start_up(measured: &mut Measured, runs: usize, once: &dyn Fn(Script, bool) -> Result<Run>) -> Result<()> {
    // The first run of a program fills caches of the system that later ones find full.
    let warm = once(Script::Answer, false)?;
    let first = first_request(&warm).with_context(|| format!("it made no request; it said: {}", warm.words))?;
    measured.usual.prompt = Some(tokens(first)? as f64);
    measured.usual.tools = Some(first.format.read(&first.body).tools.len() as f64);
    let mut starts = Vec::new();
    for _ in 0..runs {
        let run = once(Script::Answer, false)?;
        starts.extend(first_request(&run).map(|first| first.arrived.duration_since(run.started).as_secs_f64() * 1e3));
    }
    (measured.usual.first_request, measured.lowest.first_request) = middle_and_lowest(&mut starts);
    Ok(())
}

/// How much longer the gap gets in a conversation of a thousand replies: medians of ten gaps around both places.
fn growth(once: &dyn Fn(Script, bool) -> Result<Run>) -> Result<f64> {
    let run = once(Script::Long, false)?;
    let gaps = gaps_of(&run);
    ensure!(gaps.len() >= LONG, "the long run ended after {} requests; it said: {}", gaps.len() + 1, run.words);
    let at = |reply: usize| median(&mut gaps[reply - 5..reply + 5].to_vec()).unwrap_or_default();
    eprintln!(
        "gap at reply 10: {:.2} ms, at 100: {:.2}, at 500: {:.2}, at 990: {:.2}",
        at(10),
        at(100),
        at(500),
        at(990)
    );
    Ok(at(990) - at(10))
}

/// Twenty turns: the gaps between them, the whole, and the memory.
fn turns(measured: &mut Measured, runs: usize, once: &dyn Fn(Script, bool) -> Result<Run>) -> Result<()> {
    let (mut gaps, mut durations, mut file_gaps) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..runs {
        let run = complete(once(Script::Commands, false)?)?;
        durations.push(run.wall.as_secs_f64());
        gaps.extend(gaps_of(&run));
        file_gaps.extend(gaps_of(&complete(once(Script::Files, false)?)?));
    }
    (measured.usual.gap, measured.lowest.gap) = middle_and_lowest(&mut gaps);
    (measured.usual.wall, measured.lowest.wall) = middle_and_lowest(&mut durations);
    (measured.usual.file_gap, measured.lowest.file_gap) = middle_and_lowest(&mut file_gaps);
    let watched = complete(once(Script::Commands, true)?)?;
    measured.usual.own_memory = Some(watched.peak as f64 / MIB);
    measured.usual.tree_memory = Some(watched.tree as f64 / MIB);
    Ok(())
}

/// The median and the lowest of some values.
fn middle_and_lowest(values: &mut [f64]) -> (Option<f64>, Option<f64>) {
    let middle = median(values);
    (middle, values.first().copied())
}

fn first_request(run: &Run) -> Option<&Seen> {
    run.seen.iter().find(|seen| seen.offers_tools).or(run.seen.first())
}

/// A run counts only if all its turns were made and the file was edited.
fn complete(run: Run) -> Result<Run> {
    let turns = run.seen.iter().filter(|seen| seen.offers_tools).count();
    ensure!(run.edited && turns > TURNS, "the run ended after {turns} requests; it said: {}", run.words);
    Ok(run)
}

/// Milliseconds from the end of each reply to the request after it.
fn gaps_of(run: &Run) -> Vec<f64> {
    let turns: Vec<&Seen> = run.seen.iter().filter(|seen| seen.offers_tools).collect();
    turns
        .windows(2)
        .map(|pair| pair[1].arrived.saturating_duration_since(pair[0].answered).as_secs_f64() * 1e3)
        .collect()
}

fn tokens(seen: &Seen) -> Result<usize> {
    let tokenizer = tiktoken_rs::o200k_base()?;
    Ok(tokenizer.encode_ordinary(&seen.format.prompt(&seen.body)).len())
}

/// What `bench mock` plays.
#[derive(clap::Args)]
pub struct Serve {
    #[arg(value_enum, default_value_t)]
    script: Script,
}

/// Serves the model with a fresh repository until it is stopped, for a closer look with a profiler or `curl`.
pub fn serve(options: &Serve) -> Result<bool> {
    let (mock, place) = (Mock::start()?, measure::Place::new()?);
    mock.play(options.script, &place.repo().display().to_string());
    println!("http://127.0.0.1:{}/v1", mock.port);
    println!("{}", place.repo().display());
    loop {
        std::thread::park();
    }
}
