//! `ox edit` as a person and a script meet it: patches on a project, batches of edits on texts.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::os::unix::fs::PermissionsExt;
use std::process::Stdio;

use expect_test::expect;
use serde_json::{Value, json};

use crate::place::{Place, Ran, start};

const DIFF: &str = "--- a/src/a.rs\n+++ b/src/a.rs\n@@ -1,3 +1,3 @@\n fn a() {\n-    1\n+    2\n }\n";

fn project() -> Place {
    let place = Place::new();
    fs::create_dir(place.project(".git")).unwrap();
    place.write("src/a.rs", "fn a() {\n    1\n}\n");
    place.write("src/b.rs", "b();\nb();\n");
    place
}

fn apply(place: &Place, args: &[&str], patch: &str) -> Ran {
    place.feed(place.command(&[&["edit", "apply"], args].concat()), patch)
}

fn batch(lines: &[Value]) -> Vec<Value> {
    let text: String = lines.iter().map(|it| format!("{it}\n")).collect();
    let place = Place::new();
    let ran = place.feed(place.command(&["edit", "--batch"]), &text);
    assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""));
    ran.json_lines()
}

#[test]
fn a_patch_of_each_format_is_applied() {
    for patch in [
        DIFF,
        "*** Begin Patch\n*** Update File: src/a.rs\n@@\n-    1\n+    2\n*** End Patch\n",
        "src/a.rs\n<<<<<<< SEARCH\n    1\n=======\n    2\n>>>>>>> REPLACE\n",
    ] {
        let place = project();
        let ran = apply(&place, &[], patch);
        assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""), "{patch}");
        assert!(ran.out.starts_with("edited src/a.rs:") && ran.out.ends_with("-    1\n+    2\n"), "{}", ran.out);
        assert_eq!(place.read("src/a.rs"), "fn a() {\n    2\n}\n");
    }
}

