//! The script of the GitHub Action, fed with events: who may have Ox work, and that no words of others become a command.

use std::fs;
use std::os::unix::fs::symlink;

use serde_json::{Value, json};

use crate::place::{OX, Place, Ran};

/// Words that run something wherever a shell reads them.
const TRAP: &str =
    "x'; touch sprung #\" $(touch sprung) `touch sprung` ${IFS}\n::set-output name=x::y\n--approval auto";

/// Runs the script on an event; none where there is no `jq`.
fn act(place: &Place, event: &Value, script: &str) -> Option<Ran> {
    if place.program("jq").arg("--version").output().is_err() {
        assert!(std::env::var_os("CI").is_none(), "there is no jq");
        eprintln!("skipped: there is no jq");
        return None;
    }
    let bin = place.root().join("bin");
    if !bin.exists() {
        fs::create_dir(&bin).unwrap();
        symlink(OX, bin.join("ox")).unwrap();
    }
    let file = place.root().join("event.json");
    fs::write(&file, event.to_string()).unwrap();
    let mut command = place.program("sh");
    let path = format!("{}:{}", bin.display(), std::env::var("PATH").unwrap());
    command.arg(concat!(env!("CARGO_MANIFEST_DIR"), "/../../ci/github/ox.sh"));
    command.env("GITHUB_EVENT_PATH", file).env("RUNNER_TEMP", place.root()).env("PATH", path);
    command.env("GITHUB_STEP_SUMMARY", place.root().join("summary")).env("OX_MODEL", place.script(script));
    Some(place.finish(command))
}

fn comment(body: &str, association: &str) -> Value {
    json!({
        "issue": {"number": 3, "title": TRAP, "body": TRAP, "user": {"login": "mallory"}},
        "comment": {"body": body, "author_association": association, "user": {"login": "someone"}},
    })
}

const ANSWER: &str = "-- model --\n::set-output name=token::x\nIt is here.\n";

#[test]
fn a_member_is_answered_and_the_words_of_others_run_nothing() {
    let place = Place::new();
    let Some(ran) = act(&place, &comment(&format!("/ox ask where is it? {TRAP}"), "MEMBER"), ANSWER) else { return };
    assert_eq!(ran.code, Some(0), "{}{}", ran.out, ran.err);
    let summary = fs::read_to_string(place.root().join("summary")).unwrap();
    assert!(summary.contains("It is here."), "{summary}");
    // What is printed stands between two marks that nobody can guess, so the runner takes no commands from it.
    let lines: Vec<&str> = ran.out.lines().collect();
    let token = lines[0].strip_prefix("::stop-commands::").unwrap();
    assert!(token.len() == 32 && lines.last() == Some(&format!("::{token}::").as_str()), "{}", ran.out);
    assert!(!place.project("sprung").exists());
}

#[test]
fn nobody_else_has_ox_work() {
    let place = Place::new();
    for association in ["NONE", "CONTRIBUTOR", "FIRST_TIME_CONTRIBUTOR", ""] {
        let Some(ran) = act(&place, &comment("/ox ask where is it?", association), ANSWER) else { return };
        assert_eq!(ran.code, Some(0), "{}", ran.err);
        assert_eq!(ran.out, "Only people with rights in this repository can have Ox work.\n");
    }
    for body in ["thanks!", "/oxen ask x", " /ox ask x", "so:\n/ox ask x", ""] {
        let ran = act(&place, &comment(body, "OWNER"), ANSWER).unwrap();
        assert_eq!((ran.code, ran.out.as_str()), (Some(0), ""), "{body}: {}", ran.err);
    }
    let odd = json!({"issue": {"number": "3; touch sprung"}, "comment": {"body": "/ox run x", "author_association": "OWNER"}});
    let ran = act(&place, &odd, ANSWER).unwrap();
    assert!(ran.out.starts_with("This event is about no issue"), "{}", ran.out);
    assert!(!place.project("sprung").exists() && !place.root().join("summary").exists());
}
