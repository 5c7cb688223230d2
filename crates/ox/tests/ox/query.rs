//! `ox query` by the commands that users and scripts type: the right file first, without a model and without a repository.

use std::io::Write;
use std::process::Stdio;

use serde_json::{Value, json};

use crate::place::Place;

/// A project whose files differ in what they are about.
fn project() -> Place {
    let place = Place::new();
    place.write("src/lib.rs", "pub mod parser;\npub mod render;\npub mod wire;\n");
    place.write(
        "src/parser.rs",
        "use crate::wire::Frame;\n\n/// Reads a header line.\npub fn parse_header(text: &str) -> Result<Frame, String> {\n    if text.is_empty() {\n        return Err(\"the header line is missing\".to_string());\n    }\n    Ok(Frame::new(text))\n}\n\n/// Splits fields.\npub fn split_fields(text: &str) -> Vec<&str> {\n    text.split(';').collect()\n}\n",
    );
    place.write(
        "src/render.rs",
        "/// Draws a table with borders.\npub fn draw_table(rows: &[Vec<String>]) -> String {\n    rows.iter().map(|row| row.join(\" | \")).collect::<Vec<_>>().join(\"\\n\")\n}\n",
    );
    place.write(
        "src/wire.rs",
        "/// What goes over the wire.\npub struct Frame {\n    pub text: String,\n}\n\nimpl Frame {\n    pub fn new(text: &str) -> Frame {\n        Frame { text: text.to_owned() }\n    }\n}\n",
    );
    place.write("tests/parser.rs", "#[test]\nfn header() {\n    let _ = project::parser::parse_header(\"x\");\n}\n");
    place.write(
        "CHANGELOG.md",
        "# Changes\n\nThe header line parser reads header lines; a missing header is an error.\n",
    );
    place
}

fn answer(place: &Place, args: &[&str]) -> Value {
    let ran = place.ox(args);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    serde_json::from_str(&ran.out).unwrap()
}

fn first(answer: &Value) -> &str {
    answer["files"][0]["path"].as_str().unwrap_or_default()
}

#[test]
fn words_names_errors_and_paths_find_their_file() {
    let place = project();
    for (text, path) in [
        ("drawing tables without borders", "src/render.rs"),
        ("`parse_header` accepts too much", "src/parser.rs"),
        ("it says \"the header line is missing\" for no reason", "src/parser.rs"),
        ("Frame::new copies its text", "src/wire.rs"),
        ("Crash while drawing\n\nthread 'main' panicked at src/render.rs:3:5:\nindex out of bounds", "src/render.rs"),
        ("wrong\nhttps://github.com/o/r/blob/main/src/wire.rs#L7", "src/wire.rs"),
    ] {
        let answer = answer(&place, &["query", "--json", text]);
        assert_eq!(first(&answer), path, "{text}: {answer:#}");
    }
}

#[test]
fn tests_come_first_only_where_they_are_asked_for() {
    let place = project();
    assert_eq!(first(&answer(&place, &["query", "--json", "parse_header fails"])), "src/parser.rs");
    assert_eq!(
        first(&answer(&place, &["query", "--json", "the header test of parse_header is flaky"])),
        "tests/parser.rs"
    );
}

#[test]
fn a_snippet_has_its_lines_symbol_and_sources() {
    let place = project();
    let answer = answer(&place, &["query", "--json", "parse_header accepts too much"]);
    let snippet = &answer["snippets"][0];
    assert_eq!((&snippet["path"], &snippet["symbol"]), (&json!("src/parser.rs"), &json!("parse_header")));
    let (start, end) = (snippet["start"].as_u64().unwrap(), snippet["end"].as_u64().unwrap());
    let text = place.read("src/parser.rs");
    let lines: Vec<&str> = text.lines().skip(start as usize - 1).take((end - start + 1) as usize).collect();
    assert_eq!(snippet["text"].as_str().unwrap(), lines.join("\n"));
    assert!(lines.join("\n").contains("pub fn parse_header"));
    assert!(snippet["sources"]["words"].as_f64().unwrap() > 0.0, "{snippet:#}");
}

