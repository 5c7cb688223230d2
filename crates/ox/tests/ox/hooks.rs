//! The user's hooks in a whole run: they deny, they send back, they run in the sandbox.

use std::fs;

use crate::place::Place;

fn with_hooks(hooks: &str) -> Place {
    let place = Place::new();
    place.write("a.txt", "one\n");
    fs::write(place.home("config.toml"), hooks).unwrap();
    place
}

#[test]
fn a_hook_denies_a_call_in_its_own_words() {
    let place = with_hooks(
        "[[hooks]]\nat = \"before_tool\"\ntools = [\"write_*\"]\n\
         command = \"grep -q '\\\"path\\\":\\\"b.txt\\\"' && { echo b is frozen; exit 2; } || exit 0\"\n",
    );
    let script = "-- model --\n@write_file\npath: b.txt\ncontent: two\n-- model --\n@write_file\npath: c.txt\ncontent: three\n\
                  -- model --\n@attempt_completion\nresult: Only c.\n";
    let ran = place.play(script, &["--json", "write both"]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    assert!(!place.project("b.txt").exists());
    assert_eq!(place.read("c.txt"), "three");
    assert!(ran.out.contains("a hook refused `write_file`: b is frozen"), "{}", ran.out);
}

#[test]
fn a_hook_before_the_end_sends_the_model_back_to_work() {
    let place = with_hooks(
        "[[hooks]]\nat = \"before_stop\"\ncommand = \"test -f CHANGES || { echo write CHANGES first; exit 2; }\"\n",
    );
    let script = "-- model --\n@write_file\npath: b.txt\ncontent: two\n-- model --\n@attempt_completion\nresult: Done.\n\
                  -- model --\n@write_file\npath: CHANGES\ncontent: b\n-- model --\n@attempt_completion\nresult: With changes.\n";
    let ran = place.play(script, &["write b"]);
    assert_eq!((ran.code, ran.out.as_str()), (Some(0), "With changes.\n"), "{}", ran.err);
    assert!(ran.err.contains("blocked this:") && ran.err.contains("write CHANGES first"), "{}", ran.err);
}

#[test]
fn a_hook_has_the_rights_of_a_command_and_no_more() {
    let place = with_hooks(
        "[[hooks]]\nat = \"run_start\"\ncommand = \"touch inside ../outside 2>/dev/null; exit 0\"\n\
         [[hooks]]\nat = \"after_run\"\ncommand = \"cat > after.json\"\n",
    );
    let script = "-- model --\n@read_file\npath: a.txt\n-- model --\nIt says one.\n";
    let ran = place.play(script, &["--mode", "chat", "what?"]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    assert!(!place.project("inside").exists(), "a mode that changes nothing gives a hook a copy");
    let ran = place.play(script, &["--mode", "auto", "what?"]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    assert!(place.project("inside").exists() && !place.root().join("outside").exists());
    let reported: serde_json::Value = serde_json::from_str(&place.read("after.json")).unwrap();
    assert_eq!((&reported["event"], &reported["mode"]), (&"after_run".into(), &"auto".into()), "{reported}");
}
