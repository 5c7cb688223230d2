//! Recording a run, replaying it, and going on live; each in the real binary.

use std::fs;
use std::path::PathBuf;

use expect_test::expect;

use crate::place::{Place, Ran};
use crate::provider::{Format, Provider};

const SCRIPT: &str = "-- model --\nI read it.\n@read_file\npath: notes.txt\n-- model: fail 529 slow retry-after=0 --\n-- model --\n@write_file\npath: made.txt\ncontent: |\n  hello\n-- model --\n@attempt_completion\nresult: The file is **made**.\n";

/// A project with a recorded run of the task; everything that the run made is taken away again.
fn recorded(script: &str, flags: &[&str]) -> (Place, PathBuf, Ran) {
    let place = Place::new();
    place.write("notes.txt", "one\ntwo\n");
    let cassette = place.root().join("a.cassette");
    let ran = place.play(script, &[flags, &["--record", cassette.to_str().unwrap(), "make a file"]].concat());
    let _ = fs::remove_file(place.project("made.txt"));
    (place, cassette, ran)
}

fn replay(place: &Place, cassette: &std::path::Path, more: &[&str]) -> Ran {
    place.ox(&[&["replay", cassette.to_str().unwrap()], more].concat())
}

#[test]
fn a_run_is_replayed_without_its_model() {
    let script = SCRIPT.replace(" retry-after=0", "");
    let (place, cassette, ran) = recorded(&script, &[]);
    assert_eq!((ran.code, ran.out.as_str()), (Some(0), "The file is **made**.\n"), "{}", ran.err);
    // Without the script there is nothing that could answer but the cassette.
    fs::remove_file(place.root().join("script.txt")).unwrap();
    let again = replay(&place, &cassette, &[]);
    assert_eq!((again.code, again.out), (ran.code, ran.out), "{}", again.err);
    assert_eq!(place.read("made.txt"), "hello\n");
    assert!(again.err.contains("Settings of the recorded run: --mode auto --approval accept-edits"), "{}", again.err);
    assert!(again.err.contains("All 4 recorded replies were used"), "{}", again.err);
    // What it made is in the way of a second time: it says so instead of going on.
    let thrice = replay(&place, &cassette, &[]);
    assert_eq!(thrice.code, Some(1), "{}", thrice.err);
    assert!(thrice.err.contains("is not among the recorded ones"), "{}", thrice.err);
    // `ox undo` takes a replay back.
    fs::remove_file(place.project("made.txt")).unwrap();
    assert_eq!(replay(&place, &cassette, &[]).code, Some(0));
    assert_eq!(place.ox(&["undo"]).code, Some(0));
    assert!(!place.project("made.txt").exists());
}

#[test]
fn the_traffic_of_a_provider_is_replayed_after_it_has_gone() {
    for format in Format::ALL {
        let place = Place::new();
        place.write("notes.txt", "one\ntwo\n");
        let cassette = place.root().join("a.cassette");
        let provider =
            Provider::new(format, "-- model --\n@read_file\npath: notes.txt\n-- model --\nIt has two lines.\n");
        let ran = place.finish(
            place
                .command_on(&provider, &["run", "--mode", "chat", "--record", cassette.to_str().unwrap(), "how long?"]),
        );
        assert_eq!((ran.code, ran.out.as_str()), (Some(0), "It has two lines.\n"), "{format:?} {}", ran.err);
        drop(provider);
        let again = replay(&place, &cassette, &["--json"]);
        let deltas = |ran: &Ran| -> String {
            let lines = ran.json_lines();
            let all = lines.iter().filter(|it| it["event"] == "stream_delta");
            all.map(|it| it["delta"].as_str().unwrap().to_string()).collect()
        };
        assert_eq!(again.code, Some(0), "{format:?} {}", again.err);
        assert!(deltas(&again).contains("It has two lines."), "{format:?}");
    }
}

