//! Edits in each format, as models write them: what they do to the files, or why they are refused.

use ox_edit::{Files, LineRange, Reason, Refusal, Request, run};

/// Files from pairs of path and text.
fn files(pairs: &[(&str, &str)]) -> Files {
    pairs.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned())).collect()
}

/// The files after a request.
fn after(request: &Request<'_>, before: &Files) -> Result<Files, Refusal> {
    let outcome = run(request, before)?;
    let mut files = before.clone();
    for (path, now) in outcome.files_after {
        match now {
            Some(text) => files.insert(path, text),
            None => files.remove(&path),
        };
    }
    Ok(files)
}

fn diff(text: &str, before: &[(&str, &str)]) -> Result<Files, Reason> {
    let path = before.first().map(|(path, _)| *path);
    after(&Request::UnifiedDiff { path, text }, &files(before)).map_err(|refusal| refusal.reason)
}

fn patch(body: &str, before: &[(&str, &str)]) -> Result<Files, Reason> {
    let text = format!("*** Begin Patch\n{body}*** End Patch\n");
    after(&Request::V4a { text: &text }, &files(before)).map_err(|refusal| refusal.reason)
}

const CODE: &str = "fn a() {\n    one();\n    two();\n}\n\nfn b() {\n    one();\n    three();\n}\n";

#[test]
fn a_diff_lands_whatever_is_wrong_around_it() {
    let hunk = " fn b() {\n     one();\n-    three();\n+    four();\n }\n";
    let wanted = files(&[("x.rs", &CODE.replace("three", "four"))]);
    for text in [
        format!("--- a/x.rs\n+++ b/x.rs\n@@ -6,4 +6,4 @@\n{hunk}"),
        format!("--- x.rs\n+++ x.rs\n@@ -60,4 +60,4 @@ fn nowhere() {{\n{hunk}"),
        format!("--- a/x.rs\n+++ b/x.rs\n@@ -6,9 +6,2 @@\n{hunk}"),
        format!("@@ ... @@\n{hunk}"),
        format!("@@\n{hunk}"),
        format!("--- a/x.rs\n+++ b/x.rs\n{hunk}"),
        format!("Here it is:\n\n```diff\n--- a/x.rs\n+++ b/x.rs\n@@ -6,4 +6,4 @@\n{hunk}```\n\n- and a remark\n"),
        format!("--- a/x.rs\n+++ b/x.rs\n@@ -6,4 +6,4 @@\n{hunk}\nThat is all.\n"),
        format!(
            "From 1 Mon\nSubject: x\n\n---\ndiff --git a/x.rs b/x.rs\nindex 1..2 100644\n--- a/x.rs\n+++ b/x.rs\n@@ -6,4 +6,4 @@\n{hunk}-- \n2.39.0\n"
        ),
        format!("--- a/x.rs\n+++ b/x.rs\n@@ -6,4 +6,4 @@\n{hunk}").replace('\n', "\r\n"),
        format!("--- a/x.rs\n+++ b/x.rs\n@@ -6,4 +6,4 @@\n{}", hunk.replace("\n ", "\n")),
        format!("--- /home/me/x.rs\n+++ /home/me/x.rs\n@@ -6,4 +6,4 @@\n{hunk}"),
    ] {
        assert_eq!(diff(&text, &[("x.rs", CODE)]).as_ref(), Ok(&wanted), "{text}");
    }
}

#[test]
fn a_number_chooses_among_equal_places_and_off_numbers_are_set_right_by_the_other_hunks() {
    let before = "a\nx\nb\nx\nc\nx\nd\n";
    let at = |line: usize| diff(&format!("@@ -{line},1 +{line},1 @@\n-x\n+y\n"), &[("f", before)]);
    assert_eq!(at(4).unwrap()["f"], "a\nx\nb\ny\nc\nx\nd\n");
    assert_eq!(at(3), Err(Reason::Ambiguous));
    // Both numbers are two too high.
    let text = "@@ -5,1 +5,1 @@\n-b\n+B\n@@ -6,1 +6,1 @@\n-x\n+y\n";
    assert_eq!(diff(text, &[("f", before)]).unwrap()["f"], "a\nx\nB\ny\nc\nx\nd\n");
}

