//! A small diff for people and models: hunks with line numbers, cut to a size. Not a patch format.

use std::fmt::Write as _;

use similar::{Algorithm, ChangeTag, TextDiff};

/// The changes from `old` to `new` as hunks (`@@ -12,3 +12,4 @@`, then lines with ` `, `-` or `+` before them), with
/// `context` unchanged lines around each. After `max_lines` lines it stops and says how many were left out; zero
/// means no limit. Empty if the texts are equal, line endings aside.
pub fn short_diff(old: &str, new: &str, context: usize, max_lines: usize) -> String {
    let diff = TextDiff::configure().algorithm(Algorithm::Myers).diff_lines(old, new);
    let mut lines = Vec::new();
    for group in diff.grouped_ops(context) {
        let (Some(first), Some(last)) = (group.first(), group.last()) else { continue };
        let (old_range, new_range) =
            (first.old_range().start..last.old_range().end, first.new_range().start..last.new_range().end);
        lines.push(format!(
            "@@ -{},{} +{},{} @@",
            old_range.start + 1,
            old_range.len(),
            new_range.start + 1,
            new_range.len()
        ));
        for change in group.iter().flat_map(|op| diff.iter_changes(op)) {
            let sign = match change.tag() {
                ChangeTag::Equal => ' ',
                ChangeTag::Delete => '-',
                ChangeTag::Insert => '+',
            };
            lines.push(format!("{sign}{}", change.value().trim_end_matches(['\n', '\r'])));
        }
    }
    cut(&lines, max_lines)
}

fn cut(lines: &[String], max_lines: usize) -> String {
    let shown = if max_lines == 0 { lines.len() } else { lines.len().min(max_lines) };
    let mut out = String::new();
    for line in &lines[..shown] {
        out.push_str(line);
        out.push('\n');
    }
    if shown < lines.len() {
        let _ = writeln!(out, "… {} more lines of the diff", lines.len() - shown);
    }
    out
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
