//! `ox checkpoints`: the recorded states of this project. It changes none of its files.

use std::path::{Component, Path};

use clap::Args;
use ox_app::project::checkpoints::{RecordedStates, TurnStates};
use ox_protocol::locale::Language;
use ox_protocol::{ChangeKind, CheckpointReason, FileChange};
use ox_repo::{Checkpoint, Restored, Skipped};
use ox_ui::words;
use serde_json::{Value, json};

use super::print::{columns, cut, err, json, out, paint};
use super::shared;

/// Longest reason in the list, in characters.
const WHY: usize = 48;

/// Arguments of `ox checkpoints`.
#[derive(Debug, Args)]
pub struct CheckpointsArgs {
    /// Shrink the store: delete the oldest checkpoints if it exceeds its size limit.
    #[arg(long)]
    prune: bool,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

/// Opens them. Words about what happened to the store go to standard error.
pub(super) fn open() -> anyhow::Result<(RecordedStates, Language)> {
    let project = shared::open()?;
    let states = project.recorded_states()?;
    states.reported().iter().for_each(|it| err(it));
    Ok((states, project.settings.language))
}

/// A path that is relative to the current folder, from the top.
pub(super) fn here(path: &str) -> String {
    let mut full = std::env::current_dir().unwrap_or_default();
    for part in Path::new(path).components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                full.pop();
            }
            // An absolute one takes the place of all.
            other => full.push(other),
        }
    }
    full.to_string_lossy().into_owned()
}

/// Lists the checkpoints, or prunes them.
pub fn run(args: CheckpointsArgs) -> anyhow::Result<u8> {
    let (states, language) = open()?;
    if args.prune {
        let pruned = states.prune()?;
        if args.json {
            json(&json!({
                "given_up": pruned.given_up, "kept": pruned.kept, "before": pruned.before, "after": pruned.after,
            }));
        } else {
            let [before, after] = [pruned.before, pruned.after].map(|it| format!("{:.1}", it as f64 / 1_048_576.0));
            let (given_up, kept) = (pruned.given_up.to_string(), pruned.kept.to_string());
            let args = [("given_up", &*given_up), ("kept", &kept), ("before", &before), ("after", &after)];
            out(&language.say("checkpoints.pruned", &args));
        }
        return Ok(0);
    }
    if args.json {
        json(&states.list()?.iter().map(value).collect());
        return Ok(0);
    }
    let turns = states.by_turns()?;
    if turns.is_empty() {
        err(&language.say("checkpoints.none", &[("root", &states.root().display().to_string())]));
    } else {
        out(&listed(&turns, language));
        let skipped = turns.first().and_then(|it| it.states.first()).map_or(&[][..], |it| &it.skipped);
        if !skipped.is_empty() {
            out(&format!("\n{}", language.say("checkpoints.skipped_head", &[])));
            out(&skips(skipped));
        }
    }
    Ok(0)
}

/// The states, each below its turn.
fn listed(turns: &[TurnStates], language: Language) -> String {
    let rows: Vec<Vec<String>> = turns.iter().flat_map(|it| &it.states).map(|it| row(it, language)).collect();
    let rows = columns(&rows);
    let (mut rows, mut text) = (rows.lines(), String::new());
    for it in turns {
        text += &format!("{}\n", paint(&it.title(language), "1"));
        rows.by_ref().take(it.states.len()).for_each(|row| text += &format!("  {row}\n"));
    }
    text
}

fn row(it: &Checkpoint, language: Language) -> Vec<String> {
    let reason = language.say(&format!("checkpoints.reason.{}", reason(it.reason)), &[]);
    let files = language.say("checkpoints.files", &[("count", &it.files.to_string())]);
    let skipped = match it.skips {
        0 => String::new(),
        count => language.say("checkpoints.skipped", &[("count", &count.to_string())]),
    };
    vec![paint(&it.id, "36"), words::here(it.time), reason, files, size(it.bytes), skipped, cut(&it.why, WHY)]
}

fn reason(reason: CheckpointReason) -> String {
    serde_json::to_value(reason).ok().and_then(|it| it.as_str().map(str::to_owned)).unwrap_or_default()
}

fn size(bytes: u64) -> String {
    match bytes {
        0..1024 => format!("{bytes} B"),
        1024..1_048_576 => format!("{:.1} KiB", bytes as f64 / 1024.0),
        _ => format!("{:.1} MiB", bytes as f64 / 1_048_576.0),
    }
}

fn value(it: &Checkpoint) -> Value {
    json!({
        "id": it.id, "time": it.time, "conversation": it.conversation, "turn": it.turn, "call": it.call,
        "reason": it.reason, "why": it.why, "files": it.files, "bytes": it.bytes,
        "skipped": it.skipped.iter().map(skip_value).collect::<Vec<_>>(), "skips": it.skips,
    })
}

fn skip_value(it: &Skipped) -> Value {
    json!({"path": it.path, "bytes": it.bytes, "why": it.why.name()})
}

fn skips(skipped: &[Skipped]) -> String {
    let rows = skipped.iter().map(|it| vec![format!("  {}", it.path), size(it.bytes), it.why.to_string()]);
    columns(&rows.collect::<Vec<_>>())
}

/// Files with what happened to each, a line each.
pub(super) fn files(files: &[FileChange]) -> String {
    let mut text = String::new();
    for FileChange { path, kind, from, added, removed, .. } in files {
        let letter = match kind {
            ChangeKind::Created => 'A',
            ChangeKind::Modified => 'M',
            ChangeKind::Deleted => 'D',
            ChangeKind::Renamed => 'R',
        };
        let from = from.as_ref().map(|it| format!("{it} → ")).unwrap_or_default();
        let lines = if (*added, *removed) == (0, 0) { String::new() } else { format!("  +{added} -{removed}") };
        text += &format!("{letter} {from}{path}{lines}\n");
    }
    text
}

/// Tells what putting back came to.
pub(super) fn reported(restored: &Restored, as_json: bool, language: Language) {
    let Restored { to, before, files: changed, left, git } = restored;
    if as_json {
        json(&json!({
            "to": value(to), "before": value(before), "files": changed,
            "left": left.iter().map(skip_value).collect::<Vec<_>>(), "git": git,
        }));
        return;
    }
    out(&files(changed));
    let count = changed.len().to_string();
    let key = if changed.is_empty() && git.is_empty() { "restore.same" } else { "restore.done" };
    out(&language.say(key, &[("to", &to.id), ("before", &before.id), ("count", &count)]));
    if !git.is_empty() {
        out(&language.say("back.git", &[("count", &git.len().to_string())]));
    }
    if !left.is_empty() {
        out(&language.say("restore.left", &[]));
        out(skips(left).trim_end());
    }
}

/// Tells what putting back would come to.
pub(super) fn would(to: &Checkpoint, changed: &[FileChange], as_json: bool, language: Language) {
    if as_json {
        json(&json!({"to": value(to), "files": changed, "dry_run": true}));
        return;
    }
    let count = changed.len().to_string();
    out(&language.say("restore.dry_run", &[("to", &to.id), ("count", &count)]));
    out(&files(changed));
}
