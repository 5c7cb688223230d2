//! A key is planted wherever one can come from, and looked for in everything that Ox says or writes.

use std::fs;
use std::io::{Read, Write};
use std::net::TcpListener;
use std::path::Path;

use crate::gate::is_whole_request;
use crate::place::{Place, Ran};

/// Of no known form, so that only what knows the key can hide it.
const KEY: &str = "planted-Q7zR.secret_0042";
/// How `me:KEY` travels as a user of an address.
const TRAVELS: &str = "bWU6cGxhbnRlZC1RN3pSLnNlY3JldF8wMDQy";

/// What the server says after its head; `ASKED` is everything that it was sent.
const ANSWERS: [&str; 4] = [
    "HTTP/1.1 400 Bad Request\r\ncontent-type: application/json\r\nconnection: close\r\n\r\n{\"error\":{\"message\":\"you sent ASKED\"}}",
    "HTTP/1.1 401 Unauthorized\r\nwww-authenticate: ASKED\r\nconnection: close\r\n\r\nwho is ASKED",
    "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\ndata: {\"error\":{\"message\":\"in the middle: ASKED\",\"type\":\"invalid_request_error\"}}\n\n",
    "HTTP/1.1 302 Found\r\nlocation: http://elsewhere/ASKED\r\nconnection: close\r\n\r\n",
];

/// A server that repeats what it was sent; its port.
fn echo(answer: &'static str) -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    std::thread::spawn(move || {
        for mut socket in listener.incoming().flatten() {
            let (mut asked, mut piece) = (Vec::new(), [0; 4096]);
            while !is_whole_request(&asked) {
                match socket.read(&mut piece) {
                    Ok(count @ 1..) => asked.extend_from_slice(&piece[..count]),
                    _ => break,
                }
            }
            let head =
                String::from_utf8_lossy(&asked).split("\r\n\r\n").next().unwrap_or_default().replace("\r\n", " | ");
            // `ox doctor` only looks whether somebody listens.
            if head.is_empty() {
                continue;
            }
            assert!(head.contains(KEY) || head.contains(TRAVELS), "the key was not sent: {head}");
            let _ = socket.write_all(answer.replace("ASKED", &head.replace('"', "'")).as_bytes());
        }
    });
    port
}

/// Every file below `folder` that holds the key.
fn leaks(folder: &Path, found: &mut Vec<String>) {
    for entry in fs::read_dir(folder).unwrap().flatten() {
        let path = entry.path();
        if path.is_dir() {
            leaks(&path, found);
            continue;
        }
        let bytes = fs::read(&path).unwrap_or_default();
        if [KEY, TRAVELS].iter().any(|it| bytes.windows(it.len()).any(|at| at == it.as_bytes())) {
            found.push(path.file_name().unwrap().to_string_lossy().into_owned());
        }
    }
}

fn clean(ran: &Ran, what: &str) {
    for text in [&ran.out, &ran.err] {
        assert!(!text.contains(KEY) && !text.contains(TRAVELS), "{what}: {text}");
    }
}

/// Runs, records, exports, explains and examines with the key in one place, and looks for it everywhere else.
fn planted(place: &Place, url: &str, variables: &[(&str, &str)], own_file: Option<&str>) {
    let cassette = place.root().join("a.cassette");
    let run =
        ["--mode", "chat", "--model", "openai/m", "--base-url", url, "--record", cassette.to_str().unwrap(), "hi"];
    let mut said = String::new();
    for more in [&["run", "--json"][..], &["run"]] {
        let ran = place.ox_with(&[more, &run].concat(), variables);
        assert_eq!(ran.code, Some(1), "{}", ran.err);
        said += &(ran.out.clone() + &ran.err);
        clean(&ran, "run");
    }
    assert!(said.contains("[key]"), "the key was nowhere, so that nothing was proved: {said}");
    let id = place.ox(&["sessions"]).out.split(' ').next().unwrap().to_string();
    let commands: [&[&str]; 12] = [
        &["sessions", "export", &id, "--format", "json"],
        &["sessions", "export", &id],
        &["record", &id],
        &["replay", cassette.to_str().unwrap()],
        &["models"],
        &["models", "explain", "openai/m"],
        &["models", "test", "openai/m"],
        &["doctor"],
        &["doctor", "--json"],
        &["login", "--list"],
        &["config"],
        &["config", "--json"],
    ];
    for args in commands {
        let with_url = [variables, &[("OX_BASE_URL", url)]].concat();
        clean(&place.ox_with(args, &with_url), &args.join(" "));
    }
    let mut found = Vec::new();
    leaks(place.root(), &mut found);
    found.sort();
    assert_eq!(found, own_file.into_iter().map(str::to_string).collect::<Vec<_>>());
}

