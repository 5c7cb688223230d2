//! What a run changed is looked at part by part, and what is rejected is gone.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};

use expect_test::expect;
use serde_json::Value;

use crate::place::{Place, Ran};
use crate::terminal::Terminal;

const TEXT: &str = "one\ntwo\nthree\nfour\nfive\nsix\nseven\neight\nnine\nten\n";

/// A run that changes a text in two places, makes a file, moves one, and deletes one.
const RUN: &str = "-- model --
@edit_file
path: a.txt
old: two
new: TWO
why: shout
-- model --
@edit_file
path: a.txt
old: nine
new: NINE
why: shout more
-- model --
@write_file
path: new/b.txt
content: brand new
why: needed
-- model --
@move_file
from: old.txt
to: moved.txt
-- model --
@delete_file
path: gone.txt
-- model --
@attempt_completion
result: Fixed the shouting.
";

fn place() -> Place {
    let place = Place::new();
    place.write("a.txt", TEXT);
    place.write("old.txt", "to be moved\n");
    place.write("gone.txt", "to be deleted\n");
    place.write("mine.txt", "untouched\n");
    place
}

fn ran(text: &str) -> Place {
    let place = place();
    let ran = place.play(text, &["shout"]);
    assert_eq!(ran.code, Some(0), "{}{}", ran.out, ran.err);
    place
}

fn json(ran: &Ran) -> Value {
    serde_json::from_str(&ran.out).unwrap_or_else(|error| panic!("{error}: {}{}", ran.out, ran.err))
}

/// Names of the parts of a file.
fn ids(place: &Place, path: &str) -> Vec<String> {
    let report = json(&place.ox(&["accept", "--json"]));
    let files = report["files"].as_array().unwrap();
    let file = files.iter().find(|it| it["path"] == path).unwrap_or_else(|| panic!("{path} is not in {report}"));
    file["hunks"].as_array().unwrap().iter().map(|it| it["id"].as_str().unwrap().to_string()).collect()
}

