//! `ox plan`: a plan is made, read, commented on, edited, and carried out in another conversation.

use expect_test::expect;
use serde_json::Value;

use crate::place::Place;

const PLANS: &str = r#"-- model --
@read_file
path: a.txt
-- model --
@plan_respond
goal: a says more
response: |
  Two steps, **carefully**.
steps: = [{"text": "Extend a", "files": ["a.txt"]}, {"text": "Tell the readers"}]
risks: = ["readers of a"]
questions: = ["How long?"]
"#;
const BUILDS: &str = "-- model --\n@edit_file\npath: a.txt\nold: a\nnew: aa\n-- model --\n@todo_write\naction: mark_completed\nid: = 2\n-- model --\n@attempt_completion\nresult: Longer.\n";

fn planned() -> Place {
    let place = Place::new();
    place.write("a.txt", "a\n");
    let ran = place.play(PLANS, &["--mode", "plan", "a is too short"]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    place
}

fn json(place: &Place, args: &[&str]) -> Value {
    let ran = place.ox(args);
    assert_eq!(ran.code, Some(0), "{}{}", ran.out, ran.err);
    serde_json::from_str(&ran.out).unwrap()
}

#[test]
fn a_plan_is_shown_commented_on_and_carried_out_elsewhere() {
    let place = planned();
    let id = json(&place, &["plan", "--json"])["plan"]["id"].as_str().unwrap().to_owned();
    place.ox(&["plan", "comment", "1", "one", "letter"]);
    let ran = place.ox(&["plan", "answer", "1", "Two letters."]);
    expect![[r#"
        Plan  a says more
          Two steps, carefully.
          ☐ 1. Extend a  a.txt
               › one letter
          ☐ 2. Tell the readers
        Risks
          • readers of a
        Open questions
          1. How long?  › Two letters.
    "#]]
    .assert_eq(&ran.out);
    assert_eq!(ran.err.replace(&id, "ID"), "Plan ID. Carry it out with: ox run --plan=ID\n");
    assert_eq!(place.ox(&["plan", "comment", "9", "x"]).code, Some(1));

    let ran = place.play(BUILDS, &["--json", &format!("--plan={}", &id[..id.len() - 1])]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let events = ran.json_lines();
    let start = events.iter().find(|it| it["event"] == "turn_start").unwrap();
    assert_eq!(start["mode"], "build", "a plan is carried out by a build");
    let sent = events.iter().find(|it| it["event"] == "prompted").unwrap()["context"].to_string();
    for part in ["a says more", "The user: one letter", "Answer: Two letters."] {
        assert!(sent.contains(part), "{sent}");
    }
    let summary = &events.iter().find(|it| it["event"] == "summary").unwrap()["summary"];
    assert_eq!(summary["steps"][1]["state"], "said");
    assert_eq!(summary["steps"][0]["evidence"]["changed"][0], "a.txt");
    // It is one plan, wherever it is carried out.
    assert_eq!(json(&place, &["plan", "list", "--json"]).as_array().unwrap().len(), 1);
    assert_eq!(json(&place, &["plan", "--json"])["plan"]["steps"][1]["state"], "said");
}

#[test]
fn an_edited_plan_counts_and_what_cannot_be_read_is_refused_and_kept() {
    let place = planned();
    let form = place.ox(&["plan", "form"]).out;
    let same = place.feed(place.command(&["plan", "edit", "-", "--json"]), &form);
    assert_eq!(same.code, Some(0), "{}", same.err);
    assert_eq!(place.ox(&["plan", "form"]).out, form);
    let broken = form.replace("- [ ] 2. ", "2. ").replace("a says more", "a says most");
    let ran = place.feed(place.command(&["plan", "edit", "-"]), &broken);
    assert_eq!(ran.code, Some(1));
    assert!(ran.err.contains("Line 7: a step begins with `- [ ] `"), "{}", ran.err);
    assert_eq!(place.ox(&["plan", "form"]).out, form, "nothing was changed");
    // The next try begins with what was typed.
    place.write("fix.sh", "#!/bin/sh\nsed -i 's/^2\\. /- [ ] 2. /' \"$1\"\n");
    let fix = place.project("fix.sh").display().to_string();
    let ran = place.ox_with(&["plan", "edit"], &[("EDITOR", &format!("sh {fix}"))]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    assert!(ran.out.contains("a says most") && ran.out.contains("2. Tell the readers"), "{}", ran.out);
    assert_eq!(place.ox(&["plan", "drop"]).code, Some(0));
    let none = place.ox(&["plan"]);
    assert_eq!((none.code, none.out.as_str()), (Some(1), ""), "{}", none.err);
    assert_eq!(json(&place, &["plan", "list", "--json"]), serde_json::json!([]));
}