#[test]
fn the_order_of_hunks_chooses_only_where_it_is_plain() {
    let before = "a\nx\nb\nx\nc\n";
    let text = "@@ @@\n-a\n+A\n@@ @@\n-x\n+y\n@@ @@\n-b\n+B\n";
    assert_eq!(diff(text, &[("f", before)]).unwrap()["f"], "A\ny\nB\nx\nc\n");
    let two = "@@ @@\n-a\n+A\n@@ @@\n-x\n+y\n";
    assert_eq!(diff(two, &[("f", before)]), Err(Reason::Ambiguous));
    let all = "@@ @@\n-x\n+y\n@@ @@\n-x\n+y\n";
    assert_eq!(diff(all, &[("f", before)]).unwrap()["f"], "a\ny\nb\ny\nc\n");
}

#[test]
fn hunks_are_all_or_nothing_in_any_order() {
    let before = "a\nb\nc\n";
    let bottom_up = "@@ @@\n-c\n+C\n@@ @@\n-a\n+A\n";
    assert_eq!(diff(bottom_up, &[("f", before)]).unwrap()["f"], "A\nb\nC\n");
    assert_eq!(diff("@@ @@\n-a\n+A\n@@ @@\n-nowhere\n+x\n", &[("f", before)]), Err(Reason::NotFound));
    assert_eq!(diff("@@ @@\n-a\n-b\n+A\n@@ @@\n-b\n+B\n", &[("f", before)]), Err(Reason::Overlap));
}

#[test]
fn a_hunk_is_met_by_whole_lines_only() {
    assert_eq!(diff("@@ @@\n-b\n+c\n", &[("f", "ab\nb\n")]).unwrap()["f"], "ab\nc\n");
    assert_eq!(diff("@@ @@\n-return 1\n+return 2\n", &[("f", "x\nreturn 11\n")]), Err(Reason::NotFound));
}

#[test]
fn lines_that_begin_like_a_header_are_lines() {
    let before = "select 1;\n-- old\nselect 2;\n";
    let text = "--- a/q.sql\n+++ b/q.sql\n@@ -1,3 +1,3 @@\n select 1;\n--- old\n+-- new\n select 2;\n";
    assert_eq!(diff(text, &[("q.sql", before)]).unwrap()["q.sql"], "select 1;\n-- new\nselect 2;\n");
    let increments = "@@ -1,2 +1,2 @@\n-++ i;\n+++ j;\n x\n";
    assert_eq!(diff(increments, &[("f", "++ i;\nx\n")]).unwrap()["f"], "++ j;\nx\n");
}

#[test]
fn the_last_line_break_is_as_the_diff_says() {
    let mark = "\\ No newline at end of file\n";
    let cases = [
        ("a\nb", format!("@@ -1,2 +1,2 @@\n a\n-b\n{mark}+c\n{mark}"), "a\nc"),
        ("a\nb", format!("@@ -1,2 +1,2 @@\n a\n-b\n{mark}+c\n"), "a\nc\n"),
        ("a\nb\n", format!("@@ -1,2 +1,2 @@\n a\n-b\n+c\n{mark}"), "a\nc"),
        ("a\nb", format!("@@ -1,2 +1,2 @@\n a\n-b\n{mark}+b\n"), "a\nb\n"),
        ("a\nb\n", format!("@@ -1,2 +1,2 @@\n a\n-b\n+b\n{mark}"), "a\nb"),
        ("a\nb", "@@ -1,2 +1,2 @@\n a\n-b\n+c\n".into(), "a\nc"),
        ("a\r\nb", format!("@@ -1,2 +1,2 @@\n a\n-b\n{mark}+c\n"), "a\r\nc\r\n"),
    ];
    for (before, text, wanted) in cases {
        assert_eq!(diff(&text, &[("f", before)]).unwrap()["f"], wanted, "{before:?} {text}");
    }
}

