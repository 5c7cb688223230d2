//! Recorded states of a project and the way back, by the commands that users type.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};

use serde_json::Value;

use crate::place::{Place, Ran};

const NOTHING: &str = "ox: Nothing to undo.\n";

/// Removes what git does not keep and puts back what it does, from a script, of which nothing is known beforehand.
const WRECK: &str =
    "rm -rf src run.log link && mkdir src && echo 'fn main() {}' > src/main.rs && echo more > made.txt\n";

fn git(place: &Place, args: &[&str]) {
    let mut command = place.program("git");
    command.args(["-c", "user.name=t", "-c", "user.email=t@example.com"]).args(args);
    let ran = place.finish(command);
    assert_eq!(ran.code, Some(0), "{args:?} {}", ran.err);
}

/// A repository with what git does not keep.
fn project() -> Place {
    let place = Place::new();
    place.write("src/main.rs", "fn main() {}\n");
    place.write(".gitignore", "*.log\n.env\n");
    git(&place, &["init", "-q"]);
    git(&place, &["add", "."]);
    git(&place, &["commit", "-q", "-m", "one"]);
    place.write("src/main.rs", "fn main() { edited() }\n");
    place.write("src/only here.rs", "// untracked\n");
    place.write("wreck.sh", WRECK);
    place.write(".env", "KEY=1\n");
    fs::set_permissions(place.project(".env"), fs::Permissions::from_mode(0o600)).unwrap();
    place.write("run.log", [0, 159, 146, 150]);
    symlink("src/main.rs", place.project("link")).unwrap();
    place
}

/// What git does not keep, as one text.
fn kept(place: &Place) -> String {
    let read = |path: &str| fs::read(place.project(path)).map_or("none".to_owned(), |it| it.escape_ascii().to_string());
    let mode = fs::metadata(place.project(".env")).map_or(0, |it| it.permissions().mode() & 0o7777);
    let link = fs::read_link(place.project("link")).map_or("none".to_owned(), |it| it.display().to_string());
    let files = ["src/main.rs", "src/only here.rs", ".env", "run.log", "made.txt"].map(read);
    format!("{} {mode:o} {link}", files.join(" | "))
}

fn wrecked(place: &Place) -> Ran {
    let model = place.script("-- model --\n@run_command\ncommand: sh wreck.sh\n-- model --\nDone.\n");
    place.ox(&["run", "--model", &model, "--allow", "run_command", "Clean up."])
}

#[test]
fn what_a_command_destroyed_comes_back_by_undo_and_goes_by_redo() {
    let place = project();
    let before = kept(&place);
    let ran = wrecked(&place);
    assert!(place.project("made.txt").exists(), "{}{}", ran.out, ran.err);
    let wreck = kept(&place);
    assert_ne!(wreck, before);
    let dry = place.ox(&["undo", "--dry-run"]);
    assert!(dry.out.contains("A run.log") && dry.out.contains("Nothing changed (--dry-run)"), "{}{}", dry.out, dry.err);
    assert_eq!(kept(&place), wreck);
    let undone = place.ox(&["undo"]);
    assert_eq!(undone.code, Some(0), "{}", undone.err);
    assert!(undone.out.contains("To undo this: ox restore "), "{}", undone.out);
    assert_eq!(kept(&place), before);
    assert_eq!(place.ox(&["undo"]).refusal(1), NOTHING);
    assert_eq!(place.ox(&["redo"]).code, Some(0));
    assert_eq!(kept(&place), wreck);
    assert_eq!(place.ox(&["redo"]).refusal(1), "ox: Nothing to redo.\n");
    assert_eq!(place.ox(&["undo"]).code, Some(0));
    place.write("by hand", "x");
    assert!(place.ox(&["redo"]).refusal(1).contains("changed since the undo"));
}