#[test]
fn where_it_diverges_it_stops_and_says_how() {
    let (place, cassette, _) =
        recorded("-- model --\n@read_file\npath: notes.txt\n-- model --\nTwo.\n", &["--mode", "chat"]);
    place.write("notes.txt", "one\nthree\n");
    let ran = replay(&place, &cassette, &[]);
    assert_eq!((ran.code, ran.out.as_str()), (Some(1), ""));
    let (_, words) = ran.err.split_once("The replay differs from").unwrap_or_else(|| panic!("{}", ran.err));
    expect![[r#"
         the recording (--loose ignores wording): request 2 is not among the recorded ones; the nearest is request 2 (line 3 of the cassette), which differs in
        message 3 (tool), result of read_file, line 2
          recorded: two
          now:      three
    "#]].assert_eq(words);
    // Somebody who does not mind other words says so.
    let loose = replay(&place, &cassette, &["--loose"]);
    assert_eq!((loose.code, loose.out.as_str()), (Some(0), "Two.\n"), "{}", loose.err);
}

#[test]
fn from_an_iteration_on_the_live_model_answers() {
    let (place, cassette, _) =
        recorded("-- model --\n@read_file\npath: notes.txt\n-- model --\nTwo.\n", &["--mode", "chat"]);
    let live = place.script("-- model --\nLive: two.\n");
    let ran = replay(&place, &cassette, &["--live", "2", "--model", &live]);
    assert_eq!((ran.code, ran.out.as_str()), (Some(0), "Live: two.\n"), "{}", ran.err);
    assert!(ran.err.contains("read_file"), "{}", ran.err);
    assert!(ran.err.contains("Live replies from scripted/"), "{}", ran.err);
    assert!(ran.err.contains(": 2 to 2. The earlier ones are recorded."), "{}", ran.err);
    let ran = replay(&place, &cassette, &["--live", "0"]);
    assert_eq!(ran.code, Some(2));
    // Which model is live must be known before anything is done.
    assert!(replay(&place, &cassette, &["--live", "2"]).refusal(41).contains("No model is configured"));
}

#[test]
fn a_stored_conversation_becomes_a_cassette() {
    let place = Place::new();
    place.write("notes.txt", "one\ntwo\n");
    let script = SCRIPT.replace(" retry-after=0", "");
    let first = place.play(&script, &["--name", "made", "make a file"]);
    assert_eq!(first.code, Some(0), "{}", first.err);
    fs::remove_file(place.project("made.txt")).unwrap();
    let id = place.ox(&["sessions"]).out.split(' ').next().unwrap().to_string();
    let written = place.ox(&["record", &id]);
    assert_eq!(written.code, Some(0), "{}", written.err);
    assert!(written.out.starts_with("{\"ox_cassette\":3,"), "{}", written.out);
    let cassette = place.root().join("b.cassette");
    // The folder was cut from what the command printed.
    let root = place.root().canonicalize().unwrap();
    let text = written.out.replace("\"/project\"", &format!("\"{}/project\"", root.display()));
    fs::write(&cassette, text).unwrap();
    let again = replay(&place, &cassette, &[]);
    assert_eq!((again.code, again.out), (Some(0), first.out), "{}", again.err);
    assert_eq!(place.read("made.txt"), "hello\n");
    assert_eq!(place.ox(&["record", "no-such"]).code, Some(1));
}

#[test]
fn uncommitted_work_is_not_put_at_stake_unasked() {
    let (place, cassette, _) = recorded("-- model --\nTwo.\n", &["--mode", "chat"]);
    for args in [&["init", "-q"][..], &["add", "notes.txt"]] {
        let mut git = place.program("git");
        git.args(args).env("HOME", place.root());
        assert_eq!(place.finish(git).code, Some(0));
    }
    let mut git = place.program("git");
    git.args(["-c", "user.name=x", "-c", "user.email=x@x", "commit", "-qm", "x"]).env("HOME", place.root());
    assert_eq!(place.finish(git).code, Some(0));
    place.write("notes.txt", "mine\n");
    let ran = replay(&place, &cassette, &[]);
    assert!(ran.refusal(2).contains("has uncommitted changes"), "{}", ran.err);
    assert!(!replay(&place, &cassette, &["--here", "--loose"]).err.contains("uncommitted"));
}

#[test]
fn a_cassette_of_another_version_or_none_is_refused() {
    let place = Place::new();
    let cassette = place.root().join("a.cassette");
    fs::write(&cassette, "{\"ox_cassette\":4}\n").unwrap();
    expect![[r#"
        ox: Cannot read the cassette /a.cassette: it has version 4, and this Ox reads version 3; update Ox.
    "#]]
    .assert_eq(replay(&place, &cassette, &[]).refusal(1));
    fs::write(&cassette, "hello").unwrap();
    assert!(replay(&place, &cassette, &[]).refusal(1).contains("it is no cassette"));
    assert!(replay(&place, &place.root().join("absent"), &[]).refusal(1).contains("No such file"));
}
