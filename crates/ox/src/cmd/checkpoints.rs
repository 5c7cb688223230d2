//! `ox checkpoints`: the recorded states of this project. It changes none of its files.

use std::path::{Component, Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use clap::Args;
use ox_protocol::locale::Language;
use ox_protocol::{ChangeKind, CheckpointReason, FileChange, Layer, Problem, Time};
use ox_repo::{Checkpoint, Checkpoints, Note, RepoError, Restored, Skipped, Tree};
use serde_json::{Value, json};

use super::print::{columns, cut, err, json, out};
use crate::wire::{self, Opening, Told};

/// Longest reason in the list, in characters.
const WHY: usize = 48;

/// Arguments of `ox checkpoints`.
#[derive(Debug, Args)]
pub struct CheckpointsArgs {
    /// Make the store smaller: the oldest are given up if it is larger than it may be.
    #[arg(long)]
    prune: bool,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

/// The checkpoints of the project around the current folder, and what else a command needs.
pub(super) struct Place {
    pub checkpoints: Checkpoints,
    pub language: Language,
    pub root: String,
    state: PathBuf,
}

impl Place {
    /// Keeps turns of other processes from changing the project meanwhile.
    pub(super) fn lock(&self) -> anyhow::Result<ox_store::TreeLock> {
        Ok(ox_store::lock_tree(&self.state, Path::new(&self.root))?)
    }
}

/// Opens them. Words about what happened to the store go to standard error.
pub(super) fn open() -> anyhow::Result<Place> {
    let Opening { root, added, settings, paths, .. } = wire::opening(Layer::default(), &[])?;
    let told = |error: RepoError| Told(Problem::new("error.tree").with("why", error));
    let tree = Tree::open(&root, &added).map_err(told)?.with_journal(&paths.state_dir);
    let checkpoints = Checkpoints::open(&paths.state_dir, &tree).map_err(problem)?;
    checkpoints.told().iter().for_each(|it| err(it));
    Ok(Place {
        checkpoints,
        language: settings.language,
        root: tree.root().display().to_string(),
        state: paths.state_dir,
    })
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

/// An error of the checkpoints in the words of the user's language, where there are such.
pub(super) fn problem(error: RepoError) -> anyhow::Error {
    let problem = match &error {
        RepoError::NoCheckpoint { id, near } if near.is_empty() => Problem::new("checkpoints.unknown").with("id", id),
        RepoError::NoCheckpoint { id, near } => {
            Problem::new("checkpoints.near").with("id", id).with("near", near.join(", "))
        }
        RepoError::ManyCheckpoints { id, candidates } => {
            Problem::new("checkpoints.many").with("id", id).with("near", candidates.join(", "))
        }
        RepoError::RedoGone { id } => Problem::new("redo.gone").with("id", id),
        _ => return error.into(),
    };
    Told(problem).into()
}

/// What is noted of a command of the user.
pub(super) fn note(why: &str) -> Note {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Note {
        conversation: String::new(),
        turn: 0,
        call: None,
        reason: CheckpointReason::BeforeRestore,
        why: why.to_owned(),
        time: Time(u64::try_from(now.as_millis()).unwrap_or(0)),
    }
}

/// Lists the checkpoints, or prunes them.
pub fn run(args: CheckpointsArgs) -> anyhow::Result<u8> {
    let Place { checkpoints, language, root, .. } = open()?;
    if args.prune {
        let pruned = checkpoints.prune(None).map_err(problem)?;
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
    let list = checkpoints.list().map_err(problem)?;
    if args.json {
        json(&list.iter().map(value).collect());
    } else if list.is_empty() {
        err(&language.say("checkpoints.none", &[("root", &root)]));
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
    let (days, seconds) = ((time.0 / 86_400_000) as i64, time.0 / 1000 % 86_400);
    // The civil date of a day, after Howard Hinnant's `days_from_civil`.
    let shifted = days + 719_468;
    let era = shifted.div_euclid(146_097);
    let of_era = shifted.rem_euclid(146_097);
    let year_of_era = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted_month = (5 * of_year + 2) / 153;
    let day = of_year - (153 * shifted_month + 2) / 5 + 1;
    let month = if shifted_month < 10 { shifted_month + 3 } else { shifted_month - 9 };
    let year = year_of_era + era * 400 + i64::from(month <= 2);
    let (hours, minutes, seconds) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    format!("{year:04}-{month:02}-{day:02} {hours:02}:{minutes:02}:{seconds:02}Z")
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
pub(super) fn told(restored: &Restored, as_json: bool, language: Language) {
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
    fn a_moment_is_told_in_utc() {
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