#[test]
fn an_undo_over_the_users_own_work_asks_first() {
    let place = project();
    wrecked(&place);
    git(&place, &["checkout", "-q", "-b", "feature"]);
    place.write("mine.txt", "mine\n");
    git(&place, &["add", "mine.txt"]);
    git(&place, &["commit", "-q", "-m", "mine"]);
    place.write("src/main.rs", "fn main() {}\n// and a line of mine\n");
    let before = kept(&place);
    let head = || fs::read_to_string(place.project(".git/HEAD")).unwrap() + &place.read(".git/refs/heads/feature");
    let at = head();
    let refused = place.ox(&["undo"]);
    let words = refused.refusal(4);
    for expected in ["HEAD has moved", "feature", "\n  src/main.rs  +1 -2", "--keep", "--force"] {
        assert!(words.contains(expected), "{expected}: {words}");
    }
    let reported: Value = serde_json::from_str(&place.ox(&["undo", "--json"]).out).unwrap();
    assert_eq!(
        (&reported["lost"][0]["path"], reported["lost"].as_array().unwrap().len()),
        (&Value::from("src/main.rs"), 1)
    );
    assert_eq!(kept(&place), before);
    let undone = place.ox(&["undo", "--keep"]);
    assert_eq!((undone.code, undone.err.as_str()), (Some(0), ""), "{}", undone.err);
    assert_eq!(place.read("src/main.rs"), "fn main() {}\n// and a line of mine\n");
    assert_eq!((place.read("src/only here.rs"), place.read("mine.txt")), ("// untracked\n".into(), "mine\n".into()));
    assert!(!place.project("made.txt").exists());
    assert_eq!(head(), at);
    assert_eq!(place.ox(&["redo"]).code, Some(0));
    assert_eq!(place.ox(&["undo", "--force"]).code, Some(0));
    assert_eq!(place.read("src/main.rs"), "fn main() { edited() }\n");
    assert_eq!((place.read("mine.txt"), head()), ("mine\n".into(), at));
}

#[test]
fn a_git_folder_that_a_command_destroyed_comes_back() {
    let place = project();
    place.write("clean.sh", "rm -rf .git/objects .git/refs .git/logs\n");
    let log = |place: &Place| {
        let mut command = place.program("git");
        command.args(["log", "--format=%H"]);
        place.finish(command).out
    };
    let before = log(&place);
    assert!(!before.is_empty());
    let model = place.script("-- model --\n@run_command\ncommand: sh clean.sh\n-- model --\nDone.\n");
    place.ox(&["run", "--model", &model, "--allow", "run_command", "Clean up."]);
    let undone = place.ox(&["undo"]);
    // Where the sandbox lets nothing of it be destroyed there is nothing to undo.
    assert_eq!(log(&place), before, "{}{}", undone.out, undone.err);
    git(&place, &["fsck", "--strict"]);
}

#[test]
fn a_revert_and_a_review_belong_to_their_turn() {
    let place = project();
    let before = kept(&place);
    place.write("b.txt", "b\n");
    let model = place.script(
        "-- model --\n@read_file\npath: b.txt\n-- model --\n@read_file\npath: wreck.sh\n\
         -- model --\n@edit_file\npath: b.txt\nold: b\nnew: B\n\
         -- model --\n@edit_file\npath: wreck.sh\nold: mkdir src\nnew: mkdir -p src\n\
         -- model --\n@revert_file\npath: wreck.sh\n-- model --\n@attempt_completion\nresult: Done.\n",
    );
    place.ox(&["run", "--model", &model, "--approval", "accept-edits", "--mode", "build", "Shout."]);
    assert_eq!((place.read("b.txt"), place.read("wreck.sh")), ("B\n".into(), WRECK.into()));
    assert_eq!(place.ox(&["diff", "--stat"]).out, "M b.txt  +1 -1\n");
    assert_eq!(place.ox(&["accept", "--reject-all"]).code, Some(0));
    assert_eq!(place.read("b.txt"), "b\n");
    // The review took all of the turn back; what is left to undo is nothing.
    assert_eq!(place.ox(&["undo"]).refusal(1), NOTHING);
    assert_eq!((kept(&place), place.read("b.txt")), (before, "b\n".into()));
}

