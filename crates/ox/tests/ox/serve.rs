//! `ox serve`: the API as a program meets it, over real connections.

mod load;

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Stdio};

use serde_json::{Value, json};

use crate::place::Place;

/// A server of a place, ended with the test.
pub struct Server {
    child: Child,
    /// `127.0.0.1:PORT`.
    pub host: String,
    pub token: String,
    link: String,
}

/// An answer.
struct Answer {
    status: u16,
    head: String,
    body: Vec<u8>,
}

impl Answer {
    fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|error| panic!("{error}: {}", self.text()))
    }

    fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }
}

impl Server {
    pub fn start(place: &Place, args: &[&str]) -> Server {
        let mut command = place.command(&["serve", "--port", "0"]);
        let mut child = command.args(args).stdout(Stdio::piped()).spawn().unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let mut url = || lines.next().unwrap().unwrap().rsplit(' ').next().unwrap().to_owned();
        let (at, link) = (url(), url());
        let token = std::fs::read_to_string(place.home("state/server-token")).unwrap();
        Server { child, host: at.strip_prefix("http://").unwrap().to_owned(), token, link }
    }

    fn connect(&self, request: &str) -> TcpStream {
        let mut stream = TcpStream::connect(&self.host).unwrap();
        stream.set_read_timeout(Some(std::time::Duration::from_secs(60))).unwrap();
        stream.write_all(request.as_bytes()).unwrap();
        stream
    }

    /// A request with these lines in its head.
    fn ask(&self, method: &str, path: &str, head: &[&str], body: &str) -> Answer {
        let head: String = head.iter().map(|it| format!("{it}\r\n")).collect();
        let length = body.len();
        let request =
            format!("{method} {path} HTTP/1.1\r\nConnection: close\r\nContent-Length: {length}\r\n{head}\r\n{body}");
        let mut bytes = Vec::new();
        self.connect(&request).read_to_end(&mut bytes).unwrap();
        let at = bytes.windows(4).position(|it| it == b"\r\n\r\n").unwrap();
        let head = String::from_utf8_lossy(&bytes[..at]).into_owned();
        let body = bytes[at + 4..].to_vec();
        assert!(!head.to_ascii_lowercase().contains("transfer-encoding"), "{head}");
        Answer { status: head[9..12].parse().unwrap(), head, body }
    }

    fn own(&self) -> [String; 3] {
        let host = format!("Host: {}", self.host);
        [host, format!("Authorization: Bearer {}", self.token), "Content-Type: application/json".to_owned()]
    }

    fn get(&self, path: &str) -> Answer {
        let own = self.own();
        self.ask("GET", path, &own.each_ref().map(String::as_str), "")
    }

    fn post(&self, path: &str, body: &Value) -> Answer {
        self.post_with(path, body, "X-Nothing: 1")
    }

    fn post_with(&self, path: &str, body: &Value, head: &str) -> Answer {
        let own = self.own();
        let [host, token, kind] = own.each_ref().map(String::as_str);
        self.ask("POST", path, &[host, token, kind, head], &body.to_string())
    }

    /// A new conversation in the project that is open from the start.
    fn conversation(&self) -> String {
        let key = self.get("/api/projects").json()[0]["key"].clone();
        let made = self.post("/api/conversations", &json!({"project": key}));
        assert_eq!(made.status, 201, "{}", made.text());
        made.json()["id"].as_str().unwrap().to_owned()
    }

