//! A small diff for people and models: hunks with line numbers, cut to a size. Not a patch format.

use std::fmt::Write as _;
use std::ops::Range;

use similar::{DiffOp, group_diff_ops};

use crate::ops::ops;

/// Characters of a line that are shown at most.
const WIDEST: usize = 400;

/// The changes from `old` to `new` as hunks (`@@ -12,3 +12,4 @@`, then lines with ` `, `-` or `+` before them), with
/// `context` unchanged lines around each. After `max_lines` lines it stops and says how many were left out; zero
/// means no limit. Very long lines are cut. Empty if the texts are equal, line endings aside.
pub fn short_diff(old: &str, new: &str, context: usize, max_lines: usize) -> String {
    let (old, new): (Vec<&str>, Vec<&str>) = (old.lines().collect(), new.lines().collect());
    let mut out = String::new();
    let (mut shown, mut left_out) = (0, 0);
    let mut push = |sign: &str, line: &str| {
        if max_lines == 0 || shown < max_lines {
            let _ = writeln!(out, "{sign}{}", cut(line));
            shown += 1;
        } else {
            left_out += 1;
        }
    };
    for group in group_diff_ops(ops(&old, &new), context) {
        let (Some(first), Some(last)) = (group.first(), group.last()) else { continue };
        if group.iter().all(|op| matches!(op, DiffOp::Equal { .. })) {
            continue;
        }
        let span = |from: Range<usize>, to: Range<usize>| format!("{},{}", from.start + 1, to.end - from.start);
        let before = span(first.old_range(), last.old_range());
        push("@@ ", &format!("-{before} +{} @@", span(first.new_range(), last.new_range())));
        for op in &group {
            if let DiffOp::Equal { .. } = op {
                old[op.old_range()].iter().for_each(|line| push(" ", line));
            } else {
                old[op.old_range()].iter().for_each(|line| push("-", line));
                new[op.new_range()].iter().for_each(|line| push("+", line));
            }
        }
    }
    if left_out > 0 {
        let _ = writeln!(out, "… {left_out} more lines of the diff");
    }
    out
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
    fn a_long_diff_is_cut_and_says_so() {
        expect![[r#"
            @@ -1,0 +1,3 @@
            +a
            … 2 more lines of the diff
        "#]]
        .assert_eq(&short_diff("", "a\nb\nc\n", 3, 2));
        assert_eq!(short_diff("a\n", "a\n", 3, 10), "");
    }
}
