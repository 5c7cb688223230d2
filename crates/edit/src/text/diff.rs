//! A small diff for people and models: hunks with line numbers, cut to a size. Not a patch format.

use std::fmt::Write as _;
use std::ops::Range;

use similar::{DiffOp, group_diff_ops};

use crate::text::ops::ops;

/// Characters of a line that are shown at most.
const WIDEST: usize = 400;

/// A hunk that is cut shows so many lines at least: its numbers, a line, and what is left out.
const LEAST_OF_HUNK: usize = 3;

/// The changes from `old` to `new` as hunks (`@@ -12,3 +12,4 @@`, then lines with ` `, `-` or `+` before them), with
/// `context` unchanged lines around each. Beyond `max_lines` lines (zero: no limit) each hunk is cut in its middle, all of
/// them evenly, and says how many lines were left out; very long lines are cut. Empty if the texts are equal, line endings
/// aside.
pub fn short_diff(old: &str, new: &str, context: usize, max_lines: usize) -> String {
    let (old, new): (Vec<&str>, Vec<&str>) = (old.lines().collect(), new.lines().collect());
    let groups = group_diff_ops(ops(&old, &new), context);
    let changed = groups.iter().filter(|group| group.iter().any(|op| !matches!(op, DiffOp::Equal { .. })));
    let hunks: Vec<Vec<String>> = changed.filter_map(|group| hunk(group, &old, &new)).collect();
    let total: usize = hunks.iter().map(Vec::len).sum();
    if max_lines == 0 || total <= max_lines {
        return hunks.concat().iter().map(|line| format!("{line}\n")).collect();
    }
    let shown = hunks.len().min((max_lines / LEAST_OF_HUNK).max(1));
    let share = share(hunks[..shown].iter().map(Vec::len), max_lines);
    let mut out = String::new();
    for hunk in &hunks[..shown] {
        let room = hunk.len().min(share);
        // Its numbers, then the beginning, then the end.
        let tail = if room < hunk.len() { room.saturating_sub(1) / 2 } else { 0 };
        hunk[..room - tail].iter().for_each(|line| out.extend([line, "\n"]));
        if room < hunk.len() {
            let _ = writeln!(out, "… {} of the diff", more(hunk.len() - room, "line"));
        }
        hunk[hunk.len() - tail..].iter().for_each(|line| out.extend([line, "\n"]));
    }
    if shown < hunks.len() {
        let left: usize = hunks[shown..].iter().map(Vec::len).sum();
        let places = more(hunks.len() - shown, "place");
        let _ = writeln!(out, "… {} of the diff, in {places}", more(left, "line"));
    }
    out
}

/// `1 more line`, `2 more lines`.
fn more(count: usize, what: &str) -> String {
    format!("{count} more {what}{}", if count == 1 { "" } else { "s" })
}

/// The greatest number of lines that each hunk may show for all to fit; at least that of the numbers and a line.
fn share(lengths: impl Iterator<Item = usize> + Clone, max_lines: usize) -> usize {
    let needed = |share: usize| lengths.clone().map(|len| len.min(share)).sum::<usize>();
    (LEAST_OF_HUNK - 1..=max_lines).rev().find(|&share| needed(share) <= max_lines).unwrap_or(LEAST_OF_HUNK - 1)
}

/// The lines of one hunk, its numbers first.
fn hunk(group: &[DiffOp], old: &[&str], new: &[&str]) -> Option<Vec<String>> {
    let (first, last) = (group.first()?, group.last()?);
    let span = |from: Range<usize>, to: Range<usize>| format!("{},{}", from.start + 1, to.end - from.start);
    let before = span(first.old_range(), last.old_range());
    let mut out = vec![format!("@@ -{before} +{} @@", span(first.new_range(), last.new_range()))];
    let mut push = |sign: &str, lines: &[&str]| out.extend(lines.iter().map(|line| format!("{sign}{}", cut(line))));
    for op in group {
        if let DiffOp::Equal { .. } = op {
            push(" ", &old[op.old_range()]);
        } else {
            push("-", &old[op.old_range()]);
            push("+", &new[op.new_range()]);
        }
    }
    Some(out)
}

/// A line short enough to be shown.
pub(crate) fn cut(line: &str) -> String {
    match line.char_indices().nth(WIDEST) {
        Some((at, _)) => format!("{}… ({} more bytes)", &line[..at], line.len() - at),
        None => line.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::expect;

    #[test]
    fn hunks_carry_line_numbers() {
        let old = "a\nb\nc\nd\ne\nf\ng\n";
        let new = "a\nb\nC\nd\ne\nf\ng\nh\n";
        expect![[r#"
            @@ -2,3 +2,3 @@
             b
            -c
            +C
             d
            @@ -7,1 +7,2 @@
             g
            +h
        "#]]
        .assert_eq(&short_diff(old, new, 1, 0));
    }

    #[test]
    fn a_long_diff_is_cut_evenly_and_says_so() {
        expect![[r#"
            @@ -1,0 +1,3 @@
            +a
            … 2 more lines of the diff
        "#]]
        .assert_eq(&short_diff("", "a\nb\nc\n", 3, 2));
        let old: String = (0..30).map(|n| format!("{n}\n")).collect();
        let long: String = (0..9).map(|n| format!("x{n}\n")).collect();
        let new = old
            .replace("\n5\n", "\nfive\n")
            .replace("\n9\n", &format!("\n{long}"))
            .replace("\n20\n", &format!("\n{long}"));
        expect![[r#"
            @@ -6,1 +6,1 @@
            -5
            +five
            @@ -10,1 +10,9 @@
            -9
            +x0
            … 6 more lines of the diff
            +x7
            +x8
            @@ -21,1 +29,9 @@
            -20
            +x0
            … 6 more lines of the diff
            +x7
            +x8
        "#]]
        .assert_eq(&short_diff(&old, &new, 0, 13));
        expect![[r#"
            @@ -6,1 +6,1 @@
            -5
            … 1 more line of the diff
            … 22 more lines of the diff, in 2 more places
        "#]]
        .assert_eq(&short_diff(&old, &new, 0, 2));
        assert_eq!(short_diff("a\n", "a\n", 3, 10), "");
    }
}
