//! Many clients at once, and the end of the process under them: nothing is lost, nothing comes twice, nothing is left behind.

use std::io::Read;
use std::net::{Shutdown, TcpStream};
use std::sync::Barrier;
use std::thread;
use std::time::{Duration, Instant};

use serde_json::json;

use super::{Message, Server, place};
use crate::place::Place;

const CLIENTS: usize = 60;

/// The numbers of recorded events.
fn numbers(messages: &[Message]) -> Vec<u64> {
    messages.iter().filter(|it| it.name == "frame").map(|it| it.id.parse().unwrap()).collect()
}

#[test]
fn clients_that_all_come_again_at_once_get_every_event_once() {
    let (place, model) = place();
    let server = Server::start(&place, &["--model", &model, "--mode", "build"]);
    let id = server.conversation();
    let at = |rest: &str| format!("/api/conversations/{id}{rest}");
    let follow = |last: u64| server.events(&at("/events"), &format!("Last-Event-ID: {last}"));
    let mut keeper = follow(0);
    assert_eq!(server.post(&at("/prompts"), &json!({"text": "hi", "mode": "chat"})).status, 202);
    keeper.until("completion");
    assert_eq!(server.post(&at("/prompts"), &json!({"text": "make a file", "mode": "build"})).status, 202);
    let asked = keeper.until("approval_request").pop().unwrap();
    let call = asked.data["call"].as_str().unwrap().to_owned();
    // All of them are there, and gone, before half of them come again; the others do so when all is over.
    let (gone, over) = (Barrier::new(CLIENTS + 1), Barrier::new(CLIENTS / 2 + 1));
    thread::scope(|scope| {
        let (gone, over, follow) = (&gone, &over, &follow);
        let clients: Vec<_> = (0..CLIENTS)
            .map(|client| {
                scope.spawn(move || {
                    let mut seen = numbers(&follow(0).until("approval_request"));
                    gone.wait();
                    if client % 2 == 0 {
                        over.wait();
                    }
                    seen.extend(numbers(&follow(*seen.last().unwrap()).until("completion")));
                    seen
                })
            })
            .collect();
        gone.wait();
        let allow = json!({"decision": {"answer": "allow"}});
        assert_eq!(server.post(&at(&format!("/approvals/{call}")), &allow).status, 202);
        let last: u64 = keeper.until("completion").pop().unwrap().id.parse().unwrap();
        over.wait();
        for client in clients {
            assert_eq!(client.join().unwrap(), (1..=last).collect::<Vec<_>>());
        }
    });
}

#[test]
fn what_a_client_has_received_is_there_after_a_kill_in_the_middle_of_work() {
    let place = Place::new();
    place.write("a.txt", "a\n");
    let model = place.script(&"-- model --\n@read_file\npath: a.txt\nstart_line: 1\n".repeat(200));
    let server = Server::start(&place, &["--model", &model, "--mode", "chat"]);
    let ids: Vec<String> = (0..6).map(|_| server.conversation()).collect();
    let received: Vec<_> = ids
        .iter()
        .map(|id| {
            let events = server.events(&format!("/api/conversations/{id}/events"), "");
            let (sender, receiver) = std::sync::mpsc::channel();
            // It ends with the server.
            thread::spawn(move || events.filter(|it| it.name == "frame").try_for_each(|it| sender.send(it)));
            receiver
        })
        .collect();
    for id in &ids {
        assert_eq!(server.post(&format!("/api/conversations/{id}/prompts"), &json!({"text": "look"})).status, 202);
    }
    let mut first: Vec<Message> = received[0].iter().take(20).collect();
    // `kill -9`.
    drop(server);
    let server = Server::start(&place, &["--model", &model]);
    for (id, rest) in ids.iter().zip(&received) {
        let mut mine = std::mem::take(&mut first);
        mine.extend(rest.iter());
        let stored = server.get(&format!("/api/conversations/{id}/frames")).json();
        for (at, message) in mine.iter().enumerate() {
            assert_eq!(message.id, (at + 1).to_string());
            assert_eq!(message.data, stored["frames"][at], "event {} of {id}", message.id);
        }
        assert!(!mine.is_empty());
        // Nothing that was at work then is begun a second time, and it can be gone on with.
        assert_eq!(server.get(&format!("/api/conversations/{id}")).json()["here"], false);
        assert_eq!(server.get(&format!("/api/conversations/{id}/view")).json()["busy"], false);
    }
}

#[test]
fn streams_that_come_and_go_leave_no_file_open() {
    let (place, model) = place();
    let server = Server::start(&place, &["--model", &model, "--mode", "chat"]);
    let id = server.conversation();
    let [host, token, _] = server.own();
    let request = format!("GET /api/conversations/{id}/events HTTP/1.1\r\n{host}\r\n{token}\r\n\r\n");
    let files = || std::fs::read_dir(format!("/proc/{}/fd", server.child.id())).unwrap().count();
    // What is opened once, for all.
    leave(server.connect(&request));
    let before = files();
    for _ in 0..10 {
        let open: Vec<TcpStream> = (0..20).map(|_| server.connect(&request)).collect();
        open.into_iter().for_each(leave);
    }
    // The last of them may be about to be closed.
    let began = Instant::now();
    while files() > before && began.elapsed() < Duration::from_secs(60) {
        thread::yield_now();
    }
    assert!(files() <= before, "{before} files were open, and now {}", files());
}

/// Leaves a stream that has begun, and waits until the server has closed its end too.
fn leave(mut stream: TcpStream) {
    let mut head = [0; 12];
    stream.read_exact(&mut head).unwrap();
    assert_eq!(&head, b"HTTP/1.1 200");
    stream.shutdown(Shutdown::Write).unwrap();
    stream.read_to_end(&mut Vec::new()).unwrap();
}
