//! Diffs as they look.

use expect_test::{Expect, expect};

use super::*;
use crate::{Theme, wrap};

const DIFF: &str = "--- a/x.rs\n+++ b/x.rs\n@@ -10,4 +10,4 @@\n one\n two\n-three\n+drei\n four\n";

fn looks(theme: Theme, diff: &str, width: usize, expected: Expect) {
    let (shown, _) = lines(diff, usize::MAX);
    let printed = shown.iter().flat_map(|line| wrap(line, width));
    // A bar in front, because the snapshots lose what all lines are indented by.
    let text = |line: Line| format!("|{}\n", theme.paint(&line).replace('\u{1b}', "␛").trim_end());
    let text: String = printed.map(text).collect();
    expected.assert_eq(&text);
}

#[test]
fn lines_are_numbered_and_what_is_left_out_is_counted() {
    looks(
        Theme::None,
        DIFF,
        80,
        expect![[r#"
            |    10   one
            |    11   two
            |    12 - three
            |    12 + drei
            |    13   four
        "#]],
    );
    let (shown, left) = lines(DIFF, 3);
    assert_eq!((shown.len(), left), (3, 2));
    assert_eq!(shown[2].text(), "    12 - three");
}

#[test]
fn words_that_changed_stand_out_and_code_has_its_colours() {
    let diff = "--- a/x.rs\n+++ b/x.rs\n@@ -1,3 +1,3 @@\n fn f() {\n-    let a = g(1, true);\n+    let a = h(1, false);\n }\n@@ -90 +90,2 @@\n-old\n+entirely different\n+\"new\"\n";
    looks(
        Theme::Dark,
        diff,
        80,
        expect![[r#"
            |␛[2m     1 ␛[0m  ␛[38;5;176mfn␛[0m ␛[38;5;111mf␛[0m() {
            |␛[2m     2 ␛[0m␛[48;5;52m- ␛[0m␛[48;5;52m    ␛[0m␛[38;5;176;48;5;52mlet␛[0m␛[48;5;52m a = ␛[0m␛[38;5;111;1;48;5;88mg␛[0m␛[48;5;52m(␛[0m␛[38;5;215;48;5;52m1␛[0m␛[48;5;52m, ␛[0m␛[38;5;215;1;48;5;88mtrue␛[0m␛[48;5;52m);␛[0m
            |␛[2m     2 ␛[0m␛[48;5;22m+ ␛[0m␛[48;5;22m    ␛[0m␛[38;5;176;48;5;22mlet␛[0m␛[48;5;22m a = ␛[0m␛[38;5;111;1;48;5;28mh␛[0m␛[48;5;22m(␛[0m␛[38;5;215;48;5;22m1␛[0m␛[48;5;22m, ␛[0m␛[38;5;215;1;48;5;28mfalse␛[0m␛[48;5;22m);␛[0m
            |␛[2m     3 ␛[0m  }
            |␛[2m     ⋮ ␛[0m
            |␛[2m    90 ␛[0m␛[48;5;52m- ␛[0m␛[48;5;52mold␛[0m
            |␛[2m    90 ␛[0m␛[48;5;22m+ ␛[0m␛[48;5;22mentirely different␛[0m
            |␛[2m    91 ␛[0m␛[48;5;22m+ ␛[0m␛[38;5;114;48;5;22m"new"␛[0m
        "#]],
    );
    looks(
        Theme::Palette,
        diff,
        80,
        expect![[r#"
            |␛[2m     1 ␛[0m  ␛[35mfn␛[0m ␛[94mf␛[0m() {
            |␛[2m     2 ␛[0m␛[31m- ␛[0m␛[31m    ␛[0m␛[31mlet␛[0m␛[31m a = ␛[0m␛[31;7mg␛[0m␛[31m(␛[0m␛[31m1␛[0m␛[31m, ␛[0m␛[31;7mtrue␛[0m␛[31m);␛[0m
            |␛[2m     2 ␛[0m␛[32m+ ␛[0m␛[32m    ␛[0m␛[32mlet␛[0m␛[32m a = ␛[0m␛[32;7mh␛[0m␛[32m(␛[0m␛[32m1␛[0m␛[32m, ␛[0m␛[32;7mfalse␛[0m␛[32m);␛[0m
            |␛[2m     3 ␛[0m  }
            |␛[2m     ⋮ ␛[0m
            |␛[2m    90 ␛[0m␛[31m- ␛[0m␛[31mold␛[0m
            |␛[2m    90 ␛[0m␛[32m+ ␛[0m␛[32mentirely different␛[0m
            |␛[2m    91 ␛[0m␛[32m+ ␛[0m␛[32m"new"␛[0m
        "#]],
    );
}

#[test]
fn long_lines_are_wrapped_beside_their_numbers() {
    let diff = "@@ -99,1 +99,1 @@\n-a long line that does not fit\n+a long line that does not fit here at all\n";
    looks(
        Theme::None,
        diff,
        24,
        expect![[r#"
            |    99 - a long line
            |         that does not
            |         fit
            |    99 + a long line
            |         that does not
            |         fit here at all
        "#]],
    );
}

#[test]
fn nothing_of_a_hunk_is_taken_for_a_header_or_hidden() {
    let diff = "diff --git a/q.sql b/q.sql\n--- a/q.sql\n+++ b/q.sql\n@@ -1,3 +1,3 @@\n--- a comment\n-x\u{1b}[8m\u{202e}y\n+++ plus\n+x\r\n\n\\ No newline at end of file\nBinary files differ\n";
    looks(
        Theme::None,
        diff,
        80,
        expect![[r#"
            |    1 - -- a comment
            |    2 - x␛[8m⟨U+202E⟩y
            |    1 + ++ plus
            |    2 + x␍
            |    3
            |      No newline at end of file
            |      Binary files differ
        "#]],
    );
    let cut = "@@ -1,9 +1,9 @@\n one\n-two\n… 6 more lines of the diff\n eight\n@@ -20 +20 @@\n-x\n+y\n";
    looks(
        Theme::None,
        cut,
        80,
        expect![[r#"
            |     1   one
            |     2 - two
            |       … 6 more lines of the diff
            |         eight
            |     ⋮
            |    20 - x
            |    20 + y
        "#]],
    );
    // The ends of lines are shown where they are not all the same.
    looks(
        Theme::None,
        "@@ -1 +1 @@\n-a\r\n+a\n",
        80,
        expect![[r#"
            |    1 - a␍
            |    1 + a
        "#]],
    );
    looks(
        Theme::None,
        "no diff at all\n",
        80,
        expect![[r#"
            |      no diff at all
        "#]],
    );
}

#[test]
fn the_file_is_named_by_the_headers() {
    assert_eq!(hunks::path(DIFF), Some("x.rs"));
    assert_eq!(hunks::path("--- a/gone.rs\n+++ /dev/null\n@@ -1 +0,0 @@\n-+++ b/no.rs\n"), Some("gone.rs"));
    assert_eq!(hunks::path("@@ -1 +1 @@\n"), None);
}

#[test]
fn the_first_changed_line_is_found() {
    assert_eq!(first_line(DIFF), Some(12));
    assert_eq!(first_line("@@ -0,0 +1 @@\n+new\n"), Some(1));
    assert_eq!(first_line(""), None);
}
