//! Sub-agents by the commands that users type: whose kinds count, what an undo takes back, what a parent can read later.

use serde_json::Value;

use crate::place::{Place, outputs};

const CALLS_KIND: &str = "-- model --\n@spawn_subagent\nkind: docs\ntask: Write it down.\n";
const KIND: &str = "---\ndescription: writes the documents\nmode: auto\nscope: [docs/**]\n---\nYou write documents.\n";
const WRITES: &str = "-- model --\n@write_file\npath: docs/a.md\ncontent: new\n-- model --\ndocs/a.md is there.\n";

fn args(model: &str) -> Vec<&str> {
    vec!["run", "--json", "--mode", "auto", "--model", model, "Write it down."]
}

fn run(place: &Place, script: &str) -> Vec<Value> {
    place.ox(&args(&place.script(script))).json_lines()
}

#[test]
fn a_kind_of_the_project_counts_only_once_its_folder_is_trusted() {
    let place = Place::new();
    place.write("a.txt", "one\n");
    place.write(".ox/agents/docs.md", KIND);
    let before = run(&place, &format!("{CALLS_KIND}-- model --\nThere is no such kind.\n"));
    let said = outputs(&before, "spawn_subagent").concat();
    assert!(said.contains("There is no sub-agent of kind `docs`"), "{said}");
    place.trusts();
    let after = run(&place, &format!("{CALLS_KIND}{WRITES}-- model --\nIt is written down.\n"));
    let said = outputs(&after, "spawn_subagent").concat();
    assert!(said.starts_with("docs/a.md is there."), "{said}");
    place.write(".ox/agents/docs.md", KIND.replace("docs/**", "**"));
    let changed = run(&place, &format!("{CALLS_KIND}-- model --\nThere is no such kind.\n"));
    let said = outputs(&changed, "spawn_subagent").concat();
    assert!(said.contains("There is no sub-agent of kind `docs`"), "a changed file has to be trusted again: {said}");
}

#[test]
fn an_undo_of_the_turn_takes_back_what_its_sub_agent_changed() {
    let place = Place::new();
    place.write("tests/test_a.py", "old\n");
    let script = "-- model --\n@write_file\npath: own.txt\ncontent: mine\n\
        -- model --\n@spawn_subagent\nkind: test-writer\ntask: Write a test.\n\
        -- model --\n@edit_file\npath: tests/test_a.py\nold: old\nnew: new\n\
        -- model --\n@write_file\npath: tests/test_b.py\ncontent: more\n\
        -- model --\nBoth are there.\n-- model --\nDone.\n";
    let ran = run(&place, script);
    assert!(outputs(&ran, "spawn_subagent").concat().starts_with("Both are there."), "{ran:?}");
    assert_eq!(place.read("tests/test_a.py"), "new\n");
    let undone = place.ox(&["undo"]);
    assert_eq!(undone.code, Some(0), "{}", undone.err);
    assert_eq!(place.read("tests/test_a.py"), "old\n");
    let left: Vec<bool> = ["own.txt", "tests/test_b.py"].iter().map(|it| place.project(it).exists()).collect();
    assert_eq!(left, [false, false]);
}

#[test]
fn last_words_that_were_cut_can_be_read_whole() {
    let words = "src/a.rs:1: what it does, at length\n".repeat(500);
    let call = "-- model --\n@spawn_subagent\nkind: explore\ntask: Tell all.\n";
    let begin = format!("{call}-- model --\n{words}the very end\n");
    let first = run(&Place::new(), &format!("{begin}-- model --\nDone.\n"));
    let words_read = outputs(&first, "spawn_subagent").concat();
    assert!(words_read.len() < 12_200 && !words_read.contains("the very end"), "{} bytes", words_read.len());
    let id = words_read.rsplit("`recall` of ").next().unwrap().trim_end_matches(']').to_owned();
    let recall = format!("-- model --\n@recall\ncall: {id}\noffset: = 490\n");
    let second = run(&Place::new(), &format!("{begin}{recall}-- model --\nDone.\n"));
    let whole = outputs(&second, "recall").concat();
    assert!(whole.trim_end().ends_with("the very end"), "{whole}");
}

#[test]
fn kinds_with_a_copy_of_their_own_write_side_by_side_and_come_back_as_one_change_each() {
    let place = Place::new();
    place.write("a.txt", "one\n");
    place.write("b.txt", "two\n");
    let kind = "---\ndescription: writes anything\nmode: auto\nworktree: true\n---\nYou write.\n";
    place.write(".ox/agents/writer.md", kind);
    place.trusts();
    // Which of the two gets which reply is not known, and makes no difference.
    let script = "-- model --\n@spawn_subagent\nkind: writer\ntask: One.\n@spawn_subagent\nkind: writer\ntask: Two.\n\
        -- model --\n@edit_file\npath: a.txt\nold: one\nnew: 1\nwhy: as a digit\n\
        -- model --\n@edit_file\npath: b.txt\nold: two\nnew: 2\n\
        -- model --\nWritten.\n-- model --\nWritten.\n-- model --\nBoth are written.\n";
    let ran = run(&place, script);
    let said = outputs(&ran, "spawn_subagent").concat();
    assert!(said.contains("came into the project from its copy"), "{said}");
    assert_eq!((place.read("a.txt"), place.read("b.txt")), ("1\n".to_owned(), "2\n".to_owned()), "{said}");
    assert!(place.ox(&["diff"]).out.starts_with("# as a digit\n"), "the reason came back with it");
    assert_eq!(place.ox(&["undo"]).code, Some(0));
    assert_eq!((place.read("a.txt"), place.read("b.txt")), ("one\n".to_owned(), "two\n".to_owned()));
}