#[test]
fn a_dry_run_tells_everything_and_touches_nothing() {
    let place = project();
    let patch = format!(
        "{DIFF}--- /dev/null\n+++ b/new/c.rs\n@@ -0,0 +1 @@\n+c();\n--- a/src/b.rs\n+++ /dev/null\n@@ -1,2 +0,0 @@\n-b();\n-b();\n"
    );
    let ran = apply(&place, &["--dry-run"], &patch);
    expect![[r#"
        edited src/a.rs:1-3
        @@ -2,1 +2,1 @@
        -    1
        +    2
        created new/c.rs (1 line)
        deleted src/b.rs
    "#]]
    .assert_eq(&ran.out);
    assert_eq!((ran.code, ran.err.as_str()), (Some(0), "Nothing was written (--dry-run).\n"));
    assert_eq!(place.read("src/a.rs"), "fn a() {\n    1\n}\n");
    assert!(!place.project("new").exists() && place.project("src/b.rs").exists());
    assert_eq!(apply(&place, &[], &patch).out, ran.out, "the same words when it is done");
    assert!(place.project("new/c.rs").exists() && !place.project("src/b.rs").exists());
}

#[test]
fn a_patch_without_a_file_applies_to_the_one_given() {
    let place = project();
    let patch = "@@ -2 +2 @@\n-    1\n+    2\n";
    let ran = apply(&place, &[], patch);
    assert_eq!(ran.code, Some(1));
    assert!(ran.err.contains("does not say which file is meant"), "{}", ran.err);
    assert_eq!(apply(&place, &["--path", "src/a.rs"], patch).code, Some(0));
    assert_eq!(place.read("src/a.rs"), "fn a() {\n    2\n}\n");
}

#[test]
fn a_refusal_shows_the_candidates_and_changes_nothing() {
    let place = project();
    place.write(".env", "KEY=1\n");
    let hunk = |path: &str, old: &str| {
        format!(
            "*** Begin Patch\n*** Update File: src/a.rs\n@@\n-    1\n+    2\n*** Update File: {path}\n@@\n-{old}\n+x\n*** End Patch\n"
        )
    };
    let words: Vec<String> = [
        hunk("src/b.rs", "b();"),
        hunk("src/b.rs", "let lower = bound(b, 0);"),
        hunk("src/bb.rs", "b();"),
        hunk("../outside.rs", "b();"),
        hunk(".env", "KEY=1"),
    ]
    .map(|patch| apply(&place, &[], &patch).refusal(1).to_string())
    .to_vec();
    expect![[r#"
        `src/b.rs` was not edited. The search text fits 2 places equally well.
        line 1:
            b();
        line 2:
            b();
        Add lines before or after which only the place you mean has, or give its line number.
        None of the files of this call was changed.
        ---
        `src/b.rs` was not edited. The search text is not in the file, and nothing in it is alike.
        Take the lines from the file as it is now (read it again if in doubt) and send the edit again.
        None of the files of this call was changed.
        ---
        `src/bb.rs` does not exist; did you mean `src/b.rs`?
        The other files of this call are as they were.
        ---
        `../outside.rs` is outside the project; only paths beneath `/project` (and folders added to it) can be used
        ---
        `.env` is protected and is never written: it is a file of secrets; ask the user to change it, or write a template such as `.env.example`
    "#]].assert_eq(&words.join("---\n"));
    assert_eq!(place.read("src/a.rs"), "fn a() {\n    1\n}\n");
}

#[test]
fn bad_usage_is_distinguished_from_a_refusal() {
    let place = project();
    expect![[r#"
        ox: There is no patch on standard input. Give a unified diff, a text from `*** Begin Patch` to `*** End Patch`, or SEARCH/REPLACE blocks with the file name above them: ox edit apply < my.patch
    "#]]
    .assert_eq(apply(&place, &[], "what is this").refusal(2));
    apply(&place, &[], "").refusal(2);
    place.ox(&["edit"]).refusal(2);
    place.ox(&["edit", "--batch", "apply"]).refusal(2);
    place.ox(&["edit", "apply", "--quickly"]).refusal(2);
}

#[test]
fn scripts_get_json() {
    let place = project();
    let done: Value = serde_json::from_str(&apply(&place, &["--json", "--dry-run"], DIFF).out).unwrap();
    expect![[r#"{"status":"applied","dry_run":true,"strategy":"exact","similarity":1.0,"files":[{"path":"src/a.rs","kind":"modified","diff":"@@ -1,3 +1,3 @@\n fn a() {\n-    1\n+    2\n }\n","added":1,"removed":1,"places":[{"lines":[1,3],"after":[1,3],"strategy":"exact","similarity":1.0}]}]}"#]]
    .assert_eq(&done.to_string());
    let ran = apply(&place, &["--json"], "--- a/src/b.rs\n+++ b/src/b.rs\n@@ @@\n-b();\n+c();\n");
    let refused: Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!((ran.code, &refused["status"], &refused["reason"]), (Some(1), &json!("refused"), &json!("ambiguous")));
    assert_eq!(refused["file"], "src/b.rs");
    let lines: Vec<&Value> = refused["candidates"].as_array().unwrap().iter().map(|it| &it["lines"]).collect();
    assert_eq!(lines, [&json!([1, 1]), &json!([2, 2])]);
}

#[test]
fn one_file_that_cannot_be_written_leaves_all_as_they_were() {
    let place = project();
    fs::set_permissions(place.project("src/b.rs"), fs::Permissions::from_mode(0o444)).unwrap();
    let patch = format!("{DIFF}--- a/src/b.rs\n+++ b/src/b.rs\n@@ -1,2 +1 @@\n b();\n-b();\n");
    let words = apply(&place, &[], &patch).refusal(1).to_string();
    assert!(words.contains("its mode permits nobody to write it"), "{words}");
    assert_eq!(place.read("src/a.rs"), "fn a() {\n    1\n}\n");
}

#[test]
fn a_batch_answers_every_format() {
    let before = "one\r\ntwo\r\nthree\r\n";
    let case =
        |id: &str, format: &str, edit: Value| json!({"id": id, "format": format, "before": before, "edit": edit});
    let answers = batch(&[
        case("block", "search_replace", json!({"search": "two\n", "replace": "2\n"})),
        case(
            "blocks",
            "search_replace",
            json!([{"search": "one", "replace": "1"}, {"search": "  three", "replace": "  3"}]),
        ),
        case("raw", "search_replace", json!("<<<<<<< SEARCH\ntwo\n=======\n2\n>>>>>>> REPLACE\n")),
        case("diff", "unified_diff", json!("@@ -2 +2 @@\n-two\n+2\n")),
        case("patch", "v4a", json!("*** Begin Patch\n*** Update File: file\n@@\n-two\n+2\n*** End Patch")),
        case("lines", "line_range", json!({"start_line": 2, "end_line": 3, "new_text": "2\n"})),
        case("whole", "whole_file", json!("one\n2\nthree\n")),
        case("no place", "search_replace", json!({"search": "four", "replace": "4"})),
        json!({"id": 7, "before": "a\n", "edit": "@@ -1 +1 @@\n-a\n+b\n"}),
    ]);
    let reported: Vec<String> = answers
        .iter()
        .map(|it| format!("{} {} {} {} {}", it["id"], it["status"], it["after"], it["strategy"], it["lines"]))
        .collect();
    expect![[r#"
        "block" "applied" "one\r\n2\r\nthree\r\n" "exact" [2,2]
        "blocks" "applied" "1\r\ntwo\r\n3\r\n" "indentation" [1,3]
        "raw" "applied" "one\r\n2\r\nthree\r\n" "exact" [2,2]
        "diff" "applied" "one\r\n2\r\nthree\r\n" "exact" [2,2]
        "patch" "applied" "one\r\n2\r\nthree\r\n" "exact" [2,2]
        "lines" "applied" "one\r\n2\r\n" "exact" [2,3]
        "whole" "applied" "one\r\n2\r\nthree\r\n" "exact" [1,3]
        "no place" "refused" null null null
        7 "applied" "b\n" "exact" [1,1]"#]]
    .assert_eq(&reported.join("\n"));
    expect![[r#"{"id":"no place","status":"refused","reason":"not_found","message":"The search text is not in the file, and nothing in it is alike.\nTake the lines from the file as it is now (read it again if in doubt) and send the edit again.","block":1,"candidates":[]}"#]].assert_eq(&answers[7].to_string());
}

#[test]
fn a_batch_of_several_files_gives_all_of_them() {
    let files = json!({"a.rs": "1\n", "b.rs": "2\n", "c.rs": "3\n"});
    let edit = "*** Begin Patch\n*** Update File: a.rs\n@@\n-1\n+one\n*** Add File: d.rs\n+4\n*** Delete File: b.rs\n*** End Patch\n";
    let [done, refused] = &batch(&[
        json!({"id": "x", "format": "v4a", "path": "a.rs", "before": null, "files_before": files, "edit": edit}),
        json!({"id": "y", "format": "v4a", "files_before": files, "edit": edit.replace("b.rs", "e.rs")}),
    ])[..] else {
        panic!("two answers")
    };
    assert_eq!(done["files_after"], json!({"a.rs": "one\n", "c.rs": "3\n", "d.rs": "4\n"}));
    assert_eq!((done.get("after"), refused.get("files_after")), (None, None));
    assert_eq!((&refused["reason"], &refused["file"]), (&json!("no_file"), &json!("e.rs")));
}

#[test]
fn bad_lines_are_answered_and_do_not_stop_a_batch() {
    let place = Place::new();
    let good = json!({"id": "good", "format": "whole_file", "before": "", "edit": "x\n"});
    let mut input = Vec::new();
    for line in [
        "nonsense",
        "{\"id\": \"cut off\", \"before\": \"a",
        "[1, 2]",
        "\u{feff}{}",
        r#"{"id": "no text", "format": "whole_file", "edit": "x"}"#,
        r#"{"id": "no edit", "format": "v4a", "before": "x"}"#,
        r#"{"id": "wrong kind", "format": "whole_file", "before": ["x"], "edit": "x"}"#,
        r#"{"id": "what format", "format": "sed", "before": "x", "edit": "s/x/y/"}"#,
        r#"{"id": "half", "format": "search_replace", "before": "x", "edit": [{"search": "x"}]}"#,
        r#"{"id": "no number", "format": "line_range", "before": "x", "edit": {"start_line": -1, "end_line": 2, "new_text": ""}}"#,
        r#"{"id": "empty list", "format": "line_range", "before": "x", "edit": []}"#,
        r#"{"id": "far", "format": "line_range", "before": "x", "edit": {"start_line": 18446744073709551615, "end_line": 18446744073709551615, "new_text": ""}}"#,
        "",
        &good.to_string(),
    ] {
        input.extend(line.as_bytes());
        input.push(b'\n');
    }
    input.extend(b"{\"id\": \"\xff\"}\n");
    input.extend(good.to_string().as_bytes());
    let mut command = place.command(&["edit", "--batch"]);
    command.stdin(Stdio::piped());
    let mut child = start(&mut command);
    child.stdin.take().unwrap().write_all(&input).unwrap();
    let ran = place.ended(child, std::time::Instant::now());
    assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""));
    let reported: Vec<String> =
        ran.json_lines().iter().map(|it| format!("{} {} {}", it["id"], it["status"], it["reason"])).collect();
    expect![[r#"
        null "error" "line 1 cannot be read: expected ident at line 1 column 2"
        null "error" "line 2 cannot be read: EOF while parsing a string at line 1 column 30"
        null "error" "line 3 cannot be read: invalid type: integer `2`, expected a string at line 1 column 5"
        null "error" "line 4 cannot be read: expected value at line 1 column 1"
        "no text" "error" "line 5: `before` or `files_before` is missing"
        "no edit" "error" "line 6: `edit` must be a text in this format"
        "wrong kind" "error" "line 7 cannot be read: invalid type: sequence, expected a string at line 1 column 55"
        "what format" "error" "line 8: format `sed` is none of search_replace, unified_diff, v4a, line_range, whole_file"
        "half" "error" "line 9: `edit`, part 1: `replace` must be a text"
        "no number" "error" "line 10: `edit`, part 1: `start_line` must be the number of a line"
        "empty list" "error" "line 11: `edit` is empty"
        "far" "refused" "out_of_range"
        "good" "applied" null
        null "error" "line 15 cannot be read: invalid unicode code point at line 1 column 9"
        "good" "applied" null"#]].assert_eq(&reported.join("\n"));
}

#[test]
fn a_batch_answers_while_it_reads() {
    let place = Place::new();
    let mut command = place.command(&["edit", "--batch"]);
    command.stdin(Stdio::piped());
    let mut child = start(&mut command);
    let mut input = child.stdin.take().unwrap();
    let mut output = BufReader::new(child.stdout.take().unwrap());
    for number in 0..3 {
        writeln!(input, "{}", json!({"id": number, "format": "whole_file", "before": "", "edit": "x\n"})).unwrap();
        let mut line = String::new();
        output.read_line(&mut line).unwrap();
        assert_eq!(serde_json::from_str::<Value>(&line).unwrap()["id"], number);
    }
    // Whoever reads may leave early; that is no failure.
    drop(output);
    let _ = writeln!(input, "{}", json!({"id": 3, "before": "", "edit": "x\n"}));
    drop(input);
    assert_eq!(place.ended(child, std::time::Instant::now()).code, Some(0));
}
