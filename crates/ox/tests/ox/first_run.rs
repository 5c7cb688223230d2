//! The first start at a terminal: how freely Ox may work in a folder that it does not know, and a model where there is none.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpListener;

use crate::place::Place;
use crate::terminal::Terminal;

const DOWN: &str = "\u{1b}[B";
const ESCAPE: &str = "\u{1b}";
const FREELY: &str = "Work freely inside the sandbox";
const ASK: &str = "Ask before each change";

/// The answer that is recommended, as the sandbox of this machine allows it.
fn freely(place: &Place) -> &'static str {
    let isolated = !place.ox(&["sandbox", "true"]).err.contains("cannot be isolated");
    if isolated { FREELY } else { "Edit freely, ask before each command" }
}

#[test]
fn how_freely_it_may_work_is_asked_once_and_remembered_for_the_project() {
    let place = Place::new();
    let freely = freely(&place);
    let model = place.script("-- model --\n@write_file\npath: a.txt\ncontent: one\n-- model --\nWritten.\n");
    let args = ["--mode", "build", "--model", &model];
    let mut terminal = Terminal::first(&place, &[&args[..], &["write a.txt"]].concat(), &[]);
    let asked = terminal.pictures(&["How freely may Ox work in", freely]);
    assert!(asked.contains("can be undone") && asked.contains(ASK) && asked.contains("Leave"), "{asked}");
    let number = if freely == FREELY { "1" } else { "2" };
    terminal.types(number);
    terminal.pictures(&["Written.", "Describe a task", "works freely"]);
    assert_eq!(place.read("a.txt").trim(), "one");
    terminal.leaves();
    assert_eq!(place.ox(&["config", "get", "approval"]).out.trim(), "auto");
    let again = Terminal::first(&place, &args, &[]);
    again.pictures(&["Describe a task", "works freely"]);
    again.leaves();
    assert!(place.ox(&["trust", "--revoke"]).err.contains("is removed"));
    let mut anew = Terminal::first(&place, &args, &[]);
    anew.pictures(&[ASK]);
    anew.types(if freely == FREELY { "2" } else { "1" });
    anew.pictures(&["Describe a task", "asks first"]);
    anew.leaves();
}