#[test]
fn checkpoints_are_listed_compared_and_restored() {
    let place = project();
    wrecked(&place);
    let ran = place.ox(&["checkpoints", "--json"]);
    let list: Value = serde_json::from_str(&ran.out).unwrap();
    let first = list[0]["id"].as_str().unwrap();
    assert_eq!(list[0]["reason"], "before_turn");
    let table = place.ox(&["checkpoints"]).out;
    assert!(table.contains(first) && table.contains("before a turn"), "{table}");
    let diff = place.ox(&["diff"]).out;
    assert!(diff.contains("-fn main() { edited() }\n+fn main() {}\n"), "{diff}");
    assert!(diff.contains("Binary files a/run.log and /dev/null differ"), "{diff}");
    let stat = place.ox(&["diff", first, "now", "src", "--stat"]).out;
    assert_eq!(stat, "M src/main.rs  +1 -1\nD src/only here.rs  +0 -1\n");
    let ran = place.ox(&["restore", &first[..4], "src/only here.rs", "--json"]);
    let restored: Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!(restored["files"][0]["path"], "src/only here.rs", "{restored}");
    assert_eq!(place.read("src/only here.rs"), "// untracked\n");
    assert_eq!(place.ox(&["checkpoints", "--prune"]).code, Some(0));
}

#[test]
fn the_changes_of_a_turn_are_one_diff_with_a_reason_for_each_file() {
    let place = Place::new();
    place.write("a.txt", "one\n");
    place.write("b.txt", "x\n");
    let script = "-- model --\n@edit_file\npath: a.txt\nold: one\nnew: two\nwhy: the task says two\n\
        @edit_file\npath: b.txt\nold: x\nnew: y\nwhy: b follows a\n\
        -- model --\n@edit_file\npath: a.txt\nold: two\nnew: 2\nwhy: as a digit\n-- model --\nDone.\n";
    place.play(script, &["--mode", "build", "Make it two."]);
    let diff = place.ox(&["diff"]).out;
    assert_eq!(
        diff,
        "# the task says two; as a digit\ndiff a/a.txt b/a.txt\n--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-one\n+2\n\
         # b follows a\ndiff a/b.txt b/b.txt\n--- a/b.txt\n+++ b/b.txt\n@@ -1 +1 @@\n-x\n+y\n"
    );
    let files: Value = serde_json::from_str(&place.ox(&["diff", "--json"]).out).unwrap();
    assert_eq!(files[1]["why"], "b follows a");
    place.ox(&["undo"]);
    fs::write(place.root().join("turn.diff"), diff).unwrap();
    let applied = place.root().join("turn.diff").display().to_string();
    git(&place, &["init", "-q"]);
    git(&place, &["apply", &applied]);
    assert_eq!((place.read("a.txt"), place.read("b.txt")), ("2\n".to_owned(), "y\n".to_owned()));
}

#[test]
fn what_cannot_be_is_said_in_words() {
    let place = project();
    assert!(place.ox(&["checkpoints"]).err.contains("No checkpoints for /project yet"));
    assert_eq!(place.ox(&["undo"]).refusal(1), NOTHING);
    assert!(place.ox(&["diff"]).refusal(1).contains("No turn has started yet"));
    assert!(place.ox(&["restore", "abcd"]).refusal(1).contains("There is no checkpoint abcd"));
    wrecked(&place);
    let list: Value = serde_json::from_str(&place.ox(&["checkpoints", "--json"]).out).unwrap();
    let id = list[0]["id"].as_str().unwrap();
    let wrong = format!("{}{}", &id[..7], if id.ends_with('0') { '1' } else { '0' });
    let near = place.ox(&["restore", &wrong]);
    assert!(near.refusal(1).contains(&format!("Did you mean {id}")), "{}", near.err);
    assert!(place.ox(&["restore", id, "../outside"]).refusal(1).contains("outside the project"));
}
