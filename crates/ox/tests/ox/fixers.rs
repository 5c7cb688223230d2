//! The project's own fixers in a real run, in the sandbox: they save a round, touch nothing else, are named, and are undone.

use serde_json::Value;

use crate::place::Place;

/// A lint that refuses blanks at the ends of `a.txt`, and a fixer that removes them everywhere it can.
const CONFIG: &str = "[[checks]]
command = \"! grep -n ' $' a.txt\"
kind = \"lint\"
name = \"blanks\"
[[fixers]]
command = \"sed -i 's/ *$//' {files} other.txt; echo z > new.txt\"
name = \"trim\"
files = [\"*.txt\"]
";

const RUN: &str = "-- model --
@edit_file
path: a.txt
old: two
new: = \"TWO  \"
why: shout
-- model --
@attempt_completion
result: It shouts.
";

fn place() -> Place {
    let place = Place::new();
    place.write("a.txt", "one\ntwo\n");
    place.write("other.txt", "left as it is \n");
    place.write(".ox/config.toml", CONFIG);
    place.trusts();
    place
}

#[test]
fn what_the_linter_would_refuse_is_mended_first_and_undone_with_the_rest() {
    let place = place();
    let events = place.events(RUN, &["shout"]);
    let of = |name: &str| events.iter().filter(|it| it["event"] == name).collect::<Vec<&Value>>();
    assert_eq!(of("completion")[0]["exit_code"], 0, "{events:#?}");
    let rounds: Vec<&Value> =
        of("check_result").iter().filter(|it| it["baseline"] == false).map(|it| &it["round"]).collect();
    assert_eq!(rounds, [1]);
    let fixed = of("tool_complete").into_iter().find(|it| it["tool"] == "fixers").expect("the fixers ran");
    let change = &fixed["outcome"]["changed"][0];
    assert_eq!((&change["path"], &change["added"], &change["removed"]), (&"a.txt".into(), &1.into(), &1.into()));
    let file = &of("summary")[0]["summary"]["files"][0];
    assert_eq!((&file["path"], &file["why"]), (&"a.txt".into(), &"shout; fixer trim".into()));
    assert_eq!(place.read("a.txt"), "one\nTWO\n");
    assert_eq!(place.read("other.txt"), "left as it is \n");
    assert!(!place.project("new.txt").exists());
    let diff = place.ox(&["diff"]);
    assert!(diff.out.contains("# shout; fixer trim"), "{}{}", diff.out, diff.err);
    assert_eq!(place.ox(&["undo"]).code, Some(0));
    assert_eq!(place.read("a.txt"), "one\ntwo\n");
}

#[test]
fn people_see_what_a_fixer_did() {
    let place = place();
    let ran = place.play(RUN, &["shout"]);
    let line = ran.err.lines().chain(ran.out.lines()).find(|it| it.contains(" fixers ")).unwrap_or_default().to_owned();
    assert!(line.starts_with("✓ fixers a.txt:2 +1 −1"), "{}{}", ran.out, ran.err);
}
