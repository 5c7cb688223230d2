//! Edits that other tools are known to have put in the wrong place, or to have applied with other bytes than asked.
//! One case for each kind of report.

use expect_test::expect;
use ox_edit::{Block, Files, Reason, Request, Strategy, apply, rewrite, run};

fn edit(text: &str, search: &str, replace: &str) -> Result<String, Reason> {
    apply(text, &[Block::new(search, replace)]).map(|applied| applied.text).map_err(|refusal| refusal.reason)
}

#[test]
fn anchors_that_every_function_has_bind_to_none() {
    let text = "/**\n * One.\n */\nfn one() {\n    1\n}\n\n/**\n * Two.\n */\nfn two() {\n    2\n}\n";
    assert_eq!(edit(text, "/**\n * Three.\n */\nfn three() {\n    3\n}\n", "x\n"), Err(Reason::NotFound));
    assert_eq!(edit(text, "/**\n ...\n}\n", "x\n"), Err(Reason::Ambiguous));
    assert_eq!(edit(text, "/**\n", "/** !\n"), Err(Reason::Ambiguous));
}

#[test]
fn the_first_of_several_places_is_not_taken() {
    let text = "a = 1\nb = 2\n\na = 1\nb = 2\n";
    let refusal = apply(text, &[Block::new("a = 1\n", "a = 9\n")]).unwrap_err();
    expect![[r#"
        The search text fits 2 places equally well.
        line 1:
            a = 1
        line 4:
            a = 1
        Add lines before or after which only the place you mean has, or give its line number."#]]
    .assert_eq(&refusal.message());
    let second = apply(text, &[Block::new("a = 1\n", "a = 9\n").at(4)]).unwrap();
    assert_eq!(second.text, "a = 1\nb = 2\n\na = 9\nb = 2\n");
    let between = apply(text, &[Block::new("a = 1\n", "a = 9\n").at(3)]).unwrap_err();
    assert_eq!(between.reason, Reason::Ambiguous, "line 3 is too near to both");
}

#[test]
fn an_ambiguous_place_is_reported_by_what_it_is_in() {
    let text: String = (1..9).map(|n| format!("fn f{n}() {{\n    return 42;\n}}\n")).collect();
    let refusal = apply(&text, &[Block::new("return 42;", "return 43;")]).unwrap_err();
    expect![[r#"
        The search text fits 8 places equally well.
        line 2 (in `fn f1() {`):
                return 42;
        line 5 (in `fn f2() {`):
                return 42;
        line 8 (in `fn f3() {`):
                return 42;
        line 11 (in `fn f4() {`):
                return 42;
        line 14 (in `fn f5() {`):
                return 42;
        line 17 (in `fn f6() {`):
                return 42;
        Also line 20, line 23.
        Add lines before or after which only the place you mean has, or give its line number."#]]
    .assert_eq(&refusal.message());
}

#[test]
fn a_tier_with_two_hits_never_falls_to_a_looser_one() {
    assert_eq!(edit("  a = 1\n\n    a = 1\n", "a = 1\nb\n", "x\n"), Err(Reason::NotFound));
    assert_eq!(edit("  a = 1;\n\n    a = 1;\n\na  = 1;\n", "\ta = 1;\n", "x\n"), Err(Reason::Ambiguous));
    let exact_wins = "a = 1\nb\n\n  a = 1\n  b\n";
    assert_eq!(edit(exact_wins, "\na = 1\nb\n", "x\n").unwrap_err(), Reason::Ambiguous);
    assert_eq!(edit(exact_wins, "a = 1\nb\n", "x\n").unwrap(), "x\n\n  a = 1\n  b\n");
}

#[test]
fn overlapping_occurrences_are_two() {
    assert_eq!(edit("x\n\n\n\ny\n", "\n\n\n", "\n"), Err(Reason::Ambiguous));
    assert_eq!(edit("aXaXa\n", "aXa", "b"), Err(Reason::Ambiguous));
}

#[test]
fn the_new_text_is_literal() {
    for new in ["$&", "$1 and $$", r"\1 \g<0>", "${name}", "%s {0}"] {
        assert_eq!(edit("price is 5\n", "5", new).unwrap(), format!("price is {new}\n"));
        assert_eq!(edit("  price is 5\n", "price is 5 \n", &format!("{new}\n")).unwrap(), format!("  {new}\n"));
    }
}

#[test]
fn line_endings_survive() {
    assert_eq!(edit("a\r\nb\r\nc\r\n", "b\n", "x\ny\n").unwrap(), "a\r\nx\r\ny\r\nc\r\n");
    assert_eq!(edit("a\nb\nc\n", "b\r\n", "x\r\ny\r\n").unwrap(), "a\nx\ny\nc\n");
    assert_eq!(edit("a\r\nb\nc\r\n", "b\n", "x\n").unwrap(), "a\r\nx\nc\r\n");
    assert_eq!(edit("a\r\n  b\r\nc", "b\nc\n", "b\nd\n").unwrap(), "a\r\n  b\r\nd");
}

#[test]
fn a_byte_order_mark_survives() {
    assert_eq!(edit("\u{feff}a\nb\n", "a\n", "x\n").unwrap(), "\u{feff}x\nb\n");
    assert_eq!(edit("\u{feff}a\nb\n", "\u{feff}a\n", "\u{feff}x\n").unwrap(), "\u{feff}x\nb\n");
    assert_eq!(edit("\u{feff}  a\n", "a \n", "x\n").unwrap(), "\u{feff}  x\n");
}

#[test]
fn tabs_stay_tabs() {
    let text = "def f():\n\tif a:\n\t\tb()\n";
    assert_eq!(
        edit(text, "    if a:\n        b()\n", "    if a:\n        b()\n        c()\n").unwrap(),
        "def f():\n\tif a:\n\t\tb()\n\t\tc()\n"
    );
}

#[test]
fn a_line_given_without_its_indentation_indents_all_new_lines() {
    let text = "fn f() {\n    a();\n}\n";
    assert_eq!(edit(text, "a();", "a();\nb();").unwrap(), "fn f() {\n    a();\n    b();\n}\n");
    assert_eq!(edit(text, "a();", "a();\n    b();").unwrap(), "fn f() {\n    a();\n    b();\n}\n");
    assert_eq!(edit(text, "a();\n", "if x {\n  a();\n}\n").unwrap(), "fn f() {\n    if x {\n      a();\n    }\n}\n");
}

#[test]
fn the_last_line_break_of_a_block_is_put_right() {
    assert_eq!(edit("a\nb\nc\n", "b\n", "x").unwrap(), "a\nx\nc\n");
    assert_eq!(edit("a\nb\nc\n", "b", "").unwrap(), "a\nc\n");
    assert_eq!(edit("a\n b\nc\n", "b", "").unwrap(), "a\n \nc\n");
    assert_eq!(edit("a\nb\nc\n", "\nb", "").unwrap(), "a\nc\n");
    assert_eq!(edit("a\nb", "\nb", "").unwrap(), "a");
}

#[test]
fn the_missing_last_newline_stays_missing() {
    assert_eq!(edit("a\nb", "b\n", "c\n").unwrap(), "a\nc");
    assert_eq!(edit("a\nb", "b\n", "b\nc\n").unwrap(), "a\nb\nc");
    assert_eq!(edit("a\nb\n", "b\n", "c\n").unwrap(), "a\nc\n");
}

#[test]
fn trailing_blanks_of_lines_left_alone_stay() {
    assert_eq!(edit("a  \nb\t\nc \n", "a\nb\nc\n", "a\nx\nc\n").unwrap(), "a  \nx\nc \n");
}

#[test]
fn an_edit_already_made_is_not_made_twice() {
    assert_eq!(edit("a\nnewly\nb\n", "a\nb\n", "a\nnewly\nb\n"), Err(Reason::AlreadyApplied));
    assert_eq!(edit("a\nnew\nb\n", "a\n", "a\nnew\n"), Err(Reason::AlreadyApplied));
    assert_eq!(edit("  new line\n", "old line\n", "new line\n"), Err(Reason::AlreadyApplied));
}

#[test]
fn an_edit_that_says_nothing_is_refused() {
    assert_eq!(edit("a\n", "a\n", "a\n"), Err(Reason::NothingToChange));
    assert_eq!(edit("a\n", "", "b\n"), Err(Reason::EmptySearch));
    assert_eq!(edit("", "", "b\n").unwrap(), "b\n");
    assert_eq!(edit("a\n\n\nb\n", "  \n", "b\n"), Err(Reason::NotFound));
}

#[test]
fn a_file_that_moved_on_is_not_overwritten() {
    let text = "fn f() {\n    retry(5);\n    log();\n}\n";
    let refusal = apply(text, &[Block::new("fn f() {\n    retry(3);\n    log();\n}\n", "fn f() {}\n")]).unwrap_err();
    assert_eq!(refusal.reason, Reason::NotFound);
    expect![[r#"
        The search text is not in the file. Nearest: lines 1-4 (97 % alike).
        What was sought (-) and what the file has there (+):
         fn f() {
        -    retry(3);
        +    retry(5);
             log();
        Take the lines from the file as it is now (read it again if in doubt) and send the edit again."#]]
    .assert_eq(&refusal.message());
    let drifted = "fn f() {\n    a();\n    added_by_user();\n    b();\n}\n";
    assert!(edit(drifted, "    a();\n    b();\n", "    c();\n").is_err(), "the user's line would be lost");
}

#[test]
fn dots_are_never_written() {
    let text = "fn f() {\n    a();\n    b();\n    c();\n    d();\n}\n";
    let search = "fn f() {\n    a();\n    b();\n    c();\n    d();\n}\n";
    let rest = "fn f() {\n    x();\n    // ... existing code ...\n}\n";
    assert_eq!(edit(text, search, rest), Err(Reason::Placeholder));
    let dots = "    a();\n    // ...\n    d();\n";
    let applied = apply(text, &[Block::new(dots, "    a(1);\n    // ...\n    d(1);\n")]).unwrap();
    assert_eq!(applied.text, "fn f() {\n    a(1);\n    b();\n    c();\n    d(1);\n}\n");
    assert_eq!(applied.places[0].strategy, Strategy::Elision);
    assert_eq!(edit("def f():\n    pass\n", "    pass\n", "    ...\n").unwrap(), "def f():\n    ...\n");
}

#[test]
fn blocks_are_all_or_nothing_in_any_order() {
    let text = "a\nb\nc\nd\n";
    let swap = [Block::new("c\n", "a\n"), Block::new("a\n", "c\n")];
    let applied = apply(text, &swap).unwrap();
    assert_eq!(applied.text, "c\nb\na\nd\n");
    assert_eq!((applied.places[0].before.clone(), applied.places[1].after.clone()), (3..=3, 1..=1));
    let one_bad = apply(text, &[Block::new("a\n", "x\n"), Block::new("nowhere", "y")]).unwrap_err();
    assert_eq!((one_bad.block, one_bad.reason), (1, Reason::NotFound));
    assert!(one_bad.message().starts_with("Block 2 of 2: "), "{}", one_bad.message());
    let overlap = apply(text, &[Block::new("a\nb\n", "x\n"), Block::new("b\nc\n", "y\n")]).unwrap_err();
    assert_eq!(overlap.reason, Reason::Overlap);
    let shared_line = apply(text, &[Block::new("a\nb\n", "x\nb\n"), Block::new("b\nc\n", "b\ny\n")]).unwrap();
    assert_eq!(shared_line.text, "x\nb\ny\nd\n");
}

#[test]
fn places_tell_the_lines_before_and_after() {
    let text = "a\nb\nc\nd\ne\n";
    let blocks = [Block::new("b\n", "1\n2\n3\n"), Block::new("d\n", ""), Block::new("e", "f")];
    let applied = apply(text, &blocks).unwrap();
    assert_eq!(applied.text, "a\n1\n2\n3\nc\nf\n");
    let lines: Vec<_> = applied.places.iter().map(|place| (place.before.clone(), place.after.clone())).collect();
    assert_eq!(lines[0], (2..=2, 2..=4));
    assert_eq!(*lines[1].1.start(), 6);
    assert!(lines[1].1.is_empty());
    assert_eq!(lines[2], (5..=5, 6..=6));
}

/// Applies a patch to one file.
fn patch(before: &str, hunk: &str) -> Result<String, Reason> {
    let files = Files::from([("f".to_owned(), before.to_owned())]);
    let text = format!("*** Begin Patch\n*** Update File: f\n{hunk}*** End Patch\n");
    let outcome = run(&Request::V4a { text: &text }, &files).map_err(|refusal| refusal.reason)?;
    Ok(outcome.files_after["f"].clone().expect("the file is still there"))
}

#[test]
fn an_addition_is_never_put_at_the_end_because_nothing_says_where() {
    let text = "def f():\n    a()\n\ndef g(\n    x,\n):\n    b()\n";
    assert_eq!(
        patch(text, "@@ def f():\n+    first()\n").unwrap(),
        text.replacen("    a()", "    first()\n    a()", 1)
    );
    assert_eq!(patch(text, "@@\n+new()\n"), Err(Reason::Weak));
    assert_eq!(patch(text, "@@ def nowhere_at_all(many, words):\n+    new()\n"), Err(Reason::NotFound));
    assert_eq!(patch(text, "@@ def f():\n+def h():\n+    pass\n"), Err(Reason::Weak), "not in the body of f");
    assert_eq!(patch(text, "@@ def g(\n+    new()\n"), Err(Reason::Weak), "not among the parameters");
    assert_eq!(patch("a()\nb()\na()\n", "@@ a()\n+new()\n"), Err(Reason::Ambiguous));
    assert_eq!(patch(text, "@@ -3,0 +4 @@\n+# new\n").unwrap(), text.replacen("\n\ndef g", "\n\n# new\ndef g", 1));
    assert_eq!(patch(text, "@@ -90,0 +91 @@\n+# new\n"), Err(Reason::OutOfRange));
    let diff = Request::UnifiedDiff { path: Some("f"), text: "@@ -2,6 +2,7 @@ def f():\n+    new()\n" };
    let files = Files::from([("f".to_owned(), text.to_owned())]);
    assert_eq!(run(&diff, &files).unwrap_err().reason, Reason::Weak);
}

#[test]
fn a_patch_keeps_the_lines_it_says_it_keeps() {
    let text = "a() \n});  \nlast\n";
    let hunk = "@@\n a()\n+});\n+b()\n });\n last\n";
    assert_eq!(patch(text, hunk).unwrap(), "a() \n});\nb()\n});  \nlast\n");
}

#[test]
fn a_hunk_without_its_signs_keeps_its_indentation() {
    let text = "fn f() {\n    if a {\n        b();\n    }\n}\n";
    let hunk = "@@\n    if a {\n-        b();\n+        c();\n+        d();\n    }\n";
    assert_eq!(patch(text, hunk).unwrap(), text.replace("        b();", "        c();\n        d();"));
}

#[test]
fn a_long_file_is_not_cut_short() {
    let line = |at: usize| format!("row {at} of the table\n");
    let text: String = (0..31_699).map(line).collect();
    let after = edit(&text, &line(31_000), "changed\n").unwrap();
    assert_eq!((after.lines().count(), after.len()), (31_699, text.len() - line(31_000).len() + "changed\n".len()));
    let after = edit(&text, "row 31000  of the table\n", "changed\n").unwrap();
    assert_eq!(after.lines().count(), 31_699);
    assert_eq!(patch(&text, "@@\n row 30999 of the table\n-row 31000 of the table\n").unwrap().lines().count(), 31_698);
    let head: String = (0..2_000).map(line).collect();
    assert_eq!(rewrite(&text, &head).unwrap_err().reason, Reason::Shrinks);
}
