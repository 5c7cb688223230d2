//! `ox checkpoints`: the recorded states of this project. It changes none of its files.

use std::path::{Component, Path};
use std::time::{Duration, UNIX_EPOCH};

use clap::Args;
use ox_app::project::checkpoints::RecordedStates;
use ox_protocol::locale::Language;
use ox_protocol::{ChangeKind, CheckpointReason, FileChange, Time};
use ox_repo::{Checkpoint, Restored, Skipped};
use serde_json::{Value, json};

use super::print::{columns, cut, err, json, out};
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
    let list = states.list()?;
    if args.json {
        json(&list.iter().map(value).collect());
    } else if list.is_empty() {
        err(&language.say("checkpoints.none", &[("root", &states.root().display().to_string())]));
    } else {
        out(&columns(&list.iter().map(|it| row(it, language)).collect::<Vec<_>>()));
        let skipped = list.last().map(|it| it.skipped.as_slice()).unwrap_or_default();
        if !skipped.is_empty() {
            out(&format!("\n{}", language.say("checkpoints.skipped_head", &[])));
            out(&skips(skipped));
        }
    }
    Ok(0)
}

fn row(it: &Checkpoint, language: Language) -> Vec<String> {
    let turn = match it.conversation.is_empty() {
        true => String::new(),
        false => {
            let turn = it.turn.to_string();
            language.say("checkpoints.turn", &[("conversation", &it.conversation), ("turn", &turn)])
        }
    };
    let reason = language.say(&format!("checkpoints.reason.{}", reason(it.reason)), &[]);
    let files = language.say("checkpoints.files", &[("count", &it.files.to_string())]);
    let skipped = match it.skips {
        0 => String::new(),
        count => language.say("checkpoints.skipped", &[("count", &count.to_string())]),
    };
    vec![it.id.clone(), when(it.time), turn, reason, files, size(it.bytes), skipped, cut(&it.why, WHY)]
}

fn reason(reason: CheckpointReason) -> String {
    serde_json::to_value(reason).ok().and_then(|it| it.as_str().map(str::to_owned)).unwrap_or_default()
}

/// Date and time in UTC, to the second.
fn when(time: Time) -> String {
    let shown = humantime::format_rfc3339_seconds(UNIX_EPOCH + Duration::from_millis(time.0));
    shown.to_string().replace('T', " ")
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_moment_is_reported_in_utc() {
        let table = [
            (0, "1970-01-01 00:00:00Z"),
            (951_782_400_000, "2000-02-29 00:00:00Z"),
            (1_795_305_599_999, "2026-11-21 23:59:59Z"),
            (4_107_542_399_000, "2100-02-28 23:59:59Z"),
        ];
        for (time, expected) in table {
            assert_eq!(when(Time(time)), expected);
        }
    }
}
