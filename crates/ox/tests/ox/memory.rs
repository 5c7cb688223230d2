//! `ox memory` and `ox history`: what earlier conversations of a project leave behind, as a user meets it.

use ox_protocol::{
    CallId, ChangeKind, ConversationId, Event, FileChange, Frame, Mode, Outcome, Plan, PlanStep, Seq, Stop, Summary,
    Time,
};
use ox_store::{Log, Owner, Store};
use serde_json::Value;

use crate::place::Place;

fn change(path: &str) -> FileChange {
    FileChange {
        path: path.into(),
        kind: ChangeKind::Modified,
        from: None,
        why: Some("rounds right".into()),
        diff: "@@ -1,1 +1,1 @@\n-a\n+b\n".into(),
        added: 1,
        removed: 1,
    }
}

/// Stores a conversation of the project at `root` in which one task was done.
fn task(place: &Place, root: &str, id: &str, time: u64, prompt: &str, path: &str) {
    ended(place, root, id, time, (prompt, path), Stop::Done);
}

/// The same with another end.
fn ended(place: &Place, root: &str, id: &str, time: u64, (prompt, path): (&str, &str), stop: Stop) {
    let store = Store::open(&place.home("state/ox.db")).unwrap();
    let id = ConversationId(id.into());
    let frame = |seq, event| Frame::new(Seq(seq), Time(time), event);
    store
        .create(&frame(1, Event::ConversationId { id: id.clone(), root: root.into(), ox: "0.1.0".into(), from: None }))
        .unwrap();
    let start = Event::TurnStart {
        turn: 1,
        mode: Mode::Build,
        prompt: prompt.into(),
        images: vec![],
        continues: false,
        branch: None,
        rules: Default::default(),
        limits: Default::default(),
        model: Default::default(),
        fallbacks: vec![],
        verification: Default::default(),
        review: ox_protocol::ReviewPolicy::Off,
        checks: vec![],
        fixers: Vec::new(),
        router: None,
    };
    let steps = vec![PlanStep { state: ox_protocol::StepState::Said, ..PlanStep::new("look") }];
    let plan = Event::Plan { plan: Plan { text: "Look, then edit.".into(), steps, ..Plan::default() } };
    let outcome = Outcome { changed: vec![change(path)], ..Outcome::ok("edited") };
    let tool = Event::ToolComplete { call: CallId("c".into()), tool: "edit_file".into(), outcome };
    let files = vec![FileChange { diff: String::new(), ..change(path) }];
    let text = format!("Did it in {path}; the key was ghp_Zk3vQ8xWm2LrT7bNc5HdYf9PjAs1Ge6UiXoR.");
    let summary = Event::Summary { summary: Summary { text, files, ..Summary::default() } };
    let end = Event::Completion { stop, exit_code: stop.exit_code() };
    let events = [start, plan, tool, summary, end];
    let frames: Vec<Frame> = (2..).zip(events).map(|(seq, event)| frame(seq, event)).collect();
    store.append(&id, Owner::FIRST, Seq(1), &frames).unwrap();
}

/// A project with three tasks, two of them the same, and another project with one.
fn project() -> Place {
    let place = Place::new();
    std::fs::create_dir(place.project(".git")).unwrap();
    let root = place.project("").canonicalize().unwrap().display().to_string();
    task(&place, &root, "20261101-aaaaaa", 1_000, "Fix the rounding", "money.rs");
    task(&place, &root, "20261102-bbbbbb", 2_000, "Name the fields", "src/fields.rs");
    task(&place, &root, "20261103-cccccc", 3_000, "fix  the rounding!", "src/money.rs");
    task(&place, "/elsewhere", "20261104-dddddd", 4_000, "Something else", "x.rs");
    place
}

fn json(place: &Place, args: &[&str]) -> Value {
    let ran = place.ox(args);
    assert_eq!(ran.code, Some(0), "{}{}", ran.out, ran.err);
    serde_json::from_str(&ran.out).unwrap()
}

fn ids(value: &Value) -> Vec<&str> {
    value.as_array().unwrap().iter().map(|it| it["id"].as_str().unwrap()).collect()
}

#[test]
fn a_memory_has_each_instruction_once_and_no_secrets() {
    let place = project();
    let found = json(&place, &["memory", "--json"]);
    assert_eq!(ids(&found["turns"]), ["20261102-bbbbbb:1", "20261103-cccccc:1"]);
    let sent = found["text"].as_str().unwrap();
    assert!(
        sent.contains("- \"fix the rounding!\" → Did it in src/money.rs;") && sent.contains("(src/money.rs)"),
        "{sent}"
    );
    let shown = place.ox(&["memory"]);
    let row = shown.out.lines().find(|it| it.starts_with("20261103-cccccc:1 ")).unwrap_or_default();
    assert!(row.contains("fix the rounding!") && row.contains("Did it in src/money.rs;"), "{}", shown.out);
    assert!(shown.err.contains("tokens") && shown.err.contains("ox memory forget"), "{}", shown.err);
    for words in [sent, &shown.out] {
        assert!(!words.contains("ghp_") && !words.contains("Something else"), "{words}");
    }
}

