//! Malformed model output, bad answers and bad networks: `cargo xtask bench faults [--corpus FILE] [--show ID] [--ox PROGRAM]`.
//! Without a corpus the cases of this repository are played, `faults/cases.jsonl`.
//!
//! Each case is played to a real `ox run --json` by a server on loopback that says exactly what the case says, and judged by
//! the events of the run. Nothing is judged by what the code is believed to do; a case that cannot be played counts as wrong.

mod body;
mod case;
mod clock;
mod judge;
mod plan;
mod play;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use anyhow::Result;

use crate::program::{debug_ox, root};
use case::Case;

/// How many cases are played side by side; most of their time is waiting.
const BESIDE: usize = 4;

/// What came of one case.
struct Verdict {
    kind: String,
    id: String,
    /// Why it is wrong; none where it is right.
    wrong: Option<String>,
}

/// What is played to which program.
#[derive(clap::Args)]
pub struct Options {
    /// Cases as JSON lines; those of this repository without it.
    #[arg(long)]
    corpus: Option<PathBuf>,
    /// Only the case of this id, with all that was seen.
    #[arg(long)]
    show: Option<String>,
    /// A binary to take instead of building one.
    #[arg(long)]
    ox: Option<PathBuf>,
}

/// Plays the corpus; true if every case went as expected.
pub fn run(options: Options) -> Result<bool> {
    let Options { corpus, show, ox } = options;
    let mut cases = case::read(&corpus.unwrap_or_else(|| root().join("bench/src/faults/cases.jsonl")))?;
    cases.retain(|it| show.as_ref().is_none_or(|id| *id == it.id));
    let ox = debug_ox(ox.as_ref())?;
    let verdicts = Mutex::new(Vec::new());
    let next = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for _ in 0..BESIDE.min(cases.len()) {
            scope.spawn(|| {
                while let Some(case) = cases.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let verdict = judged(case, &ox, show.is_some());
                    verdicts.lock().expect("no holder of this lock panics").push(verdict);
                }
            });
        }
    });
    let mut verdicts = verdicts.into_inner().expect("no holder of this lock panics");
    verdicts.sort_by(|a, b| (&a.kind, &a.id).cmp(&(&b.kind, &b.id)));
    Ok(report(&verdicts))
}

fn judged(case: &Case, ox: &Path, show: bool) -> Verdict {
    let wrong = match plan::plan(case) {
        None => Some("it is not known how to play this".to_string()),
        Some(plan) => match play::play(&plan, ox) {
            Err(error) => Some(format!("it could not be played: {error:#}")),
            Ok(seen) => {
                if show {
                    println!("{}\n{}", seen.lines.join("\n"), seen.stderr);
                }
                judge::judge(case, &plan, &seen).err()
            }
        },
    };
    Verdict { kind: case.kind.clone(), id: case.id.clone(), wrong }
}

/// Prints a row for each kind, then what went wrong.
fn report(verdicts: &[Verdict]) -> bool {
    let mut kinds: BTreeMap<&str, (usize, Vec<&str>)> = BTreeMap::new();
    for verdict in verdicts {
        let row = kinds.entry(&verdict.kind).or_default();
        match verdict.wrong {
            None => row.0 += 1,
            Some(_) => row.1.push(&verdict.id),
        }
    }
    println!("{:<12} {:>5} {:>5}", "kind", "right", "wrong");
    for (kind, (right, wrong)) in &kinds {
        println!("{kind:<12} {right:>5} {:>5}  {}", wrong.len(), wrong.join(" "));
    }
    let wrong: Vec<&Verdict> = verdicts.iter().filter(|it| it.wrong.is_some()).collect();
    println!("{:<12} {:>5} {:>5}", "all", verdicts.len() - wrong.len(), wrong.len());
    for verdict in &wrong {
        println!("{}: {}", verdict.id, verdict.wrong.as_deref().unwrap_or_default());
    }
    wrong.is_empty() && !verdicts.is_empty()
}
