//! What a pruning leaves out, and what survives it word for word.

use ox_context::{prompt_tokens, prune};
use ox_protocol::{Call, Event, Frame, Message, Part, PathUse, Status, Tokens, WantId};
use serde_json::json;

use crate::log::*;

const KEEP: usize = 2;

fn about(mut call: Call, path: &str, write: bool) -> Call {
    call.facts.paths = vec![PathUse { path: path.into(), write }];
    call
}

fn long(word: &str) -> String {
    format!("{word} and more of it\n").repeat(200)
}

/// A turn that reads `reads` long files, edits one of them early, and meets an error that stands.
fn session(reads: usize) -> Vec<Event> {
    let mut events = vec![
        turn("Fix the rounding in money.rs. Never touch the tests."),
        context(&[("rules:AGENTS.md", "Use tabs."), ("files", &long("listing")), ("mode", "Mode: build.")]),
    ];
    let mut step = |id: &str, call: Call, result: Event| {
        events.extend([iterate(), says(&format!("Step {id}."), [call]), began(id), result]);
    };
    step(
        "read",
        about(call("read", "read_file", json!({"path": "money.rs"})), "money.rs", false),
        done("read", &long("money")),
    );
    step(
        "edit",
        about(call("edit", "edit_file", json!({"path": "money.rs", "new": long("new")})), "money.rs", true),
        changes("edit", "money.rs"),
    );
    step(
        "ask",
        call("ask", "ask_user", json!({"question": "Half up?"})),
        done("ask", &format!("Half even. {}", long("because"))),
    );
    let broken = about(call("broken", "read_file", json!({"path": "lost.rs"})), "lost.rs", false);
    step(
        "broken",
        broken,
        fails("broken", Status::Failed, &format!("lost.rs does not exist\n{}", "near: list.rs\n".repeat(60))),
    );
    for i in 0..reads {
        let (id, path) = (format!("f{i}"), format!("f{i}.rs"));
        step(&id, about(call(&id, "read_file", json!({"path": path})), &path, false), done(&id, &long(&path)));
    }
    events.push(iterate());
    events
}

/// The log with the pruning that `target` asks for.
fn pruned(events: Vec<Event>, target: u64) -> (Vec<Frame>, Vec<Frame>) {
    let before = frames(events.clone());
    let it = prune(&before, Tokens(target), KEEP);
    let event = Event::Pruned { want: WantId::default(), pruning: it.pruning, before: it.before, after: it.after };
    let after = frames(events.into_iter().chain([event]));
    assert_eq!((it.before, it.after), (prompt_tokens(&before), prompt_tokens(&after)), "counts what it does");
    (before, after)
}

fn text(frames: &[Frame]) -> String {
    shown(&transcript(frames))
}

fn results(messages: &[Message]) -> Vec<&str> {
    let parts = messages.iter().flat_map(|it| &it.parts);
    parts.filter_map(|it| if let Part::Result { text, .. } = it { Some(text.as_str()) } else { None }).collect()
}

#[test]
fn old_results_go_first_and_what_is_worked_with_stays() {
    let (before, after) = pruned(session(12), 9_000);
    let (old, new) = (transcript(&before), transcript(&after));
    assert!(prompt_tokens(&after) <= Tokens(9_000));
    assert_eq!(old.len(), new.len(), "nothing but long texts is gone");
    let results = results(&new);
    for (what, whole) in [(0, "money"), (2, "because"), (3, "near: list.rs"), (15, "f11.rs"), (14, "f10.rs")] {
        assert!(results[what].matches(whole).count() > 50, "{whole} was cut:\n{}", results[what]);
    }
    assert!(results[4].contains("left out to make room; use_tool `recall` with call f0"), "{}", results[4]);
    assert!(results[4].starts_with("f0.rs and more"), "the beginning stays");
    assert!(results[4].len() < 500);
}

#[test]
fn a_digest_takes_over_where_that_is_not_enough_and_pins_survive_word_for_word() {
    let (_, after) = pruned(session(40), 6_000);
    let reported = text(&after);
    assert!(prompt_tokens(&after) <= Tokens(6_000), "{}", prompt_tokens(&after).0);
    let pins =
        ["Fix the rounding in money.rs. Never touch the tests.", "Use tabs.", "Mode: build.", "lost.rs does not exist"];
    for pin in pins {
        assert_eq!(reported.matches(pin).count(), 1, "{pin}\n{reported}");
    }
    for line in ["edit_file money.rs → ok, money.rs +1 −1 (call edit)", "f39.rs and more of it"] {
        assert!(reported.contains(line), "{line}\n{reported}");
    }
    assert!(!reported.contains("listing"), "the file tree can be had again");
}