#[test]
fn leaving_writes_nothing_and_a_flag_asks_nothing() {
    let place = Place::new();
    let model = place.script("-- model --\nHere.\n");
    let mut terminal = Terminal::first(&place, &["--model", &model], &[]);
    terminal.pictures(&["How freely may Ox work in"]);
    terminal.types(ESCAPE);
    terminal.ends(0);
    let kept: Vec<_> = std::fs::read_dir(place.home("")).unwrap().map(|it| it.unwrap().file_name()).collect();
    assert!(kept.is_empty(), "{kept:?}");
    let terminal = Terminal::first(&place, &["--model", &model, "--approval", "accept-edits"], &[]);
    terminal.pictures(&["Describe a task", "edits freely"]);
    terminal.leaves();
    let ran = place.ox(&["run", "--model", &model, "hi"]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
}

#[test]
fn the_home_folder_and_the_whole_disk_are_asked_about_each_time() {
    let place = Place::new();
    let home = place.project("").display().to_string();
    let model = place.script("-- model --\nHere.\n");
    // What the user set for everywhere is not meant for these.
    std::fs::write(place.home("config.toml"), "approval = \"auto\"\n").unwrap();
    for args in [&["--model", &model][..], &["--model", &model, "-C", "/"]] {
        for _ in 0..2 {
            let mut terminal = Terminal::first(&place, args, &[("HOME", home.trim_end_matches('/'))]);
            let asked = terminal.pictures(&["is treated as one project", "How freely", "Leave (recommended)", ASK]);
            assert!(!asked.contains(FREELY), "{asked}");
            terminal.types(DOWN);
            terminal.pictures(&["Ox reads freely."]);
            terminal.types("\r");
            terminal.pictures(&["Describe a task", "asks first"]);
            terminal.leaves();
        }
    }
    let mut terminal = Terminal::first(&place, &["--model", &model, "-C", "/"], &[]);
    terminal.pictures(&["Leave (recommended)"]);
    terminal.types("\r");
    terminal.ends(0);
}

/// A server that gives these answers, one after the other, the last one again and again: a status, then the body.
fn serves(answers: &'static [(u16, &str)]) -> String {
    let server = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = server.local_addr().unwrap();
    std::thread::spawn(move || {
        let all = answers.iter().chain(std::iter::repeat(answers.last().unwrap()));
        for (socket, (status, body)) in server.incoming().zip(all) {
            let mut socket = socket.unwrap();
            let mut asked = BufReader::new(socket.try_clone().unwrap());
            let head: Vec<String> =
                asked.by_ref().lines().map_while(Result::ok).take_while(|it| !it.is_empty()).collect();
            let length = head.iter().find_map(|it| it.to_lowercase().strip_prefix("content-length: ")?.parse().ok());
            std::io::copy(&mut asked.take(length.unwrap_or(0)), &mut std::io::sink()).unwrap();
            let kind = if body.starts_with("event") { "text/event-stream" } else { "application/json" };
            // One that is gone needs no answer.
            let _ = write!(
                socket,
                "HTTP/1.0 {status} X\r\ncontent-type: {kind}\r\ncontent-length: {}\r\n\r\n{body}",
                body.len()
            );
        }
    });
    format!("http://{address}")
}

#[test]
fn without_a_model_one_that_answers_on_this_machine_is_offered() {
    let place = Place::new();
    place.is_known();
    let url = serves(&[(200, r#"{"data":[{"id":"qwen/qwen3-coder-30b"},{"id":"text-embedding-nomic"}]}"#)]);
    std::fs::write(place.home("config.toml"), format!("[providers.lmstudio]\nbase_url = \"{url}/v1\"\n")).unwrap();
    let mut terminal = Terminal::first(&place, &[], &[]);
    let asked = terminal.pictures(&[
        "Which model should answer?",
        "Paste a provider's key",
        "Use lmstudio/qwen/qwen3-coder-30b",
    ]);
    assert!(asked.contains("See the demo first") && !asked.contains("nomic"), "{asked}");
    terminal.types(DOWN);
    terminal.pictures(&["needs no key"]);
    terminal.types("\r");
    terminal.pictures(&["Describe a task", "lmstudio/qwen/qwen3-coder-30b"]);
    terminal.leaves();
    assert_eq!(place.ox(&["config", "get", "model"]).out.trim(), "lmstudio/qwen/qwen3-coder-30b");
}

const REFUSED: &str = r#"{"type":"error","error":{"type":"authentication_error","message":"invalid x-api-key"}}"#;
const ANSWERED: &str = "event: message_start\ndata: {\"type\":\"message_start\",\"message\":{\"usage\":{\"input_tokens\":9,\"output_tokens\":1}}}\n\nevent: content_block_start\ndata: {\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":\"text\",\"text\":\"\"}}\n\nevent: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"text_delta\",\"text\":\"Well met.\"}}\n\nevent: content_block_stop\ndata: {\"type\":\"content_block_stop\",\"index\":0}\n\nevent: message_delta\ndata: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"end_turn\"},\"usage\":{\"output_tokens\":2}}\n\nevent: message_stop\ndata: {\"type\":\"message_stop\"}\n\n";

#[test]
fn a_pasted_key_is_proved_kept_and_used_and_never_shown() {
    let place = Place::new();
    place.is_known();
    let url = serves(&[(401, REFUSED), (200, ANSWERED)]);
    let mut terminal = Terminal::first(&place, &["--mode", "chat"], &[("ANTHROPIC_BASE_URL", &url)]);
    terminal.pictures(&["Which model should answer?", "Paste a provider's key"]);
    let key = "sk-ant-api03-0123456789";
    // One that is refused is no end.
    for said in ["anthropic rejected the key", "The key for anthropic is stored in"] {
        terminal.types("1");
        terminal.shows("Key (it is not shown");
        terminal.types(&format!("{key}\r"));
        terminal.shows(said);
    }
    terminal.pictures(&["Describe a task", "anthropic/claude-"]);
    terminal.types("hello?\r");
    terminal.pictures(&["Well met.", "Describe a task"]);
    assert!(!terminal.wrote(key));
    terminal.leaves();
}

#[test]
fn a_key_that_tells_nothing_of_its_provider_is_asked_about_and_giving_up_goes_back() {
    let place = Place::new();
    place.is_known();
    let mut terminal = Terminal::first(&place, &[], &[]);
    terminal.pictures(&["Which model should answer?"]);
    terminal.types("1");
    terminal.shows("Key (it is not shown");
    terminal.types("0123456789abcdef\r");
    terminal.pictures(&["Whose key is it?", "anthropic", "openai"]);
    terminal.types(ESCAPE);
    terminal.pictures(&["Which model should answer?"]);
    terminal.types("1");
    terminal.shows("Key (it is not shown");
    terminal.types("\u{3}");
    terminal.pictures(&["Which model should answer?", "Leave"]);
    terminal.types(ESCAPE);
    terminal.ends(0);
    assert!(!place.home("state/keys.json").exists());
}
