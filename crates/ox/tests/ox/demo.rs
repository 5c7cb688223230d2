//! `ox demo`: the whole job without a key, and nothing of it in the user's own files.

use serde_json::Value;

use crate::place::{Place, Ran};

/// The sample needs a compiler, and its own folder for what is built.
fn demo(place: &Place, flags: &[&str]) -> Ran {
    let mut command = place.command(&[&["demo"], flags].concat());
    for name in ["HOME", "CARGO_HOME", "RUSTUP_HOME", "RUSTUP_TOOLCHAIN"] {
        command.envs(std::env::var_os(name).map(|value| (name, value)));
    }
    command.env("TMPDIR", place.root());
    place.finish(command)
}

#[test]
fn the_job_is_done_and_only_the_answer_is_on_standard_output() {
    let place = Place::new();
    let ran = demo(&place, &[]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    assert!(ran.out.starts_with("Percentages are rounded to the nearest cent"), "{}", ran.out);
    let steps = [
        "The model's replies are recorded",
        "✗ cargo test already fails",
        "round 2 of 5",
        "✓ cargo test",
        "Done; all checks pass.",
        "That was a recorded model.",
    ];
    let mut rest = ran.err.as_str();
    for step in steps {
        rest = rest.split_once(step).unwrap_or_else(|| panic!("`{step}` is missing in {}", ran.err)).1;
    }
    let names = std::fs::read_dir(place.root()).unwrap().map(|it| it.unwrap().file_name().into_string().unwrap());
    let left: Vec<String> = names.filter(|it| it.starts_with("ox-demo")).collect();
    assert!(left.is_empty(), "the sample project was left behind: {left:?}");
    assert!(place.ox(&["sessions", "--all"]).err.contains("No stored conversations yet."));
}

#[test]
fn events_are_printed_and_the_sample_is_kept() {
    let place = Place::new();
    let ran = demo(&place, &["--json", "--keep"]);
    let events = ran.json_lines();
    let last = events.last().unwrap();
    assert_eq!((&last["event"], &last["exit_code"]), (&Value::from("completion"), &Value::from(0)));
    let (_, rest) = ran.err.split_once("The sample project is kept in ").unwrap();
    let path = rest.split(". ").next().unwrap().trim_start_matches('/');
    let money = std::fs::read_to_string(place.root().join(path).join("src/money.rs")).unwrap();
    assert!(money.contains("50"), "{money}");
}