#[test]
fn a_file_that_is_read_early_and_edited_late_stays_whole_where_there_is_room() {
    for (times, is_kept) in [(1, true), (3, true), (12, false)] {
        let mut events = session(40);
        let text = long("tax").repeat(times);
        let read = about(call("early", "read_file", json!({"path": "tax.rs"})), "tax.rs", false);
        let lost = about(call("none", "read_file", json!({"path": "new.rs"})), "new.rs", false);
        let failed = fails("none", Status::Failed, "new.rs does not exist");
        events.splice(3..3, [iterate(), says("", [read, lost]), began("early"), done("early", &text), failed]);
        events.pop();
        let edit = about(call("late", "edit_file", json!({"path": "tax.rs"})), "tax.rs", true);
        let found = about(call("found", "read_file", json!({"path": "new.rs"})), "new.rs", false);
        events.extend([iterate(), says("", [edit]), began("late"), changes("late", "tax.rs")]);
        events.extend([iterate(), says("", [found]), began("found"), done("found", "now it is there"), iterate()]);
        let (_, after) = pruned(events, 6_000);
        let reported = self::text(&after);
        assert_eq!(reported.matches("tax and more of it").count(), if is_kept { 200 * times } else { 0 }, "{reported}");
        assert!(prompt_tokens(&after) <= Tokens(9_000), "{}", prompt_tokens(&after).0);
        assert!(!reported.contains("new.rs does not exist"), "a later call made that good:\n{reported}");
    }
}

#[test]
fn prunings_add_up_and_a_later_digest_tells_what_the_earlier_one_reported() {
    let mut events = session(40);
    for round in 0..3 {
        let log = frames(events.clone());
        let it = prune(&log, Tokens(6_000), KEEP);
        assert!(it.after <= Tokens(6_000), "round {round}: {}", it.after.0);
        events.push(Event::Pruned { want: WantId::default(), pruning: it.pruning, before: it.before, after: it.after });
        for i in 0..10 {
            let id = format!("r{round}_{i}");
            let read = about(call(&id, "read_file", json!({"path": id})), &id, false);
            events.extend([says("", [read]), began(&id), done(&id, &long(&id)), iterate()]);
        }
    }
    let reported = text(&frames(events));
    assert_eq!(reported.matches("Never touch the tests.").count(), 1);
    assert!(reported.contains("edit_file money.rs"));
}

#[test]
fn the_prompt_only_grows_between_two_prunings() {
    let mut events = session(20);
    let it = prune(&frames(events.clone()), Tokens(8_000), KEEP);
    events.push(Event::Pruned { want: WantId::default(), pruning: it.pruning, before: it.before, after: it.after });
    let mut last = transcript(&frames(events.clone()));
    for i in 0..5 {
        let id = format!("n{i}");
        events.extend([says("", [call(&id, "read_file", json!({}))]), done(&id, "short"), iterate()]);
        let next = transcript(&frames(events.clone()));
        assert!(next.starts_with(&last), "iteration {i}");
        last = next;
    }
}

#[test]
fn a_first_request_has_only_its_sections_to_lose_and_says_so_where_even_those_are_pinned() {
    let events = vec![turn("Do it."), context(&[("rules", "R."), ("files", &long("listing"))]), iterate()];
    let it = prune(&frames(events), Tokens(10), KEEP);
    assert_eq!(it.pruning.sections, ["files"]);
    assert!(it.after < it.before);
    let events = vec![turn("Do it."), context(&[("rules", "R.")]), iterate()];
    let it = prune(&frames(events), Tokens(10), KEEP);
    assert!(it.pruning.is_empty(), "{:?}", it.pruning);
    assert_eq!(it.before, it.after);
}

#[test]
fn what_fits_is_left_alone() {
    assert!(prune(&frames(session(3)), Tokens(1_000_000), KEEP).pruning.is_empty());
}

#[test]
fn another_models_reasoning_is_not_sent_on() {
    let model = |name: &str| ox_protocol::ModelFacts { name: name.into(), ..Default::default() };
    let thought = |text: &str| {
        let mut event = says("Said.", [call(text, "read_file", json!({}))]);
        if let Event::StreamComplete { reasoning, .. } = &mut event {
            reasoning.push(ox_protocol::Reasoning { text: text.into(), opaque: Some(json!({"signature": "s"})) });
        }
        [event, done(text, "x"), iterate()]
    };
    let mut events = vec![turn("Do it."), iterate()];
    events.extend(thought("first"));
    let count = |events: &[Event]| {
        let messages = transcript(&frames(events.to_vec()));
        messages.iter().flat_map(|it| &it.parts).filter(|it| matches!(it, Part::Reasoning { .. })).count()
    };
    assert_eq!(count(&events), 1);
    let kind = ox_protocol::FailureKind::Overloaded;
    events.push(Event::Fallback { from: String::new(), to: model("b/other"), kind });
    assert_eq!(count(&events), 0);
    events.extend(thought("second"));
    assert_eq!(count(&events), 1);
}
