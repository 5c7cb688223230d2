//! Code is reviewed and nothing is changed; what is found names places that exist.

use serde_json::{Value, json};

use crate::place::{Place, Ran};
use crate::terminal::Terminal;

const CODE: &str = "pub fn add(a: i64, b: i64) -> i64 {\n    a + b\n}\n";
const WRONG: &str = "pub fn add(a: i64, b: i64) -> i64 {\n    a - b\n}\n";

/// What a model finds: two faults, one in a file and one at a line that do not exist, and a note.
const FINDINGS: &str = "-- model --
note src/lib.rs:1: the name says little
error src/lib.rs:2: it subtracts, add(1, 2) is -1
  evidence: `a - b`
error src/lib.rs:99: past the end
warning src/no.rs:1: there is no such file
";

fn git(place: &Place, args: &[&str]) -> Ran {
    let mut command = place.program("git");
    command.args(["-c", "user.name=a", "-c", "user.email=a@b", "-c", "init.defaultBranch=main"]).args(args);
    let ran = place.finish(command);
    assert_eq!(ran.code, Some(0), "git {args:?}: {}", ran.err);
    ran
}

/// A repository with one commit.
fn repository() -> Place {
    let place = Place::new();
    place.write("src/lib.rs", CODE);
    git(&place, &["init", "--quiet"]);
    git(&place, &["add", "."]);
    git(&place, &["commit", "--quiet", "-m", "Begin"]);
    place
}

fn review(place: &Place, script: &str, args: &[&str]) -> Ran {
    let model = place.script(script);
    place.ox(&[&["review", "--model", &model], args].concat())
}

#[test]
fn what_is_not_committed_is_reviewed_and_only_what_exists_is_reported() {
    let place = repository();
    place.write("src/lib.rs", WRONG);
    let ran = review(&place, FINDINGS, &[]);
    assert_eq!(ran.code, Some(8), "{}{}", ran.out, ran.err);
    assert_eq!(
        ran.out,
        "error src/lib.rs:2: it subtracts, add(1, 2) is -1\n    `a - b`\nnote src/lib.rs:1: the name says little\n"
    );
    assert!(ran.err.starts_with("Reviewing uncommitted changes: 1 file, +1\n"), "{}", ran.err);
    assert!(ran.err.contains("Errors: 1. Warnings: 0. Notes: 1.\n2 more findings were left out"), "{}", ran.err);
    assert_eq!(place.read("src/lib.rs"), WRONG);
}

