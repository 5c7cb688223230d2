//! `ox checks --run` by the commands that users and scripts type: what runs, what is said of it, and the exit code.

use crate::place::Place;

fn project() -> Place {
    let place = Place::new();
    place.write("a.py", "x = 1\n");
    let checks =
        [("lint", "echo 'a.py:1:5: error: one is not enough [E1]'; exit 1"), ("test", "echo 1 passed in 0.1s")];
    let text =
        checks.map(|(kind, command)| format!("[[checks]]\nkind = \"{kind}\"\ncommand = \"{command}\"\n")).concat();
    place.write(".ox/config.toml", text);
    place.trusts();
    place
}

#[test]
fn checks_run_where_that_is_asked_for_and_the_exit_code_says_how() {
    let place = project();
    let ran = place.ox(&["checks", "--run"]);
    assert_eq!(ran.code, Some(3), "{}", ran.err);
    assert!(ran.out.contains("    a.py:1:5  E1  one is not enough\n"), "{}", ran.out);
    assert!(ran.out.contains("✓ echo 1 passed in 0.1s"), "{}", ran.out);
    let ran = place.ox(&["checks", "--run", "test"]);
    assert_eq!((ran.code, ran.out.lines().count()), (Some(0), 1), "{}{}", ran.out, ran.err);
    let ran = place.ox(&["checks", "--run", "lint", "--json"]);
    assert_eq!(ran.code, Some(3));
    assert_eq!(
        serde_json::from_str::<serde_json::Value>(&ran.out).unwrap()["results"][0]["diagnostics"][0]["code"],
        "E1"
    );
    let ran = place.ox(&["checks", "--run", "nope"]);
    assert_eq!(ran.code, Some(2));
    assert!(ran.err.contains("There is no check nope."), "{}", ran.err);
}

#[test]
fn what_cannot_run_is_said_with_what_to_do() {
    let place = Place::new();
    place.write("package.json", r#"{"scripts": {"test": "vitest run"}, "devDependencies": {"vitest": "3"}}"#);
    let ran = place.ox(&["checks"]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    assert!(ran.out.contains("    cannot run here: "), "{}", ran.out);
    assert!(ran.err.contains("0 of 1 can run here ("), "{}", ran.err);
}
