//! `ox ps` and `ox attach`: a conversation of one terminal, joined from a second one.

use std::io::{BufRead, BufReader};
use std::process::Stdio;

use serde_json::{Value, json};

use crate::place::Place;
use crate::terminal::Terminal;

const SCRIPT: &str = "-- model --\n@run_command\ncommand: echo hello > made.txt\n-- model --\n@attempt_completion\nresult: First done.\n\
                      -- model --\nSecond answer.\n\
                      -- model --\n@run_command\ncommand: echo again > made.txt\n-- model --\n@attempt_completion\nresult: Third done.\n";

fn listed(place: &Place) -> Value {
    let ran = place.ox(&["ps", "--json"]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    serde_json::from_str(&ran.out).unwrap()
}

#[test]
fn a_second_terminal_sees_what_happened_answers_and_prompts() {
    let place = Place::new();
    assert_eq!(place.ox(&["ps"]).refusal(0), "No conversation is running.\n");
    let model = place.script(SCRIPT);
    let mut owner = Terminal::open(&place, &["--model", &model], &[]);
    owner.shows("› ");
    assert_eq!(listed(&place)[0]["state"], "idle");
    owner.types("make a file\r");
    owner.shows("y yes");
    let all = listed(&place);
    assert_eq!((&all[0]["state"], &all[0]["asks"]), (&json!("waiting"), &json!("echo hello > made.txt")), "{all}");
    assert_eq!((&all[0]["task"], &all[0]["turn"]), (&json!("make a file"), &json!(1)));
    let table = place.ox(&["ps"]).out;
    assert!(table.contains("waiting for you: echo hello > made.txt") && table.contains("make a file"), "{table}");

    let mut guest = Terminal::open(&place, &["attach"], &[]);
    guest.shows("Joined");
    guest.shows("make a file");
    guest.shows("y yes");
    guest.types("y");
    owner.shows("Allowed");
    owner.shows("First done.");
    guest.shows("First done.");
    guest.shows("not verified");
    assert_eq!(place.read("made.txt"), "hello\n");
    // Between two turns the guest can ask for the next one.
    guest.types("/mode chat\r");
    guest.types("and now?\r");
    guest.shows("Second answer.");
    // The owner takes part in a turn that the guest began.
    guest.types("/mode build\r");
    guest.types("write it once more\r");
    guest.shows("y yes");
    owner.types("\r");
    owner.shows("y yes");
    owner.types("y");
    guest.shows("Third done.");
    guest.shows("not verified");
    owner.shows("Third done.");
    guest.types("/exit\r");
    guest.shows("Left. The conversation goes on.");
    guest.ends(0);
    let all = listed(&place);
    assert_eq!((&all[0]["state"], &all[0]["turn"]), (&json!("done"), &json!(3)), "{all}");
    owner.types("\u{4}");
    owner.ends(0);
    assert_eq!(listed(&place), json!([]));
    assert_eq!(place.ox(&["attach", "--events"]).code, Some(2));
}

#[test]
fn a_script_follows_a_conversation_to_its_end() {
    let place = Place::new();
    let model = place.script(SCRIPT);
    let mut owner = Terminal::open(&place, &["--model", &model, "make a file"], &[]);
    owner.shows("y yes");
    let id = listed(&place)[0]["id"].as_str().unwrap().to_owned();
    let mut command = place.command(&["attach", &id, "--events"]);
    let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let first: Value = serde_json::from_str(&lines.next().unwrap().unwrap()).unwrap();
    assert_eq!((&first["event"], &first["id"]), (&json!("conversation_id"), &json!(id)));
    owner.types("y");
    owner.shows("First done.");
    owner.types("\u{4}");
    let last = lines.map_while(Result::ok).last().unwrap();
    assert!(child.wait().unwrap().success(), "{last}");
    owner.ends(0);
}

#[test]
fn a_socket_that_a_crash_left_is_not_listed_and_goes() {
    let place = Place::new();
    let socket = place.home("state/sockets/20260101-aaaaaa.sock");
    std::fs::create_dir_all(socket.parent().unwrap()).unwrap();
    drop(std::os::unix::net::UnixListener::bind(&socket).unwrap());
    assert_eq!(listed(&place), json!([]));
    assert!(!socket.exists());
    let ran = place.ox(&["attach", "2026", "--events"]);
    assert!(ran.refusal(2).contains("No running conversation begins with 2026"), "{}", ran.err);
}
