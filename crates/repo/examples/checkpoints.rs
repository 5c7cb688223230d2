//! Measures checkpoints on a tree of 10,000 files, beside git on the same tree in the same run: `-- [ROUNDS]`.
//!
//! Prints a table, and a line for every limit that was missed; leaves with 1 then.

use std::path::Path;
use std::process::{Command, ExitCode, Stdio};
use std::time::Instant;

use ox_protocol::{CheckpointReason, Time};
use ox_repo::{Checkpoints, Note, Tree};

const FILES: usize = 10_000;
const RESTORED: usize = 1_000;
/// Milliseconds.
const UNCHANGED: f64 = 30.0;
const ONE_CHANGE: f64 = 40.0;
const RESTORE: f64 = 300.0;
const SMALL: f64 = 1.0;
const OPENING: f64 = 2.0;

type Answer<T> = Result<T, Box<dyn std::error::Error>>;

fn main() -> ExitCode {
    let rounds = std::env::args().nth(1).and_then(|it| it.parse().ok()).unwrap_or(20);
    match run(rounds) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn note() -> Note {
    let (conversation, why) = ("bench".to_owned(), String::new());
    Note { conversation, turn: 1, call: None, reason: CheckpointReason::AfterCommand, why, time: Time(0) }
}

/// Files of a few hundred lines in a thousand folders.
fn fill(root: &Path, count: usize) -> Answer<()> {
    for number in 0..count {
        let folder = root.join(format!("part{}/module{}", number % 25, number / 25 % 40));
        std::fs::create_dir_all(&folder)?;
        let line = format!("pub fn function_{number}(x: u32) -> u32 {{ x + {number} }}\n");
        std::fs::write(folder.join(format!("file{number}.rs")), line.repeat(1 + number % 60))?;
    }
    Ok(())
}

fn file(root: &Path, number: usize) -> std::path::PathBuf {
    root.join(format!("part{}/module{}/file{number}.rs", number % 25, number / 25 % 40))
}

fn git(root: &Path, args: &[&str]) -> Answer<()> {
    let mut command = Command::new("git");
    command.args(["-c", "user.name=Bench", "-c", "user.email=bench@example.com"]).args(args).current_dir(root);
    command.stdout(Stdio::null()).stderr(Stdio::null());
    if command.status()?.success() { Ok(()) } else { Err(format!("git {args:?} failed").into()) }
}

/// The middle of `rounds` times, in milliseconds, of what `act` does after `prepare`.
fn median(
    rounds: usize,
    mut prepare: impl FnMut(usize) -> Answer<()>,
    mut act: impl FnMut() -> Answer<()>,
) -> Answer<f64> {
    let mut times = Vec::new();
    for round in 0..rounds {
        prepare(round)?;
        let began = Instant::now();
        act()?;
        times.push(began.elapsed().as_secs_f64() * 1e3);
    }
    times.sort_by(f64::total_cmp);
    Ok(times[times.len() / 2])
}

fn run(rounds: usize) -> Answer<bool> {
    let place = tempfile::tempdir()?;
    let (root, state) = (place.path().join("tree"), place.path().join("state"));
    std::fs::create_dir_all(&root)?;
    fill(&root, FILES)?;
    for args in [&["init", "-q"][..], &["add", "."], &["commit", "-q", "-m", "all"]] {
        git(&root, args)?;
    }
    let tree = Tree::open(&root, &[])?;
    let open = || Checkpoints::open(&state, &tree);
    // What was written a moment ago is read once more by everybody who cannot tell whether it changed since.
    std::thread::sleep(std::time::Duration::from_millis(1_100));
    let began = Instant::now();
    open()?.take(&note())?;
    println!("first checkpoint of {FILES} files: {:.0} ms", began.elapsed().as_secs_f64() * 1e3);
    git(&root, &["status"])?;
    open()?.take(&note())?;
    let change = |round: usize| Ok(std::fs::write(file(&root, 4_321), format!("// round {round}\n"))?);
    let nothing = |_: usize| Ok(());
    let checkpoints = open()?;
    checkpoints.take(&note())?;
    let take = || Ok(checkpoints.take(&note()).map(drop)?);
    let cold = || Ok(open()?.take(&note()).map(drop)?);
    let status = || git(&root, &["status", "--porcelain"]);
    let stash = || git(&root, &["stash", "create"]);
    let mut missed = false;
    let mut row = |name: &str, ours: f64, limit: f64, theirs: Option<(&str, f64)>| {
        let peer = theirs.map(|(it, time)| format!("{it} {time:.1} ms, ratio {:.2}", ours / time)).unwrap_or_default();
        println!("{name:44} {ours:8.2} ms  ≤ {limit:<5} {peer}");
        if ours > limit {
            println!("missed: {name}: {ours:.2} ms, at most {limit}");
            missed = true;
        }
    };
    row(
        "unchanged, same process",
        median(rounds, nothing, take)?,
        UNCHANGED,
        Some(("git status", median(rounds, nothing, status)?)),
    );
    row("unchanged, new process", median(rounds, nothing, cold)?, UNCHANGED, None);
    let ours = median(rounds, change, take)?;
    row("after one change", ours, ONE_CHANGE, Some(("git stash create", median(rounds, change, stash)?)));
    let (ours, theirs) = restore(&root, &checkpoints, rounds.min(10))?;
    row("restore of 1,000 files", ours, RESTORE, Some(("git checkout -- .", theirs)));
    let (take, opening) = small(place.path(), rounds * 10)?;
    row("unchanged, 20 files", take, SMALL, None);
    row("opening, 20 files", opening, OPENING, None);
    Ok(!missed)
}

fn restore(root: &Path, checkpoints: &Checkpoints, rounds: usize) -> Answer<(f64, f64)> {
    git(root, &["checkout", "--", "."])?;
    let id = checkpoints.take(&note())?.checkpoint.id;
    let spoil = |round: usize| -> Answer<()> {
        for number in 0..RESTORED {
            std::fs::write(file(root, number * 10), format!("spoilt {round} {number}\n"))?;
        }
        Ok(())
    };
    let ours = median(rounds, spoil, || Ok(checkpoints.restore(&id, &[], &note()).map(drop)?))?;
    let theirs = median(rounds, spoil, || git(root, &["checkout", "--", "."]))?;
    Ok((ours, theirs))
}

fn small(place: &Path, rounds: usize) -> Answer<(f64, f64)> {
    let (root, state) = (place.join("small"), place.join("small-state"));
    std::fs::create_dir_all(&root)?;
    fill(&root, 20)?;
    let tree = Tree::open(&root, &[])?;
    std::thread::sleep(std::time::Duration::from_millis(50));
    let checkpoints = Checkpoints::open(&state, &tree)?;
    checkpoints.take(&note())?;
    checkpoints.take(&note())?;
    let take = median(rounds, |_| Ok(()), || Ok(checkpoints.take(&note()).map(drop)?))?;
    let opening = median(
        rounds,
        |_| Ok(()),
        || {
            Checkpoints::open(&state, &tree)?.list()?;
            Ok(())
        },
    )?;
    Ok((take, opening))
}