#[test]
fn files_come_go_and_move_with_a_diff() {
    let before = [("old.rs", "a\nb\n"), ("gone.rs", "x\n")];
    let text = "diff --git a/new.rs b/new.rs\nnew file mode 100644\n--- /dev/null\n+++ b/new.rs\n@@ -0,0 +1,2 @@\n+n\n+m\n\
        diff --git a/gone.rs b/gone.rs\ndeleted file mode 100644\n--- a/gone.rs\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n\
        diff --git a/old.rs b/moved.rs\nsimilarity index 50%\nrename from old.rs\nrename to moved.rs\n--- a/old.rs\n+++ b/moved.rs\n@@ -1,2 +1,2 @@\n a\n-b\n+c\n";
    assert_eq!(diff(text, &before).unwrap(), files(&[("new.rs", "n\nm\n"), ("moved.rs", "a\nc\n")]));
    let create = "--- /dev/null\n+++ b/old.rs\n@@ -0,0 +1 @@\n+n\n";
    assert_eq!(diff(create, &before), Err(Reason::FileExists));
    let other_text = "--- a/gone.rs\n+++ /dev/null\n@@ -1 +0,0 @@\n-y\n";
    assert_eq!(diff(other_text, &before), Err(Reason::Weak));
    let missing = "--- a/none.rs\n+++ b/none.rs\n@@ -1 +1 @@\n-x\n+y\n";
    assert_eq!(diff(missing, &before), Err(Reason::NoFile));
    let binary = "diff --git a/old.rs b/old.rs\nBinary files a/old.rs and b/old.rs differ\n";
    assert_eq!(diff(binary, &before), Err(Reason::Malformed));
    let one_bad = format!("{create}--- a/old.rs\n+++ b/old.rs\n@@ -1 +1 @@\n-nowhere\n+y\n")
        .replace("b/old.rs\n@@ -0", "b/n.rs\n@@ -0");
    assert_eq!(diff(&one_bad, &before), Err(Reason::NotFound), "the new file must not be made either");
}

#[test]
fn a_patch_adds_changes_moves_and_deletes() {
    let before = [("a.txt", "one\ntwo\n"), ("b.txt", "x\n"), ("c.txt", "y\n")];
    let body = "*** Add File: n/new.txt\n+made\n+\n*** Delete File: b.txt\n*** Update File: c.txt\n*** Move to: d.txt\n@@\n-y\n+z\n*** Update File: a.txt\n@@\n one\n-two\n+2\n";
    assert_eq!(
        patch(body, &before).unwrap(),
        files(&[("a.txt", "one\n2\n"), ("d.txt", "z\n"), ("n/new.txt", "made\n\n")])
    );
    assert_eq!(patch("*** Update File: a.txt\n*** Move to: e.txt\n", &before).unwrap()["e.txt"], "one\ntwo\n");
    assert_eq!(patch("*** Add File: a.txt\n+other\n", &before), Err(Reason::FileExists));
    assert_eq!(patch("*** Add File: b.txt\n+x\n", &before), Err(Reason::AlreadyApplied));
    assert_eq!(patch("*** Delete File: none.txt\n", &before), Err(Reason::NoFile));
    let replaced = "*** Delete File: b.txt\n*** Add File: b.txt\n+quite new\n";
    assert_eq!(patch(replaced, &before).unwrap()["b.txt"], "quite new\n");
    let twice = "*** Update File: a.txt\n@@\n-one\n+1\n*** Update File: a.txt\n@@\n 1\n-two\n+2\n";
    assert_eq!(patch(twice, &before).unwrap()["a.txt"], "1\n2\n");
}

