//! The prompt cache's rule: within a conversation each request begins with the one before it.
//!
//! A long conversation is written, played over HTTP in each wire format, and the requests are compared as the bytes that
//! were sent, but for the choice of tools and the cache markers. The comparison is its own: it does not trust the mock's.

use std::fmt::Write;

use serde_json::Value;

use crate::knobs::{Knobs, Speed};
use crate::speed::http::requests;
use crate::text::Doc;

/// Iterations that the rule is shown to hold for.
const ITERATIONS: usize = 40;

/// The conversation: two turns with reads, edits, commands, several calls at once, failing calls, pictures of results,
/// todos, steering messages, refusals to end, failing checks and their repair.
fn story() -> String {
    let mut out = String::from("A long conversation.\n\n-- set --\ncheck_rounds: 5\n-- repo/AGENTS.md --\nBe brief.\n");
    let mut say = |text: &str| out.push_str(text);
    for file in 0..12 {
        say(&format!("-- repo/src/f{file}.txt --\nline one of {file}\nline two\nline three\n"));
    }
    say("-- user --\nChange every file, one after the other.\n");
    say(
        "-- model --\n@@think I plan first.\nI begin with a list.\n@todo_write\naction: create\ntasks: = [\"the first half\"]\n",
    );
    for file in 0..12 {
        say(&format!(
            "-- model --\n@@think Which line of {file}?\nI read {file}.\n@read_file\npath: src/f{file}.txt\n@search_code\npattern: line\n"
        ));
        if file % 4 == 1 {
            say(&format!("-- user --\nMind the spelling in {file}, too. <tags> & \"quotes\" – 引号\n"));
        }
        say(&format!(
            "-- model --\n@edit_file\npath: src/f{file}.txt\nold: line one of {file}\nnew: first < line & {file}\n"
        ));
        if file % 5 == 2 {
            say("-- model --\nThis will fail.\n@edit_file\npath: src/f0.txt\nold: what is not there\nnew: x\n");
        }
    }
    say("-- model --\nEverything is done.\n"); // The list is open: refused.
    say("-- model --\n@todo_write\naction: mark_completed\nid: = 1\n");
    say("-- model --\nNow it is done.\n-- check: fail --\nsrc/f3.txt:1:1: [E1] no such word\n");
    say("-- model --\nI look again.\n@read_file\npath: src/f3.txt\n");
    say("-- model --\n@edit_file\npath: src/f3.txt\nold: line two\nnew: second line\n");
    say("-- model --\nMended.\n-- check: pass --\n-- stop: done --\n");
    say("-- user --\nAnd now the third lines.\n");
    for file in 0..6 {
        say(&format!("-- model --\n@read_file\npath: src/f{file}.txt\n"));
        say(&format!("-- model --\n@edit_file\npath: src/f{file}.txt\nold: line three\nnew: third {file}\n"));
    }
    say("-- model --\nAll third lines are changed.\n-- check: pass --\n-- stop: done --\n");
    out
}

/// Tools, system prompt and messages of a request in order, each as its bytes but for what may differ: the order to call a
/// tool, which XML calls have in words, and the markers for the cache.
fn canonical(body: &Value) -> Vec<String> {
    let mut body = body.clone();
    unmark(&mut body);
    let mut pieces = Vec::new();
    let mut push = |name: &str, value: &Value| {
        let all = value.as_array().cloned().unwrap_or_else(|| vec![value.clone()]);
        pieces.extend(all.iter().map(|it| format!("{name} {it}")));
    };
    for field in ["model", "tools", "system", "instructions", "systemInstruction"] {
        if let Some(value) = body.get(field) {
            push(field, value);
        }
    }
    for field in ["messages", "input", "contents"] {
        for message in body.get(field).and_then(Value::as_array).into_iter().flatten() {
            parts(message).iter().for_each(|part| push("message", part));
        }
    }
    pieces
}