#[test]
fn everything_is_listed_with_its_reason() {
    let place = ran(RUN);
    place.write("mine.txt", "changed by the user since\n");
    let report = json(&place.ox(&["accept", "--json"]));
    let line = |it: &Value| {
        let states: Vec<&str> =
            it["hunks"].as_array().unwrap().iter().map(|it| it["state"].as_str().unwrap()).collect();
        format!("{} {} {} {states:?} {}\n", it["path"].as_str().unwrap(), it["kind"], it["whole"], it["why"])
    };
    let lines: String = report["files"].as_array().unwrap().iter().map(line).collect();
    expect![[r#"
        a.txt "modified" null ["pending", "pending"] ["shout","shout more"]
        gone.txt "deleted" "deleted" ["pending"] []
        moved.txt "renamed" "renamed" ["pending"] []
        new/b.txt "created" "created" ["pending"] ["needed"]
    "#]]
    .assert_eq(&lines);
}

#[test]
fn a_rejected_hunk_is_gone_and_the_others_stay() {
    let place = ran(RUN);
    let found = ids(&place, "a.txt");
    let ran = place.ox(&["accept", "--reject", &found[0]]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    assert!(ran.err.starts_with("0 accepted, 1 taken back.\nThe state before is saved: `ox restore "), "{}", ran.err);
    assert_eq!(place.read("a.txt"), TEXT.replace("nine", "NINE"));
    assert_eq!(ids(&place, "a.txt"), found[1..]);
    assert!(place.project("new/b.txt").exists() && place.project("moved.txt").exists());
    // What is accepted is not asked about again.
    assert_eq!(place.ox(&["accept", "--accept", "a.txt"]).code, Some(0));
    let report = json(&place.ox(&["accept", "--json"]));
    assert_eq!(report["files"][0]["hunks"][0]["state"], "accepted");
}

#[test]
fn all_is_taken_back_byte_for_byte_and_what_the_user_did_since_stays() {
    let place = ran(RUN);
    place.write("mine.txt", "changed by the user since\n");
    let ran = place.ox(&["accept", "--reject-all"]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    assert_eq!((place.read("a.txt"), place.read("old.txt")), (TEXT.to_string(), "to be moved\n".to_string()));
    assert_eq!(place.read("gone.txt"), "to be deleted\n");
    assert_eq!(place.read("mine.txt"), "changed by the user since\n");
    assert!(!place.project("new").exists() && !place.project("moved.txt").exists());
    assert!(place.ox(&["accept"]).err.contains("No run has uncommitted changes"));
}

#[test]
fn lines_that_the_user_changed_since_are_left_alone() {
    let place = ran(RUN);
    let text = place.read("a.txt").replace("TWO", "TWO, but nicer").replace("five", "FIVE");
    place.write("a.txt", &text);
    place.write("new/b.txt", "brand new, and mine\n");
    let report = json(&place.ox(&["accept", "--json"]));
    let states = |at: usize| {
        report["files"][at]["hunks"]
            .as_array()
            .unwrap()
            .iter()
            .map(|it| it["state"].as_str().unwrap())
            .collect::<Vec<&str>>()
    };
    assert_eq!((states(0), states(3)), (vec!["changed_since", "pending"], vec!["changed_since"]));
    let found = ids(&place, "a.txt");
    let ran = place.ox(&["accept", "--reject", "a.txt", "--reject", "new/b.txt"]);
    assert_eq!(ran.code, Some(1));
    assert!(ran.err.contains(&format!("a.txt: {} was left unchanged", found[0])), "{}", ran.err);
    assert_eq!(place.read("a.txt"), text.replace("NINE", "nine"));
    assert_eq!(place.read("new/b.txt"), "brand new, and mine\n");
}

#[test]
fn binary_files_modes_and_links_are_all_or_nothing() {
    let place = place();
    place.write("data.bin", [0, 1, 2, 3]);
    place.write("tool.sh", "exit 0\n");
    symlink("a.txt", place.project("link")).unwrap();
    let command =
        "printf '\\\\000\\\\377' > data.bin; chmod +x tool.sh; ln -sfn mine.txt link; rm old.txt; mkdir empty";
    let script = format!(
        "-- model --\n@run_command\ncommand: {}\n-- model --\n@attempt_completion\nresult: Done.\n",
        command.replace("\\\\", "\\")
    );
    let ran = place.play(&script, &["--allow", "run_command", "change"]);
    assert_eq!(ran.code, Some(0), "{}{}", ran.out, ran.err);
    let report = json(&place.ox(&["accept", "--json"]));
    let kinds: Vec<String> = report["files"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| format!("{} {}", it["path"].as_str().unwrap(), it["whole"].as_str().unwrap_or("-")))
        .collect();
    assert_eq!(
        kinds.iter().filter(|it| !it.starts_with("empty")).cloned().collect::<Vec<_>>(),
        ["data.bin binary", "link other", "old.txt deleted", "tool.sh mode"]
    );
    assert_eq!(place.ox(&["accept", "--reject-all"]).code, Some(0));
    assert_eq!(fs::read(place.project("data.bin")).unwrap(), [0, 1, 2, 3]);
    assert_eq!(fs::metadata(place.project("tool.sh")).unwrap().permissions().mode() & 0o111, 0);
    assert_eq!(fs::read_link(place.project("link")).unwrap().to_str(), Some("a.txt"));
    assert_eq!(place.read("old.txt"), "to be moved\n");
}

#[test]
fn a_person_decides_part_by_part() {
    let place = ran(RUN);
    let mut terminal = Terminal::open(&place, &["accept"], &[]);
    terminal.shows("a.txt");
    terminal.shows("shout more");
    terminal.shows("+TWO");
    terminal.shows("Keep this change? (1 of 5) [y,n,a,d,s,q,?]");
    terminal.types("what\r");
    terminal.shows("n take back");
    terminal.types("n\r");
    terminal.shows("+NINE");
    terminal.types("y\r");
    terminal.shows("gone.txt (deleted)");
    terminal.types("d\r");
    terminal.shows("old.txt → moved.txt (renamed)");
    terminal.types("q\r");
    terminal.shows("1 accepted, 2 taken back.");
    terminal.ends(0);
    assert_eq!(place.read("a.txt"), TEXT.replace("nine", "NINE"));
    assert!(place.project("gone.txt").exists() && place.project("moved.txt").exists());
}

#[test]
fn what_does_not_exist_is_named() {
    let place = Place::new();
    let nothing = "ox: No run has uncommitted changes in /project.\n";
    assert_eq!(place.ox(&["accept"]).refusal(1), nothing);
    let place = ran(RUN);
    let unknown = "ox: There is no hunk or changed file `zzz`. `ox accept --json` lists them.\n";
    assert_eq!(place.ox(&["accept", "--reject", "zzz"]).refusal(1), unknown);
    assert_eq!(place.read("a.txt"), TEXT.replace("two", "TWO").replace("nine", "NINE"));
}
