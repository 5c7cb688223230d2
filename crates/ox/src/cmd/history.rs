//! `ox history`: what was done in this project, task by task, read from the stored conversations.
//!
//! Nothing is kept beside the logs. Tasks that changed nothing are listed too; what was taken back later is marked.

use std::collections::BTreeSet;

use clap::Args;
use ox_context::{Past, remembered, turns};
use ox_protocol::locale::Language;
use ox_protocol::{CheckStatus, Event, FileChange, Frame, Layer, Seq};
use ox_store::Log;
use serde_json::{Value, json};

use super::print::{cut, err, json as print_json, out};
use crate::wire;

/// Longest instruction and summary in a list, in characters.
const WORDS: usize = 100;

/// Arguments of `ox history`.
#[derive(Debug, Args)]
pub struct HistoryArgs {
    /// Only tasks that changed this file, or something in this folder.
    path: Option<String>,
    /// At most this many.
    #[arg(long, value_name = "N", default_value_t = 20)]
    limit: usize,
    /// Show each change line by line.
    #[arg(long)]
    diff: bool,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

/// A task and what it changed, edit by edit.
struct Entry {
    past: Past,
    edits: Vec<FileChange>,
    taken_back: bool,
}

/// Lists the tasks, the newest first.
pub fn run(args: HistoryArgs) -> anyhow::Result<u8> {
    let opening = wire::opening(Layer::default(), &[])?;
    let store = wire::store(&opening.paths)?;
    let root = opening.root.canonicalize().unwrap_or_else(|_| opening.root.clone());
    let path = args.path.as_deref().map(|it| from_root(it, &root));
    let entries = entries(store.as_ref(), &root.to_string_lossy(), path.as_deref(), args.limit)?;
    let language = opening.settings.language;
    if args.json {
        print_json(&entries.iter().map(|it| as_json(it, args.diff)).collect());
    } else if entries.is_empty() {
        let key = if path.is_some() { "history.none_there" } else { "history.none" };
        err(&language.say(key, &[("root", &root.to_string_lossy()), ("path", path.as_deref().unwrap_or_default())]));
    } else {
        out(&entries.iter().map(|it| as_text(it, args.diff, language)).collect::<Vec<String>>().join("\n"));
    }
    Ok(0)
}

/// A path as the logs have it: relative to the project's root.
fn from_root(path: &str, root: &std::path::Path) -> String {
    let full = super::checkpoints::here(path);
    let full = std::path::Path::new(&full);
    let near = full.strip_prefix(root).or_else(|_| full.strip_prefix(super::checkpoints::here(".")));
    near.map_or_else(|_| path.to_owned(), |it| it.to_string_lossy().into_owned())
}

/// Conversations are read from the most recently used on, until there are enough tasks that none of the rest is newer.
fn entries(log: &dyn Log, root: &str, path: Option<&str>, limit: usize) -> anyhow::Result<Vec<Entry>> {
    let mut all: Vec<Entry> = Vec::new();
    for info in log.list(Some(root), usize::MAX)? {
        if all.len() >= limit && all[limit.saturating_sub(1)..].first().is_none_or(|it| info.updated < it.past.time) {
            break;
        }
        let history = log.read(&info.id)?;
        let kept: BTreeSet<Seq> = remembered(&history.frames).map(|it| it.seq).collect();
        for past in turns(&info.id, &history.frames) {
            let edits = edits(&history.frames, past.begun, past.ended);
            let entry = Entry { taken_back: !kept.contains(&past.begun), past, edits };
            if path.is_none_or(|path| entry.touches(path)) {
                all.push(entry);
            }
        }
        all.sort_by_key(|it| std::cmp::Reverse((it.past.time, it.past.begun)));
        all.truncate(limit);
    }
    Ok(all)
}

fn edits(frames: &[Frame], from: Seq, to: Seq) -> Vec<FileChange> {
    let within = frames.iter().filter(|it| it.seq >= from && it.seq <= to);
    let changed = within.filter_map(|it| match &it.event {
        Event::ToolComplete { outcome, .. } => Some(outcome.changed.iter().cloned()),
        _ => None,
    });
    changed.flatten().collect()
}

impl Entry {
    fn touches(&self, path: &str) -> bool {
        let path = path.trim_end_matches('/');
        let under =
            |it: &str| path.is_empty() || it == path || it.strip_prefix(path).is_some_and(|it| it.starts_with('/'));
        self.files().iter().any(|it| under(&it.path) || it.from.as_deref().is_some_and(under))
    }

    /// The summary's files, or where a turn broke off before it had one, what its calls changed.
    fn files(&self) -> &[FileChange] {
        if self.past.files.is_empty() { &self.edits } else { &self.past.files }
    }
}

fn as_json(entry: &Entry, diff: bool) -> Value {
    let past = &entry.past;
    let file = |it: &FileChange| json!({ "path": it.path, "kind": it.kind, "from": it.from, "why": it.why, "added": it.added, "removed": it.removed });
    let mut value = json!({
        "id": format!("{}:{}", past.conversation, past.turn), "time": past.time, "mode": past.mode,
        "instruction": past.instruction, "summary": past.summary, "stop": past.stop, "taken_back": entry.taken_back,
        "plan": past.plan, "files": entry.files().iter().map(file).collect::<Vec<Value>>(), "checks": past.checks,
        "images": past.images,
    });
    if diff {
        value["edits"] = entry.edits.iter().map(|it| json!({ "path": it.path, "diff": it.diff })).collect();
    }
    value
}

fn as_text(entry: &Entry, diff: bool, language: Language) -> String {
    let past = &entry.past;
    let mut text = format!("{}:{}  {}\n", past.conversation, past.turn, cut(&past.instruction, WORDS));
    let mut line = |words: &str| text += &format!("    {words}\n");
    if entry.taken_back {
        line(&language.say("history.taken_back", &[]));
    }
    if !past.summary.is_empty() {
        line(&format!("→ {}", cut(&past.summary, WORDS)));
    }
    if let Some(stop) = past.stop.filter(|it| it.exit_code() != 0) {
        line(&language.say(stop.code(), &[]));
    }
    for step in past.plan.iter().flat_map(|it| &it.steps) {
        line(&format!("[{}] {}", if step.done { 'x' } else { ' ' }, cut(&step.text, WORDS)));
    }
    super::checkpoints::files(entry.files()).lines().for_each(&mut line);
    for check in &past.checks {
        let mark = match check.status {
            CheckStatus::Passed => '✓',
            status if status.is_bad() => '✗',
            _ => '–',
        };
        line(&format!("{mark} {}", check.name));
    }
    past.images.iter().filter(|it| !it.is_empty()).for_each(|it| line(&format!("▣ {it}")));
    if diff {
        for edit in entry.edits.iter().filter(|it| !it.diff.is_empty()) {
            text += &format!("--- {}\n{}\n", edit.path, edit.diff.trim_end());
        }
    }
    text
}