#[test]
fn the_given_file_draws_in_what_it_imports() {
    let place = project();
    let score = |args: &[&str]| -> f64 {
        let answer = answer(&place, args);
        let all = answer["files"].as_array().unwrap();
        all.iter().find(|it| it["path"] == "src/wire.rs").map_or(f64::MIN, |it| it["score"].as_f64().unwrap())
    };
    let text = "missing header fields";
    let near = score(&["query", "--json", "--file", "src/parser.rs", text]);
    assert!(near > score(&["query", "--json", text]) + 0.5, "{near}");
}

#[test]
fn a_batch_is_answered_line_by_line_and_a_bad_line_alone_is_an_error() {
    let place = project();
    let mut command = place.command(&["query", "--batch", "--limit", "2"]);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let lines =
        "{\"id\":1,\"query\":\"draw table\"}\nnonsense\n\n{\"id\":\"b\",\"query\":\"split_fields\",\"limit\":1}\n";
    child.stdin.take().unwrap().write_all(lines.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    let answers: Vec<Value> =
        String::from_utf8(output.stdout).unwrap().lines().map(|it| serde_json::from_str(it).unwrap()).collect();
    assert_eq!(answers.len(), 3);
    assert_eq!((&answers[0]["id"], first(&answers[0])), (&json!(1), "src/render.rs"));
    assert!(answers[1]["error"].as_str().unwrap().contains("line 2"));
    assert_eq!((&answers[2]["id"], first(&answers[2])), (&json!("b"), "src/parser.rs"));
    assert_eq!(answers[2]["files"].as_array().unwrap().len(), 1);
    for key in ["path", "start", "end", "symbol", "score", "sources"] {
        assert!(!answers[0]["snippets"][0][key].is_null(), "{key}");
    }
}

#[test]
fn what_cannot_be_asked_is_said_in_words() {
    let place = project();
    let empty = place.ox(&["query", " "]);
    assert_eq!(empty.code, Some(2));
    assert!(empty.err.contains("No question"), "{}", empty.err);
    let absent = place.ox(&["query", "--file", "src/nothing.rs", "x"]);
    assert_eq!(absent.code, Some(2));
    assert!(absent.err.contains("there is no file src/nothing.rs"), "{}", absent.err);
    let nothing = place.ox(&["query", "zzzyyy"]);
    assert_eq!((nothing.code, nothing.out.as_str()), (Some(0), ""));
    assert!(nothing.err.contains("No matches in this project"), "{}", nothing.err);
}

#[test]
fn a_change_is_found_by_the_next_question() {
    let place = project();
    assert_eq!(first(&answer(&place, &["query", "--json", "quaternion rotation"])), "");
    place.write("src/turn.rs", "pub fn rotate_quaternion() {}\n");
    assert_eq!(first(&answer(&place, &["query", "--json", "quaternion rotation"])), "src/turn.rs");
}

#[test]
fn shares_are_explained_and_add_up() {
    let place = project();
    let reported = answer(&place, &["query", "--json", "draw_table loses rows"]);
    let file = &reported["files"][0];
    let sum: f64 = file["sources"].as_object().unwrap().values().filter_map(Value::as_f64).sum();
    assert!((sum - file["score"].as_f64().unwrap()).abs() < 0.02, "{file:#}");
    let shown = place.ox(&["query", "--explain", "draw_table loses rows"]);
    assert!(shown.out.contains("src/render.rs") && shown.out.contains(" best piece +"), "{}", shown.out);
    let shares =
        shown.out.lines().find_map(|it| it.trim().strip_prefix("= ")).unwrap_or_else(|| panic!("{}", shown.out));
    let shares: Vec<f64> = shares.split(", ").map(|it| it.rsplit_once(' ').unwrap().1.parse().unwrap()).collect();
    assert!(shares.len() > 1 && shares.is_sorted_by(|one, next| one >= next), "the greatest first: {}", shown.out);
}