#[test]
fn anchors_choose_among_equal_places() {
    let text = "class A:\n    def f(self):\n        return 1\n\n    def g(self):\n        return 1\n\nclass B:\n    def f(self):\n        return 1\n";
    let change = |anchors: &str| {
        let done =
            patch(&format!("*** Update File: f\n{anchors}-        return 1\n+        return 2\n"), &[("f", text)])?;
        Ok::<usize, Reason>(done["f"].lines().position(|line| line.ends_with('2')).unwrap() + 1)
    };
    assert_eq!(change("@@ class A:\n@@ def g(self):\n"), Ok(6));
    assert_eq!(change("@@ class B:\n@@     def f(self):\n"), Ok(10));
    assert_eq!(change("@@ def g\n"), Ok(6));
    assert_eq!(change("@@ class B:\n"), Ok(10));
    assert_eq!(change("@@ class A:\n"), Err(Reason::Ambiguous));
    assert_eq!(change("@@\n"), Err(Reason::Ambiguous));
    assert_eq!(change("@@ def h(self, other):\n"), Err(Reason::NotFound));
}

#[test]
fn an_anchor_below_the_place_speaks_against_it() {
    let text = "a = 1\n\ndef f():\n    b = 2\n";
    let body = |anchor: &str| format!("*** Update File: f\n@@ {anchor}\n-a = 1\n+a = 3\n");
    assert_eq!(patch(&body("def f():"), &[("f", text)]), Err(Reason::Weak));
    assert_eq!(patch(&body("nothing of the kind"), &[("f", text)]), Err(Reason::NotFound));
}

#[test]
fn the_end_of_file_marker_means_the_last_place() {
    let text = "x\n}\ny\n}\n";
    assert_eq!(
        patch("*** Update File: f\n@@\n-}\n+};\n*** End of File\n", &[("f", text)]).unwrap()["f"],
        "x\n}\ny\n};\n"
    );
    assert_eq!(
        patch("*** Update File: f\n@@\n+end\n*** End of File\n", &[("f", text)]).unwrap()["f"],
        "x\n}\ny\n}\nend\n"
    );
}

#[test]
fn lines_are_replaced_inserted_and_deleted_by_number() {
    let range =
        |from, to, new: &str, old: Option<&str>| LineRange { from, to, new: new.into(), old: old.map(str::to_owned) };
    let edit = |before: &str, ranges: &[LineRange]| {
        let done = after(&Request::LineRange { path: "f", ranges }, &files(&[("f", before)]));
        done.map(|files| files["f"].clone()).map_err(|refusal| refusal.reason)
    };
    let text = "a\nb\nc\nb\n";
    let good = [
        (text, range(2, 3, "x\n", None), "a\nx\nb\n"),
        (text, range(2, 3, "x", None), "a\nx\nb\n"),
        (text, range(2, 2, "", None), "a\nc\nb\n"),
        (text, range(1, 0, "x\n", None), "x\na\nb\nc\nb\n"),
        (text, range(5, 4, "x\n", None), "a\nb\nc\nb\nx\n"),
        ("a\nb", range(3, 2, "x\n", None), "a\nb\nx"),
        ("a\nb", range(2, 2, "x\n", None), "a\nx"),
        ("a\r\nb\r\n", range(1, 1, "x\ny\n", None), "x\r\ny\r\nb\r\n"),
        ("\u{feff}a\nb\n", range(1, 1, "x\n", None), "\u{feff}x\nb\n"),
        (text, range(2, 2, "x\n", Some("c\n")), "a\nb\nx\nb\n"),
        (text, range(4, 4, "x\n", Some("b\n")), "a\nb\nc\nx\n"),
        ("  a\n  b\n", range(1, 1, "    new\n", Some("b \n")), "  a\n    new\n"),
        ("", range(1, 0, "x\n", None), "x\n"),
    ];
    for (before, range, wanted) in good {
        assert_eq!(edit(before, std::slice::from_ref(&range)).as_deref(), Ok(wanted), "{before:?} {range:?}");
    }
    let bad = [
        (range(0, 1, "x\n", None), Reason::OutOfRange),
        (range(2, 9, "x\n", None), Reason::OutOfRange),
        (range(6, 5, "x\n", None), Reason::OutOfRange),
        (range(3, 1, "x\n", None), Reason::OutOfRange),
        (range(3, 3, "x\n", Some("b\n")), Reason::Ambiguous),
        (range(3, 3, "x\n", Some("d\n")), Reason::NotFound),
        (range(3, 3, "c\n", None), Reason::NothingToChange),
        (range(3, 3, "// ... existing code ...\n", None), Reason::Placeholder),
    ];
    for (range, reason) in bad {
        assert_eq!(edit(text, std::slice::from_ref(&range)), Err(reason), "{range:?}");
    }
    let both = [range(4, 4, "y\n", None), range(1, 1, "", None)];
    assert_eq!(edit(text, &both).unwrap(), "b\nc\ny\n", "numbers are those before the edit");
    assert_eq!(edit(text, &[range(1, 2, "y\n", None), range(2, 3, "", None)]), Err(Reason::Overlap));
}