#[test]
fn a_key_stays_where_it_was_put() {
    for answer in ANSWERS {
        let url = format!("http://127.0.0.1:{}/v1", echo(answer));
        planted(&Place::new(), &url, &[("OPENAI_API_KEY", KEY)], None);

        let place = Place::new();
        let ran = place.feed(place.command(&["login", "openai", "--no-test"]), KEY);
        assert_eq!(ran.code, Some(0), "{}", ran.err);
        clean(&ran, "login");
        planted(&place, &url, &[], Some("keys.json"));

        let place = Place::new();
        fs::write(place.home("config.toml"), format!("[providers.openai]\nkey = \"{KEY}\"\n")).unwrap();
        planted(&place, &url, &[], Some("config.toml"));

        let with_user = url.replace("http://", &format!("http://me:{KEY}@"));
        planted(&Place::new(), &with_user, &[], None);
    }
}

#[test]
fn commands_see_neither_the_variable_nor_the_file() {
    let place = Place::new();
    let ran = place.feed(place.command(&["login", "openai", "--no-test"]), KEY);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let file = place.home("state/keys.json");
    let line = format!(
        "env; echo asked; cat {0}; cp {0} copied; ls {1}; tr '\\0' '\\n' < /proc/$PPID/environ",
        file.display(),
        place.home("state").display(),
    );
    // The way that every command of a model takes, without the questions before it.
    let ran = place.ox_with(&["sandbox", "--", "sh", "-c", &line], &[("OPENAI_API_KEY", KEY), ("MY_SECRET", KEY)]);
    assert!(ran.out.contains("asked") && ran.out.contains("PATH="), "{}{}", ran.out, ran.err);
    clean(&ran, "sandbox");
    let mut found = Vec::new();
    leaks(place.root(), &mut found);
    assert_eq!(found, ["keys.json"]);
}

#[test]
fn commands_do_not_see_the_variable_that_is_configured_for_a_key() {
    let place = Place::new();
    let sees = || place.ox_with(&["sandbox", "--", "env"], &[("MY_LLM", KEY)]);
    let ran = sees();
    assert!(ran.out.contains(KEY), "its name alone gives it away: {}{}", ran.out, ran.err);
    let config =
        "[providers.mine]\nwire = \"openai_chat\"\nbase_url = \"http://127.0.0.1:1/v1\"\nkey_env = \"MY_LLM\"\n";
    fs::write(place.home("config.toml"), config).unwrap();
    let ran = sees();
    assert!(ran.code == Some(0) && ran.out.contains("PATH="), "{}{}", ran.out, ran.err);
    clean(&ran, "sandbox");
}

/// Not a test of its own: what the next one runs in a process of its own.
#[test]
fn a_fault_of_its_own() {
    if std::env::var_os("OX_TEST_FAULT").is_some() {
        ox::panic::install();
        panic!("cannot ask with {KEY} and ghp_Zk3vQ8xWm2LrT7bNc5HdYf9PjAs1Ge6UiXoR");
    }
}

#[test]
fn a_fault_is_reported_without_keys_and_with_what_to_do() {
    let place = Place::new();
    let mut command = place.program(std::env::current_exe().unwrap());
    command.args(["--exact", "leaks::a_fault_of_its_own", "--nocapture", "--test-threads=1"]);
    command.env("OX_TEST_FAULT", "1").env("GROQ_API_KEY", KEY);
    let ran = place.finish(command);
    assert_ne!(ran.code, Some(0));
    clean(&ran, "fault");
    assert!(ran.err.contains("Ox crashed (internal error)") && ran.err.contains("ox resume"), "{}", ran.err);
    assert!(ran.err.contains("cannot ask with [key] and [redacted: github-token"), "{}", ran.err);
}