    /// Reads a stream of events.
    fn events(&self, path: &str, head: &str) -> Events {
        let [host, token, _] = self.own();
        let stream = self.connect(&format!("GET {path} HTTP/1.1\r\n{host}\r\n{token}\r\n{head}\r\n\r\n"));
        let mut lines = BufReader::new(stream).lines();
        let status = lines.next().unwrap().unwrap();
        assert!(status.contains("200"), "{status}");
        while !lines.next().unwrap().unwrap().is_empty() {}
        Events { lines }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Server-sent events.
struct Events {
    lines: std::io::Lines<BufReader<TcpStream>>,
}

/// One of them: its name, its id, its data.
#[derive(Debug)]
struct Message {
    name: String,
    id: String,
    data: Value,
}

impl Iterator for Events {
    type Item = Message;

    fn next(&mut self) -> Option<Message> {
        let mut message = Message { name: String::new(), id: String::new(), data: Value::Null };
        loop {
            let line = self.lines.next()?.ok()?;
            // Sizes of chunks stand between the events.
            match line.split_once(": ") {
                Some(("event", name)) => message.name = name.to_owned(),
                Some(("id", id)) => message.id = id.to_owned(),
                // A server that was killed may have said half of it.
                Some(("data", data)) => message.data = serde_json::from_str(data).ok()?,
                _ if line.is_empty() && !message.name.is_empty() => return Some(message),
                _ => {}
            }
        }
    }
}

impl Events {
    /// Everything up to the first event of this kind.
    fn until(&mut self, kind: &str) -> Vec<Message> {
        let mut all = Vec::new();
        for message in self {
            let found = message.data["event"] == kind;
            all.push(message);
            if found {
                return all;
            }
        }
        panic!("no {kind} among {} events", all.len());
    }
}

const SCRIPT: &str = "-- model --\nHello **you**.\n\
                      -- model --\n@run_command\ncommand: echo hello > made.txt\n-- model --\n@attempt_completion\nresult: First done.\n";

fn place() -> (Place, String) {
    let place = Place::new();
    let model = place.script(SCRIPT);
    (place, model)
}

#[test]
fn no_route_answers_without_the_token_to_another_host_or_for_another_origin() {
    let (place, model) = place();
    let server = Server::start(&place, &["--model", &model]);
    let own = server.own();
    let [host, token, kind] = own.each_ref().map(String::as_str);
    assert_eq!(server.ask("GET", "/health", &[host], "").status, 200);
    let document = server.ask("GET", "/openapi.json", &[host], "").json();
    let mut routes = 0;
    for (path, operations) in document["paths"].as_object().unwrap() {
        let path = path.replace(['{', '}'], "");
        for method in operations.as_object().unwrap().keys() {
            let asked = |head: &[&str]| server.ask(&method.to_uppercase(), &path, head, "{}");
            if path != "/health" {
                for head in [
                    vec![host, kind],
                    vec![host, kind, "Authorization: Bearer no"],
                    vec![host, kind, "Cookie: ox_session=no"],
                ] {
                    assert_eq!(asked(&head).status, 401, "{method} {path}");
                }
            }
            let refused = asked(&["Host: evil.example", token, kind]);
            assert_eq!(
                (refused.status, refused.json()["code"].as_str()),
                (403, Some("server.wrong_host")),
                "{method} {path}"
            );
            let refused = asked(&[host, token, kind, "Origin: https://evil.example"]);
            assert_eq!(
                (refused.status, refused.json()["code"].as_str()),
                (403, Some("server.wrong_origin")),
                "{method} {path}"
            );
            routes += 1;
        }
    }
    assert!(routes > 40, "{routes}");
    for path in ["/", "/app.js", "/nothing"] {
        assert_eq!(server.ask("GET", path, &[host], "").status, 401, "{path}");
    }
    assert_eq!(server.ask("GET", "/app.css", &[host], "").status, 200, "the page that says so has the style");
    assert_eq!(server.get("/nothing").json()["code"], "server.no_route");
    assert_eq!(server.post("/api/about", &json!({})).status, 405);
}

#[test]
fn a_link_opens_the_page_once_and_its_cookie_may_change_something_from_the_page_alone() {
    let (place, model) = place();
    let server = Server::start(&place, &["--model", &model]);
    let host = format!("Host: {}", server.host);
    let open = server.link.split_once(&server.host).unwrap().1.to_owned();
    let opened = server.ask("GET", &open, &[&host], "");
    assert_eq!(opened.status, 303);
    let cookie = opened.head.lines().find_map(|it| it.strip_prefix("set-cookie: ")).unwrap().to_owned();
    assert!(cookie.contains("HttpOnly") && cookie.contains("SameSite=Strict"), "{cookie}");
    assert_eq!(server.ask("GET", &open, &[&host], "").status, 401, "a link is used once");
    let cookie = format!("Cookie: {}", cookie.split(';').next().unwrap());
    let page = server.ask("GET", "/", &[&host, &cookie], "");
    assert!(page.status == 200 && page.text().contains("app.js"), "{}", page.text());
    assert!(page.head.contains("content-security-policy: default-src 'none'"), "{}", page.head);
    let origin = format!("Origin: http://{}", server.host);
    let kind = "Content-Type: application/json";
    let body = r#"{"items": []}"#;
    assert_eq!(server.ask("POST", "/api/render", &[&host, &cookie, kind], body).status, 403);
    assert_eq!(server.ask("POST", "/api/render", &[&host, &cookie, kind, &origin], body).status, 200);
    // Another link, for the user alone.
    let link = place.ox(&["serve", "--link"]).out;
    assert!(link.contains("/open?code=") && link.trim() != server.link, "{link}");
}

#[test]
fn a_prompt_is_admitted_once_followed_answered_and_its_change_taken_back() {
    let (place, model) = place();
    let server = Server::start(&place, &["--model", &model, "--mode", "build"]);
    let id = server.conversation();
    let at = |rest: &str| format!("/api/conversations/{id}{rest}");
    let mut events = server.events(&at("/events"), "");
    let admitted = server.post_with(&at("/prompts"), &json!({"text": "hi", "mode": "chat"}), "Idempotency-Key: one");
    assert_eq!(admitted.status, 202, "{}", admitted.text());
    let first = events.until("completion");
    let ids: Vec<u64> = first.iter().filter(|it| it.name == "frame").map(|it| it.id.parse().unwrap()).collect();
    assert!(ids.iter().enumerate().all(|(at, seq)| *seq == at as u64 + 1), "{ids:?}");
    assert!(first.iter().any(|it| it.name == "delta"), "text is shown as it comes");
    // The same key is the same prompt.
    let again = server.post_with(&at("/prompts"), &json!({"text": "hi", "mode": "chat"}), "Idempotency-Key: one");
    assert_eq!((again.status, &again.json()["command_id"]), (202, &admitted.json()["command_id"]));

    assert_eq!(server.post(&at("/prompts"), &json!({"text": "make a file", "mode": "build"})).status, 202);
    let asked = events.until("approval_request");
    let call = asked.last().unwrap().data["call"].as_str().unwrap().to_owned();
    // The list follows the events, a moment behind them.
    let mut lists = std::iter::repeat_with(|| server.get("/api/conversations").json()["conversations"][0].clone());
    let listed = lists.by_ref().take(1_000).find(|it| it["state"] == "waiting").expect("the list says that it waits");
    assert_eq!(listed["turns"], 2);
    assert_eq!(server.post(&at(&format!("/approvals/{call}")), &json!({"decision": {"answer": "allow"}})).status, 202);
    events.until("completion");
    assert_eq!(place.read("made.txt"), "hello\n");
    let late = server.post(&at(&format!("/approvals/{call}")), &json!({"decision": {"answer": "allow"}}));
    assert_eq!(late.status, 409, "{}", late.text());

    // Hunk by hunk.
    let changes = server.get(&at("/changes")).json();
    let hunk = &changes["files"][0]["hunks"][0];
    assert_eq!((&hunk["state"], &hunk["rows"][0]["spans"][0]["text"]), (&json!("pending"), &json!("hello")));
    let settled = server.post(&at("/changes"), &json!({"reject": [hunk["id"]]}));
    assert_eq!((settled.status, settled.json()["rejected"].clone()), (200, json!(1)), "{}", settled.text());
    assert!(!place.project("made.txt").exists());
    let view = server.get(&at("/view")).json();
    assert_eq!((&view["turn"], &view["busy"]), (&json!(2), &json!(false)));
}

#[test]
fn whoever_comes_back_gets_what_was_missed_and_nothing_twice() {
    let (place, model) = place();
    let server = Server::start(&place, &["--model", &model, "--mode", "chat"]);
    let id = server.conversation();
    let at = |rest: &str| format!("/api/conversations/{id}{rest}");
    assert_eq!(server.post(&at("/prompts"), &json!({"text": "hi"})).status, 202);
    let mut first = server.events(&at("/events?after=0"), "");
    let whole = first.until("completion");
    let last: u64 = whole.last().unwrap().id.parse().unwrap();
    let rest = server.events(&at("/events"), &format!("Last-Event-ID: {}", last - 3)).until("completion");
    let ids: Vec<&str> = rest.iter().map(|it| it.id.as_str()).collect();
    assert_eq!(ids, [last - 2, last - 1, last].map(|it| it.to_string()));
    // Many conversations over one connection; the cursor says where each one is.
    let other = server.conversation();
    let mut many = server.events(&format!("/api/events?follow={id}:{},{other}:0", last - 1), "");
    let message = many.by_ref().filter(|it| it.name == "frame").take(2).collect::<Vec<_>>();
    let cursor = &message.last().unwrap().id;
    assert!(cursor.contains(&format!("{id}:{last}")) && cursor.contains(&format!("{other}:1")), "{cursor}");
    let renamed = server.ask(
        "PATCH",
        &format!("/api/conversations/{other}"),
        &server.own().each_ref().map(String::as_str),
        r#"{"name": "other"}"#,
    );
    assert_eq!((renamed.status, renamed.json()["title"].clone()), (200, json!("other")));
    assert!(many.any(|it| it.name == "changed"), "the list changed");
}

#[test]
fn a_conversation_of_a_terminal_is_joined_and_one_of_another_server_too() {
    let (place, model) = place();
    let one = Server::start(&place, &["--model", &model, "--mode", "build"]);
    let id = one.conversation();
    let other = Server::start(&place, &["--model", &model]);
    let at = |rest: &str| format!("/api/conversations/{id}{rest}");
    let mut events = other.events(&at("/events"), "");
    assert_eq!(other.post(&at("/prompts"), &json!({"text": "hi", "mode": "chat"})).status, 202);
    events.until("completion");
    let info = other.get(&at("")).json();
    assert_eq!((&info["here"], &info["elsewhere"], &info["turns"]), (&json!(false), &json!(true), &json!(1)));
    assert_eq!(one.get(&at("")).json()["here"], true);
    // It cannot be deleted under whoever works on it.
    let own = other.own();
    assert_eq!(other.ask("DELETE", &at(""), &own.each_ref().map(String::as_str), "").status, 409);
    // Whoever worked on it was killed: the other goes on, with a script of its own.
    drop(one);
    assert_eq!(other.post(&at("/prompts"), &json!({"text": "hi again"})).status, 202);
    events.until("completion");
    assert_eq!(other.post(&at("/prompts"), &json!({"text": "make a file", "mode": "build"})).status, 202);
    events.until("approval_request");
    assert_eq!(other.post(&at("/interrupt"), &json!({})).status, 202);
    events.until("completion");
    assert_eq!(other.ask("DELETE", &at(""), &own.each_ref().map(String::as_str), "").status, 204);
    assert_eq!(other.get(&at("")).status, 404);
}

#[test]
fn an_undo_over_later_work_says_what_would_be_lost() {
    let (place, model) = place();
    let server = Server::start(&place, &["--model", &model, "--mode", "build", "--approval", "auto"]);
    let id = server.conversation();
    let at = |rest: &str| format!("/api/conversations/{id}{rest}");
    let mut events = server.events(&at("/events"), "");
    for text in ["hi", "make a file"] {
        assert_eq!(server.post(&at("/prompts"), &json!({"text": text})).status, 202);
        events.until("completion");
    }
    place.write("made.txt", "hello\nand my own line\n");
    let preview = server.get(&at("/undo")).json();
    assert_eq!((&preview["possible"], &preview["lost"][0]["path"]), (&json!(true), &json!("made.txt")), "{preview}");
    let refused = server.post(&at("/undo"), &json!({}));
    assert_eq!(refused.status, 409, "{}", refused.text());
    assert_eq!(place.read("made.txt"), "hello\nand my own line\n");
    assert_eq!(server.post(&at("/undo"), &json!({"over": "force"})).status, 202);
    events.until("restored");
    assert!(!place.project("made.txt").exists());
    assert_eq!(server.post(&at("/redo"), &json!({})).status, 202);
    events.until("restored");
    assert_eq!(place.read("made.txt"), "hello\nand my own line\n");
}

#[test]
fn bad_requests_get_a_reason_and_harm_nothing() {
    let (place, model) = place();
    place.write("a.rs", "fn main() {}\n");
    let server = Server::start(&place, &["--model", &model]);
    let id = server.conversation();
    let key = server.get("/api/projects").json()[0]["key"].as_str().unwrap().to_owned();
    let own = server.own();
    let [host, token, kind] = own.each_ref().map(String::as_str);
    let prompts = format!("/api/conversations/{id}/prompts");
    let code = |answer: &Answer| answer.json()["code"].as_str().unwrap().to_owned();
    let refused = server.ask("POST", &prompts, &[host, token, kind], "{\"text\": 1");
    assert_eq!((refused.status, code(&refused).as_str()), (400, "server.bad_body"));
    let refused = server.ask("POST", &prompts, &[host, token, "Content-Type: text/plain"], "hi");
    assert_eq!((refused.status, code(&refused).as_str()), (415, "server.not_json"));
    let refused = server.post(&prompts, &json!({"text": "  "}));
    assert_eq!((refused.status, code(&refused).as_str()), (422, "server.empty_prompt"));
    let unknown = server.post("/api/conversations/nothing/prompts", &json!({"text": "hi"}));
    assert_eq!((unknown.status, code(&unknown).as_str()), (404, "store.not_found"));
    for path in ["../home/state/server-token", "/etc/passwd", "nothing"] {
        let answer = server.get(&format!("/api/projects/{key}/file?path={path}"));
        assert_eq!(answer.status, 404, "{path}: {}", answer.text());
    }
    let file = server.get(&format!("/api/projects/{key}/file?path=a.rs")).json();
    assert_eq!((&file["text"], &file["lines"][0][0]["class"]), (&json!("fn main() {}\n"), &json!("keyword")));
    // In the language that is asked for.
    let chinese = server.ask("GET", "/nothing", &[host, token, "Accept-Language: zh-CN"], "");
    assert!(chinese.json()["message"].as_str().unwrap().contains("此地址"), "{}", chinese.text());
    // Beyond this machine only with protection.
    let refused = place.ox(&["serve", "--listen", "0.0.0.0", "--port", "0"]);
    assert!(refused.code == Some(2) || refused.code == Some(1), "{}", refused.err);
    assert!(refused.err.contains("--insecure"), "{}", refused.err);
}

#[test]
fn a_reader_that_does_not_read_is_cut_and_holds_up_nobody() {
    let place = Place::new();
    let model = place.script(&format!("-- model --\n{}\n", "a line of a long reply\n".repeat(40_000)));
    let server = Server::start(&place, &["--model", &model, "--mode", "chat"]);
    let id = server.conversation();
    let at = |rest: &str| format!("/api/conversations/{id}{rest}");
    // It says that it wants the events and reads none of them.
    let slow = server.events(&at("/events"), "");
    let quick = server.events(&at("/events"), "");
    assert_eq!(server.post(&at("/prompts"), &json!({"text": "hi"})).status, 202);
    // How often it is cut, and the number of the end of the turn.
    let to_the_end = |mut events: Events| {
        let mut cut = 0;
        loop {
            let ends = |it: &Message| it.name == "gap" || it.data["event"] == "completion";
            let last = events.find(ends).unwrap();
            if last.name != "gap" {
                return (cut, last.id);
            }
            cut += 1;
            let from = last.data["from"].as_u64().unwrap();
            events = server.events(&at(&format!("/events?after={}", from - 1)), "");
        }
    };
    // One that reads may be cut as well where the machine is busy.
    let (_, last) = to_the_end(quick);
    // All of it is more than the systems at both ends keep for a client that does not read: ten mebibytes at most.
    let (cut, end) = to_the_end(slow);
    assert!(cut > 0);
    assert_eq!(end, last);
}

#[test]
fn the_log_has_a_line_of_json_for_each_request_and_no_secret() {
    let (place, model) = place();
    let log = place.root().join("log.jsonl");
    let server = Server::start(&place, &["--model", &model, "--log", log.to_str().unwrap()]);
    let id = server.conversation();
    let code = server.link.rsplit('=').next().unwrap();
    let host = format!("Host: {}", server.host);
    server.ask("GET", &format!("/open?code={code}"), &[&host], "");
    assert_eq!(server.ask("GET", "/api/about", &[&host], "").status, 401);
    let text = std::fs::read_to_string(log).unwrap();
    let lines: Vec<Value> = text.lines().map(|it| serde_json::from_str(it).unwrap()).collect();
    let shown = |it: &Value| format!("{} {} {} {}", it["message"], it["method"], it["path"], it["status"]);
    let shown: Vec<String> = lines.iter().map(|it| shown(it).replace('"', "")).collect();
    let begins = ["request GET /api/projects 200", "opened null null null", "request POST /api/conversations 201"];
    assert_eq!(shown[..3], begins);
    assert_eq!(shown[3..], ["request GET /open 303", "request GET /api/about 401"]);
    assert_eq!(lines[1]["conversation"], *id);
    assert!(lines.iter().all(|it| it["timestamp"].is_string() && it["level"] == "INFO"), "{text}");
    assert!(!text.contains(code) && !text.contains(&server.token), "{text}");
}

#[test]
fn custom_commands_are_listed_by_project_and_a_prompt_calls_them() {
    let (place, model) = place();
    place.write(".claude/commands/greet.md", "---\ndescription: Greets\n---\nGreet $1.");
    place.write(".claude/commands/plan.md", "Plan it as we do.");
    let before = Server::start(&place, &["--model", &model]);
    let key = before.get("/api/projects").json()[0]["key"].as_str().unwrap().to_owned();
    let list = |server: &Server| server.get(&format!("/api/projects/{key}/commands")).json()["commands"].clone();
    assert_eq!(list(&before), json!([]), "nobody trusts them");
    drop(before);
    place.trusts();
    let server = Server::start(&place, &["--model", &model]);
    let one = |name: &str, about: &str| json!({"name": name, "hint": "", "about": about, "source": "project"});
    assert_eq!(list(&server), json!([one("greet", "Greets"), one("project:plan", "Plan it as we do.")]));
    let id = server.conversation();
    let at = |rest: &str| format!("/api/conversations/{id}{rest}");
    let mut events = server.events(&at("/events"), "");
    assert_eq!(server.post(&at("/prompts"), &json!({"text": "/greet you", "mode": "chat"})).status, 202);
    let seen = events.until("completion");
    assert!(seen.iter().any(|it| it.data["prompt"] == "/greet you\n\nGreet you."));
}