#[test]
fn blocks_with_markers_name_their_files() {
    let text = "src/a.rs\n```rust\n<<<<<<< SEARCH\none\n=======\n1\n>>>>>>> REPLACE\n```\n\n**src/b.rs**:\n<<<<<<< SEARCH\ntwo\n=======\n2\n>>>>>>> REPLACE\n<<<<<<< SEARCH\n3\n=======\nthree\n>>>>>>> REPLACE\nnew.rs\n<<<<<<< SEARCH\n=======\nfresh\n>>>>>>> REPLACE\n";
    let before = files(&[("src/a.rs", "one\n"), ("src/b.rs", "two\n3\n")]);
    let request = Request::SearchReplace { path: None, text };
    let wanted = files(&[("new.rs", "fresh\n"), ("src/a.rs", "1\n"), ("src/b.rs", "2\nthree\n")]);
    assert_eq!(after(&request, &before).unwrap(), wanted);
    assert_eq!(request.paths().unwrap(), ["new.rs", "src/a.rs", "src/b.rs"]);
    let one_bad = text.replace("two", "nowhere");
    let refusal = after(&Request::SearchReplace { path: None, text: &one_bad }, &before).unwrap_err();
    assert!(refusal.message().starts_with("src/b.rs: Block 1 of 2: "), "{}", refusal.message());
}

#[test]
fn the_paths_to_load_are_known_beforehand() {
    let text = "--- a/src/x.rs\n+++ b/src/x.rs\n@@ -1 +1 @@\n-x\n+y\n";
    let request = Request::UnifiedDiff { path: None, text };
    assert_eq!(request.paths().unwrap(), ["a/src/x.rs", "b/src/x.rs", "src/x.rs"]);
    let text = "*** Begin Patch\n*** Update File: a\n*** Move to: b\n*** Delete File: c\n*** End Patch\n";
    assert_eq!(Request::V4a { text }.paths().unwrap(), ["a", "b", "c"]);
}

#[test]
fn a_refusal_says_which_hunk_of_which_file_and_how_to_write_it() {
    let before = files(&[("a", "x\n"), ("b", "y\n")]);
    let text = "*** Begin Patch\n*** Update File: a\n@@\n-x\n+z\n*** Update File: b\n@@\n-y\n+z\n@@\n-no such line here\n+z\n*** End Patch\n";
    let message = after(&Request::V4a { text }, &before).unwrap_err().message();
    assert!(message.starts_with("b: Hunk 2 of 2: The search text is not in the file"), "{message}");
    let message = after(&Request::V4a { text: "*** Begin Patch\n*** End Patch\n" }, &before).unwrap_err().message();
    assert!(message.contains("*** Update File: PATH"), "{message}");
    let message = after(&Request::UnifiedDiff { path: None, text: "hello\n" }, &before).unwrap_err().message();
    assert!(message.contains("+++ b/PATH"), "{message}");
}
