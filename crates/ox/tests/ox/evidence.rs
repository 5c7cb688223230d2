//! What a run shows for its end: its tests without its change, and the runs behind what it claims.

use serde_json::Value;

use crate::place::{Place, Ran};

const CODE: &str = "def balance(entries):\n    return sum(amount for kind, amount in entries)\n";
const TESTS: &str = "import unittest\n\nfrom ledger import balance\n\n\nclass Balance(unittest.TestCase):\n    def test_nothing(self):\n        self.assertEqual(balance([]), 0)\n";

/// A fix and a new test; `assertion` is what the test holds.
fn script(assertion: &str, last: &str) -> String {
    format!(
        "-- model --
@read_file
path: ledger.py
@read_file
path: test_ledger.py
-- model --
@edit_file
path: ledger.py
old: sum(amount for
new: sum(amount if kind == 'in' else -amount for
@edit_file
path: test_ledger.py
old: |
          self.assertEqual(balance([]), 0)
new: |
          self.assertEqual(balance([]), 0)

      def test_new(self):
          {assertion}
-- model --
{last}"
    )
}

fn run(script: &str) -> (Place, Ran, Value) {
    let place = Place::new();
    place.write("ledger.py", CODE);
    place.write("test_ledger.py", TESTS);
    place.trusts();
    let ran = place.play(script, &["--json", "what goes out is added"]);
    let mut events = ran.out.lines().filter_map(|it| serde_json::from_str::<Value>(it).ok());
    let summary = events.rfind(|it| it["event"] == "summary").unwrap_or_default();
    let after = std::fs::read_to_string(place.project("ledger.py")).unwrap();
    assert!(after.contains("-amount"), "the tree itself is left alone: {after}");
    (place, ran, summary["summary"].clone())
}

#[test]
fn a_test_that_fails_without_the_change_and_passes_with_it_is_seen_to() {
    let last = "@attempt_completion\nresult: Mended.\nclaims: [\"what goes out is taken away: `unittest`\", \"it is fast: `python3 bench.py`\"]\n";
    let (_place, ran, summary) = run(&script("self.assertEqual(balance([('in', 10), ('out', 4)]), 6)", last));
    assert_eq!(ran.code, Some(0), "{}{}", ran.out, ran.err);
    let line = &summary["red_green"][0];
    assert_eq!(line["dependence"], "shown", "{summary:#}");
    assert_eq!((&line["tests"][0]["name"], &line["tests"][0]["is_new"]), (&"Balance.test_new".into(), &true.into()));
    assert_eq!((&line["before"]["exit_code"], &line["after"]["exit_code"]), (&1.into(), &0.into()));
    assert_eq!(line["after"]["tests"]["passed"], 2, "{line:#}");
    let check = &summary["checks"][0]["evidence"];
    assert_eq!(check["exit_code"], 0);
    assert!(check["tree"].as_str().is_some_and(|it| !it.is_empty()), "{check:#}");
    assert!(check["duration_ms"].as_u64().is_some_and(|it| it > 0), "{check:#}");
    let claims = &summary["claims"];
    assert_eq!(claims[0]["evidence"]["command"], check["command"], "{claims:#}");
    assert!(claims[1].get("evidence").is_none(), "nobody ran that: {claims:#}");
}

#[test]
fn a_new_test_that_passes_without_the_change_is_asked_about_and_named() {
    let last = "Mended.\n-- model --\nIt is there for another reason.\n";
    let (_place, ran, summary) = run(&script("self.assertTrue(balance([('in', 1)]) == 1)", last));
    assert_eq!(ran.code, Some(0), "{}{}", ran.out, ran.err);
    assert_eq!(summary["red_green"][0]["dependence"], "none", "{summary:#}");
    let finding = &summary["findings"][0];
    assert_eq!(
        (&finding["kind"], &finding["about"]),
        (&"passes_without_change".into(), &"Balance.test_new".into()),
        "{summary:#}"
    );
    assert_eq!(ran.out.matches("\"gate\":\"audit\"").count(), 1, "{}", ran.out);
}

#[test]
fn a_test_of_which_nobody_saw_whether_it_failed_before_is_run_over_the_tree_before() {
    let place = Place::new();
    place.write("ledger.py", CODE);
    let both = TESTS.to_owned() + "\n    def test_old(self):\n        self.assertEqual(balance([]), 1)\n";
    place.write("test_ledger.py", &both);
    // Before the edits of a project with many tests, those run that an edit reaches; what a command will change is not known.
    (0..61).for_each(|it| place.write(&format!("test_{it}.py"), "import unittest\n"));
    place.trusts();
    let script = "-- model --
@run_command
command: grep -q amount ledger.py && sed -i 's/amount for/0 + amount for/' ledger.py
@attempt_completion
result: Mended.
";
    let ran = place.play(script, &["--json", "what goes out is added"]);
    let events: Vec<Value> = ran.out.lines().filter_map(|it| serde_json::from_str(it).ok()).collect();
    let report = events.iter().rfind(|it| it["event"] == "check_result").unwrap();
    let check = &report["report"]["results"][0];
    assert_eq!(check["diagnostics"][0]["code"], "test_ledger.Balance.test_old", "{check:#}");
    assert_eq!(check["earlier"][0]["diagnostics"][0]["code"], "test_ledger.Balance.test_old", "{check:#}");
    assert_eq!(ran.code, Some(0), "{}{}", ran.out, ran.err);
}
