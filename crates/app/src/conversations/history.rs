//! What was done in a project, task by task, read from the stored conversations.
//!
//! Nothing is kept beside the logs. Tasks that changed nothing are there too; what was taken back later is marked.

use std::collections::BTreeSet;

use ox_context::{Past, remembered, turns};
use ox_protocol::{Event, FileChange, Frame, Problem, Seq};
use ox_store::Log;

/// A task and what it changed, edit by edit.
pub struct Entry {
    /// The task.
    pub past: Past,
    /// Each change, edit by edit.
    pub edits: Vec<FileChange>,
    /// It was taken back later.
    pub taken_back: bool,
}

/// The tasks of the project at `root`, the newest first; with a path only those that changed it or something below it.
pub fn entries(log: &dyn Log, root: &str, path: Option<&str>, limit: usize) -> Result<Vec<Entry>, Problem> {
    // Read from the most recently used on, until there are enough tasks that none of the rest is newer.
    let mut all: Vec<Entry> = Vec::new();
    for info in log.list(Some(root), usize::MAX)? {
        if all.len() >= limit && all[limit.saturating_sub(1)..].first().is_none_or(|it| info.updated < it.past.time) {
            break;
        }
        let history = log.read(&info.id)?;
        let kept: BTreeSet<Seq> = remembered(&history.frames).map(|it| it.seq).collect();
        for past in turns(&info.id, &history.frames).into_iter().filter(|it| !it.of_ox) {
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
    pub fn files(&self) -> &[FileChange] {
        if self.past.files.is_empty() { &self.edits } else { &self.past.files }
    }
}
