//! Recorded states of a project and the way back, by the commands that users type.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};

use serde_json::Value;

use crate::place::{Place, Ran};

const NOTHING: &str = "ox: There is nothing to undo.\n";

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
    let ran = place.ox(&["run", "--model", &model, "--allow", "run_command", "Clean up."]);
    // Behind its walls the command does not even see this one.
    fs::remove_file(place.project(".env")).unwrap();
    ran
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
    assert!(dry.out.contains("A .env") && dry.err.contains("Nothing was changed"), "{}{}", dry.out, dry.err);
    assert_eq!(kept(&place), wreck);
    let undone = place.ox(&["undo"]);
    assert_eq!(undone.code, Some(0), "{}", undone.err);
    assert!(undone.err.contains("To take this back: ox restore "), "{}", undone.err);
    assert_eq!(kept(&place), before);
    assert_eq!(place.ox(&["undo"]).refusal(1), NOTHING);
    assert_eq!(place.ox(&["redo"]).code, Some(0));
    assert_eq!(kept(&place), wreck);
    assert_eq!(place.ox(&["redo"]).refusal(1), "ox: There is nothing to redo.\n");
    assert_eq!(place.ox(&["undo"]).code, Some(0));
    place.write("by hand", "x");
    assert!(place.ox(&["redo"]).refusal(1).contains("changed since the undo"));
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
    assert!(!place.project(".env").exists());
    assert_eq!(place.ox(&["checkpoints", "--prune"]).code, Some(0));
}

#[test]
fn what_cannot_be_is_said_in_words() {
    let place = project();
    assert!(place.ox(&["checkpoints"]).err.contains("There are no checkpoints of /project yet"));
    assert_eq!(place.ox(&["undo"]).refusal(1), NOTHING);
    assert!(place.ox(&["diff"]).refusal(1).contains("No turn has begun yet"));
    assert!(place.ox(&["restore", "abcd"]).refusal(1).contains("There is no checkpoint abcd"));
    wrecked(&place);
    let list: Value = serde_json::from_str(&place.ox(&["checkpoints", "--json"]).out).unwrap();
    let id = list[0]["id"].as_str().unwrap();
    let wrong = format!("{}{}", &id[..7], if id.ends_with('0') { '1' } else { '0' });
    let near = place.ox(&["restore", &wrong]);
    assert!(near.refusal(1).contains(&format!("Did you mean {id}")), "{}", near.err);
    assert!(place.ox(&["restore", id, "../outside"]).refusal(1).contains("outside the project"));
}
