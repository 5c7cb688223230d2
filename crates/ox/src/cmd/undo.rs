//! `ox undo`: takes back what the last turn changed. What is there now is recorded first; what somebody changed since, or
//! a `HEAD` that has moved, is asked about first.

use std::io::{IsTerminal, Write};

use clap::Args;
use ox_protocol::{Over, Problem, Stop};
use ox_repo::{UndoOutcome, UndoPreview};
use serde_json::json;

use super::checkpoints;
use super::print::{err, json, out};

/// Arguments of `ox undo`.
#[derive(Debug, Args)]
pub struct UndoArgs {
    /// Show what would change, and change nothing.
    #[arg(long)]
    dry_run: bool,
    /// Keep files that changed since the turn, and undo the rest.
    #[arg(long, conflicts_with = "force")]
    keep: bool,
    /// Undo everything, even files that changed since the turn.
    #[arg(long)]
    force: bool,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

/// Goes back. Exit code 4: somebody has to agree first, and nobody could be asked.
pub fn run(args: UndoArgs) -> anyhow::Result<u8> {
    let (states, language) = checkpoints::open()?;
    let mut over = match (args.keep, args.force) {
        (true, _) => Over::Keep,
        (_, true) => Over::Force,
        _ => Over::Ask,
    };
    loop {
        let went = states.undo(Some(over).filter(|_| !args.dry_run))?;
        let back = match went {
            UndoOutcome::Nothing => return Err(Problem::new("undo.nothing").into()),
            UndoOutcome::Done(restored) => {
                checkpoints::reported(&restored, args.json, language);
                return Ok(0);
            }
            UndoOutcome::Asks(back) => back,
        };
        if args.json {
            json(&reported(&back, args.dry_run));
        } else if args.dry_run {
            out(&language.say("undo.dry_run", &[("count", &back.files.len().to_string())]));
            out(&checkpoints::files(&back.files));
        }
        let clean = back.lost.is_empty() && back.moved.is_none();
        if !args.json && !clean {
            err(&language.problem(&ox_agent::asked(&back)));
        }
        if args.dry_run {
            return Ok(0);
        }
        if args.json || !(std::io::stdin().is_terminal() && std::io::stderr().is_terminal()) {
            err(&language.say("undo.refused", &[]));
            return Ok(Stop::PermissionRefused.exit_code());
        }
        over = match answer(&language.say("undo.ask", &[]))?.as_str() {
            "y" | "yes" | "是" => Over::Force,
            "k" | "keep" => Over::Keep,
            _ => return Ok(0),
        };
    }
}

fn answer(question: &str) -> std::io::Result<String> {
    let mut stderr = std::io::stderr().lock();
    stderr.write_all(format!("{question} ").as_bytes()).and_then(|()| stderr.flush())?;
    let mut line = String::new();
    std::io::stdin().read_line(&mut line)?;
    Ok(line.trim().to_lowercase())
}

fn reported(back: &UndoPreview, dry_run: bool) -> serde_json::Value {
    let moved = back.moved.as_ref().map(|(then, now)| json!({"then": then, "now": now}));
    json!({"dry_run": dry_run, "files": back.files, "lost": back.lost, "moved": moved, "git": back.git})
}