#[test]
fn programs_get_the_findings_as_data() {
    let place = repository();
    place.write("src/new.rs", "pub fn new() {}\n");
    let ran = review(&place, "-- model --\nwarning src/new.rs:1: nothing calls it\n", &["--json"]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let report: Value = serde_json::from_str(&ran.out).unwrap();
    let finding = json!({
        "severity": "warning", "file": "src/new.rs", "line": 1, "message": "nothing calls it", "evidence": "",
    });
    assert_eq!((&report["findings"], &report["dropped"]), (&json!([finding]), &json!(0)));
    assert_eq!((&report["files"], &report["exit_code"]), (&json!(["src/new.rs"]), &json!(0)));
}

#[test]
fn what_is_staged_a_range_and_a_branch_are_found() {
    let place = repository();
    place.write("src/lib.rs", WRONG);
    git(&place, &["add", "."]);
    // The working tree has moved on: line 4 exists only in what is staged.
    place.write("src/lib.rs", "// short\n");
    let staged = "-- model --\nerror src/lib.rs:3: there\nerror src/lib.rs:4: not there\n";
    let ran = review(&place, staged, &["--staged"]);
    assert_eq!((ran.code, ran.out.as_str()), (Some(8), "error src/lib.rs:3: there\n"), "{}", ran.err);
    place.write("src/lib.rs", WRONG);
    git(&place, &["checkout", "--quiet", "-b", "feature"]);
    git(&place, &["commit", "--quiet", "-m", "Break"]);
    for (args, about) in
        [(&[][..], "this branch since it left main"), (&["main..HEAD"], "main..HEAD"), (&["main"], "main")]
    {
        let ran = review(&place, "-- model --\nNo findings.\n", args);
        assert_eq!((ran.code, ran.out.as_str()), (Some(0), "No findings.\n"), "{}", ran.err);
        assert!(ran.err.starts_with(&format!("Reviewing {about}: 1 file, +1\n")), "{}", ran.err);
    }
}

#[test]
fn a_pull_request_comes_from_origin_and_where_it_does_not_the_way_out_is_named() {
    let place = repository();
    let clone = place.root().join("origin.git");
    git(&place, &["clone", "--quiet", "--bare", ".", &clone.display().to_string()]);
    git(&place, &["remote", "add", "origin", &clone.display().to_string()]);
    place.write("src/lib.rs", WRONG);
    git(&place, &["commit", "--quiet", "-am", "Break"]);
    git(&place, &["push", "--quiet", "origin", "HEAD:refs/pull/7/head"]);
    git(&place, &["reset", "--quiet", "--hard", "HEAD~1"]);
    let ran = review(&place, FINDINGS, &["7"]);
    assert_eq!(ran.code, Some(8), "{}{}", ran.out, ran.err);
    assert!(ran.err.starts_with("Reviewing pull request 7 against main: 1 file"), "{}", ran.err);
    assert_eq!(place.read("src/lib.rs"), CODE);
    let ran = review(&place, FINDINGS, &["8"]);
    assert!(ran.refusal(1).contains("Cannot fetch pull request 8 from `origin`"), "{}", ran.err);
    assert!(ran.err.contains("git fetch origin refs/pull/8/head"), "{}", ran.err);
}

#[test]
fn where_there_is_nothing_to_review_no_model_is_asked() {
    let place = repository();
    let nothing = "-- model --\nNo findings.\n";
    assert!(review(&place, nothing, &[]).refusal(1).contains("There is nothing to review"));
    assert!(review(&place, nothing, &["nowhere..HEAD"]).refusal(1).contains("Git knows no commit `nowhere`"));
    assert!(review(&Place::new(), nothing, &[]).refusal(1).contains("is not in a git repository"));
}

#[test]
fn an_answer_that_judges_nothing_is_asked_for_again_once() {
    let place = repository();
    place.write("src/lib.rs", WRONG);
    let again = "-- model --\nLooks good to me!\n-- model --\nno findings\n";
    assert_eq!(review(&place, again, &[]).code, Some(0));
    let never = "-- model --\nLooks good to me!\n-- model --\nIt is fine.\n";
    let ran = review(&place, never, &[]);
    assert_eq!((ran.code, ran.out.as_str()), (Some(7), ""), "{}", ran.err);
    assert!(ran.err.contains("without naming findings"), "{}", ran.err);
}

#[test]
fn the_former_flags_still_go_through_the_last_run() {
    let place = Place::new();
    let ran = place.ox(&["review", "--reject-all"]);
    assert!(ran.refusal(1).starts_with("Going through the changes of the last run is `ox accept` now"), "{}", ran.err);
    assert!(ran.err.contains("No run has uncommitted changes"), "{}", ran.err);
}

#[test]
fn a_review_is_a_turn_of_the_conversation_too() {
    let place = repository();
    place.write("src/lib.rs", WRONG);
    let model = place.script(FINDINGS);
    let mut terminal = Terminal::open(&place, &["--model", &model], &[]);
    terminal.shows("›");
    terminal.types("/review\r");
    terminal.shows("Reviewing uncommitted changes: 1 file, +1");
    terminal.shows("error src/lib.rs:2: it subtracts");
    terminal.shows("Names a place that does not exist: error src/lib.rs:99: past the end");
    terminal.shows("Reviewed: 2 findings at places that exist.");
    terminal.leaves();
    assert_eq!(place.read("src/lib.rs"), WRONG);
}
