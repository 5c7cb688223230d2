//! What an edit would change, shown before consent.

use ox_protocol::FileChange;

use crate::diff;
use crate::report::Look;
use crate::text::{Line, Role, wrap};

/// Rows of the diffs that are shown with the question.
const SHOWN: usize = 20;

/// Rows beside the diffs: the title with the empty line above it, the answers, that there is more, and a free one.
const BESIDE: usize = 10;
/// Lines that are shown on however low a screen.
const LEAST: usize = 4;

/// How many lines of the diffs fit on a screen of so many rows, and whether those are not all.
pub(super) fn fitting(look: &Look, changes: &[FileChange], rows: usize) -> (usize, bool) {
    let room = rows.saturating_sub(BESIDE).clamp(LEAST, SHOWN);
    let all = whole(look, changes);
    let mut taken = 0;
    let fit = all.iter().take_while(|it| {
        taken += wrap(it, look.width).len();
        taken <= room
    });
    let shown = fit.count().max(LEAST).min(all.len());
    (shown, shown < all.len())
}

/// The beginning of the diffs, and how much more there is.
pub(super) fn beginning(look: &Look, changes: &[FileChange], shown: usize) -> Vec<Line> {
    let all = whole(look, changes);
    let left = all.len().saturating_sub(shown);
    let more = look.say("approval.more_diff", &[("count", &left.to_string())]);
    let more = (left > 0).then(|| Line::of(&more, Role::Dim).indented(4, 0));
    all.into_iter().take(shown).chain(more).collect()
}

/// All of the diffs, each below its file where there are several.
pub(super) fn whole(look: &Look, changes: &[FileChange]) -> Vec<Line> {
    let mut out = Vec::new();
    for change in changes {
        if changes.len() > 1 || change.diff.is_empty() {
            let from = change.from.as_ref().map(|it| format!("{it} → ")).unwrap_or_default();
            let counts = [("added", change.added.to_string()), ("removed", change.removed.to_string())];
            let counts = counts.each_ref().map(|(name, count)| (*name, count.as_str()));
            let counts = look.say("approval.lines", &counts);
            let name =
                Line::of(&format!("{from}{}", change.path), Role::Accent).with(&format!("  {counts}"), Role::Dim);
            out.push(name.indented(4, 2));
        }
        let (lines, _) = diff::lines_of_file(Some(&change.path), &change.diff, usize::MAX);
        out.extend(lines.into_iter().map(|it| it.indented(4, 0)));
    }
    out
}