/// A message in its pieces: a later request may add to the last message, but only behind what stood there.
fn parts(message: &Value) -> Vec<Value> {
    let role = &message["role"];
    let Some(parts) = message.get("content").or_else(|| message.get("parts")) else { return vec![message.clone()] };
    let rest: Vec<Value> = message
        .as_object()
        .into_iter()
        .flatten()
        .filter(|(key, _)| !["content", "parts"].contains(&key.as_str()))
        .map(|(key, value)| serde_json::json!({key.as_str(): value}))
        .collect();
    let pieces: Vec<Value> = match parts {
        Value::Array(parts) => parts.clone(),
        Value::String(text) => text.split("\n\n").map(|it| Value::String(it.to_string())).collect(),
        other => vec![other.clone()],
    };
    pieces.into_iter().filter(|it| !is_order(it)).map(|it| serde_json::json!([role, it])).chain(rest).collect()
}

/// The order to call a tool, in words.
fn is_order(part: &Value) -> bool {
    part.as_str().is_some_and(|it| it.starts_with("(Your answer must call"))
}

fn unmark(value: &mut Value) {
    match value {
        Value::Object(fields) => {
            fields.remove("cache_control");
            fields.values_mut().for_each(unmark);
        }
        Value::Array(items) => items.iter_mut().for_each(unmark),
        _ => {}
    }
}

/// The first place at which a request does not go on from the one before, if any.
fn breaks(bodies: &[Value]) -> Option<String> {
    let reported: Vec<Vec<String>> = bodies.iter().map(canonical).collect();
    reported.windows(2).enumerate().find_map(|(at, pair)| {
        let place = pair[0].iter().zip(&pair[1]).position(|(before, now)| before != now);
        let place = place.or((pair[1].len() < pair[0].len()).then_some(pair[1].len()))?;
        let mut words = format!("request {} differs from request {} at piece {place}:\n", at + 2, at + 1);
        let _ = writeln!(words, "- {}\n+ {}", pair[0][place], pair[1].get(place).map_or("", String::as_str));
        Some(words)
    })
}

fn played(speed: Speed) -> Vec<Value> {
    let doc = Doc::parse(&story());
    let knobs = Knobs::of(&doc).unwrap();
    let bodies = requests(&doc, &knobs, speed).unwrap();
    assert!(bodies.len() > ITERATIONS, "only {} requests", bodies.len());
    bodies
}

#[test]
fn each_request_begins_with_the_one_before_it() {
    for speed in Speed::WIRE {
        let bodies = played(speed);
        assert_eq!(breaks(&bodies), None, "{}", speed.name());
        // What is compared is really there, and grows.
        let (first, last) = (canonical(&bodies[0]).len(), canonical(&bodies[bodies.len() - 1]).len());
        assert!(last > first + ITERATIONS, "{}: {first} and {last} pieces", speed.name());
        let said = bodies[bodies.len() - 1].to_string();
        for part in ["Mind the spelling in 9", "Not accepted: todo items", "Checks fail: round 1", "the third lines"] {
            assert!(said.contains(part), "{}: `{part}` did not come about", speed.name());
        }
    }
}

#[test]
fn a_change_of_what_was_sent_is_noticed() {
    let bodies = played(Speed::Anthropic);
    let changes: [fn(&mut Value); 4] = [
        |it| it["system"][0]["text"] = "other".into(),
        |it| it["tools"].as_array_mut().unwrap().swap(0, 1),
        |it| it["messages"][3]["content"].as_array_mut().unwrap().truncate(0),
        |it| it["messages"].as_array_mut().unwrap().truncate(4),
    ];
    for change in changes {
        let mut bodies = bodies[20..24].to_vec();
        change(&mut bodies[2]);
        assert!(breaks(&bodies).is_some());
    }
}

/// The markers of a request: how many there are, and whether tools, system prompt and last message have one.
#[test]
fn the_markers_stand_where_the_prefix_ends() {
    for (at, body) in played(Speed::Anthropic).iter().enumerate() {
        let marked = |it: &Value| it["cache_control"] == serde_json::json!({"type": "ephemeral"});
        let last = |it: &Value| it.as_array().and_then(|it| it.last().cloned()).unwrap_or_default();
        assert!(marked(&last(&body["tools"])) && marked(&last(&body["system"])), "request {at}");
        assert!(marked(&last(&last(&body["messages"])["content"])), "request {at}");
        let count = body.to_string().matches("\"cache_control\"").count();
        assert!((3..=4).contains(&count), "request {at} has {count} markers");
    }
}
