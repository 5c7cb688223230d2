//! What the user sees of a change to a file.

use ox_edit::short_diff;
use ox_protocol::{ChangeKind, FileChange};
use serde_json::Value;

/// Unchanged lines around each change in a diff for the user.
pub(crate) const DIFF_CONTEXT: usize = 3;
/// Lines of a diff for the user at most.
pub(crate) const DIFF_LINES: usize = 400;
/// Files that one call lists at most.
pub(crate) const FILES: usize = 500;

/// A file whose text changed.
pub(crate) fn modified(rel: &str, old: &str, new: &str, why: Option<String>) -> FileChange {
    let full = short_diff(old, new, 0, 0);
    let starting = |sign: char| counted(full.lines().filter(|line| line.starts_with(sign)).count());
    FileChange {
        path: rel.to_string(),
        kind: ChangeKind::Modified,
        from: None,
        why,
        diff: short_diff(old, new, DIFF_CONTEXT, DIFF_LINES),
        added: starting('+'),
        removed: starting('-'),
    }
}

/// A file of which only the path and what happened are known.
pub(crate) fn bare(rel: &str, kind: ChangeKind) -> FileChange {
    FileChange { path: rel.to_string(), kind, from: None, why: None, diff: String::new(), added: 0, removed: 0 }
}

/// The model's reason, where it gave one.
pub(crate) fn why(args: &Value) -> Option<String> {
    crate::args::given(args, "why").map(str::to_string)
}

/// A number of lines as events carry it.
pub(crate) fn counted(lines: usize) -> u32 {
    u32::try_from(lines).unwrap_or(u32::MAX)
}