#[test]
fn what_is_forgotten_is_not_reported_again_and_its_log_stays() {
    let place = project();
    let ran = place.ox(&["memory", "forget", "20261103", "20261102-bbbbbb:1"]);
    assert_eq!((ran.code, ran.err.trim()), (Some(0), "2 tasks forgotten."));
    let found = json(&place, &["memory", "--json"]);
    assert_eq!(ids(&found["turns"]), ["20261101-aaaaaa:1"]);
    assert_eq!(place.ox(&["memory", "forget", "20261103"]).code, Some(1));
    assert_eq!(place.ox(&["memory", "forget"]).code, Some(2));
    assert_eq!(place.ox(&["memory", "forget", "--all"]).code, Some(0));
    let ran = place.ox(&["memory"]);
    assert!(ran.out.is_empty() && ran.err.contains("No memory for"), "{}{}", ran.out, ran.err);
    assert_eq!(json(&place, &["history", "--json"]).as_array().unwrap().len(), 3);
}

#[test]
fn a_history_tells_what_was_done_newest_first() {
    let place = project();
    let all = json(&place, &["history", "--json"]);
    assert_eq!(ids(&all), ["20261103-cccccc:1", "20261102-bbbbbb:1", "20261101-aaaaaa:1"]);
    assert_eq!(all[0]["plan"]["text"], "Look, then edit.");
    assert_eq!(all[0]["files"][0]["why"], "rounds right");
    assert_eq!(all[0].get("edits"), None);
    let one = json(&place, &["history", "--json", "--diff", "--limit", "1", "src"]);
    assert_eq!(ids(&one), ["20261103-cccccc:1"]);
    assert_eq!(one[0]["edits"][0]["diff"], "@@ -1,1 +1,1 @@\n-a\n+b\n");
    assert_eq!(ids(&json(&place, &["history", "--json", "money.rs"])), ["20261101-aaaaaa:1"]);
    let text = place.ox(&["history", "--diff", "money.rs"]).out;
    for line in ["20261101-aaaaaa:1  ", " ago  Fix the rounding\n", "    [x] look", "    M money.rs  +1 -1", "\n+b\n"] {
        assert!(text.contains(line), "{line}\n{text}");
    }
}

#[test]
fn a_task_that_was_not_done_is_not_remembered_as_done() {
    let place = project();
    let root = place.project("").canonicalize().unwrap().display().to_string();
    ended(&place, &root, "20261105-eeeeee", 5_000, ("Speed it up", "slow.rs"), Stop::ChecksFailing);
    let sent = json(&place, &["memory", "--json"])["text"].as_str().unwrap().to_owned();
    assert!(sent.contains("[checks_failing] (slow.rs)") && !sent.contains("[done"), "{sent}");
    let shown = place.ox(&["memory"]).out;
    let row = shown.lines().find(|it| it.contains("Speed it up")).unwrap_or_default();
    assert!(row.contains("checks are failing"), "{shown}");
    let history = place.ox(&["history"]).out;
    assert!(history.matches("Finished, but checks are failing.").count() == 1, "{history}");
    let nothing = place.ox(&["history", "elsewhere.rs"]);
    assert!(nothing.code == Some(0) && nothing.err.contains("elsewhere.rs"), "{}", nothing.err);
    let fresh = Place::new();
    assert!(fresh.ox(&["history"]).err.contains("Nothing has been done in"), "{}", fresh.ox(&["history"]).err);
}

#[test]
fn a_failed_task_and_what_ox_asks_itself_are_not_remembered() {
    let place = Place::new();
    let schema = "{\"type\": \"object\", \"required\": [\"n\"]}";
    place.write("s.json", schema);
    let asked = place.play(
        "-- model --\nfour\n-- model --\n{\"n\": 4}\n",
        &["--mode", "chat", "--output-schema", "s.json", "How many?"],
    );
    assert_eq!(asked.code, Some(0), "{}{}", asked.out, asked.err);
    let failed = place.play("-- model: fail 401 no such key --\n", &["--mode", "chat", "And now?"]);
    assert_ne!(failed.code, Some(0), "{}", failed.out);
    let sent = place.ox(&["memory"]).out;
    assert!(sent.contains("How many?") && sent.lines().filter(|it| it.contains(":")).count() == 1, "{sent}");
    let history = place.ox(&["history"]).out;
    assert!(!history.contains("what the program"), "{history}");
}
