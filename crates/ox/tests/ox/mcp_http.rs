//! `ox mcp` over HTTP: to whom it answers, and what the official conformance suite and the inspector say of it.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::process::{Child, Stdio};

use serde_json::{Value, json};

use crate::place::Place;

/// `ox mcp --listen`.
struct Served {
    child: Child,
    /// Where it listens.
    at: String,
    token: String,
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Served {
    fn start(place: &Place) -> Served {
        let mut command = place.command(&["mcp", "--listen", "127.0.0.1:0"]);
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
        let at = line.split("http://").nth(1).unwrap().trim().strip_suffix("/mcp").unwrap().to_owned();
        let token = std::fs::read_to_string(place.home("state/mcp-token")).unwrap();
        Served { child, at, token }
    }

    /// The status and the body of the answer to a request with these headers beside the usual ones.
    fn post(&self, headers: &str, body: &Value) -> (u16, String) {
        let mut stream = TcpStream::connect(&self.at).unwrap();
        let body = body.to_string();
        let host = if headers.contains("Host:") { String::new() } else { format!("Host: {}\r\n", self.at) };
        write!(
            stream,
            "POST /mcp HTTP/1.1\r\n{host}Content-Type: application/json\r\nAccept: application/json, text/event-stream\r\n\
             Connection: close\r\nContent-Length: {}\r\n{headers}\r\n{body}",
            body.len()
        )
        .unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        (answer.split(' ').nth(1).unwrap().parse().unwrap(), answer)
    }

    fn bearer(&self) -> String {
        format!("Authorization: Bearer {}\r\n", self.token)
    }

    /// An address at which every request gets the token, for programs that cannot send one.
    fn with_token(&self) -> String {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let at = listener.local_addr().unwrap().to_string();
        let (to, bearer, own) = (self.at.clone(), self.bearer(), at.clone());
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (to, bearer, own) = (to.clone(), bearer.clone(), own.clone());
                std::thread::spawn(move || hand_on(stream, &to, &bearer, &own));
            }
        });
        format!("http://{at}/mcp")
    }
}

/// Hands one request on with the token, and its answer back.
fn hand_on(mut from: TcpStream, to: &str, bearer: &str, own: &str) -> Option<()> {
    let mut reader = BufReader::new(from.try_clone().ok()?);
    let mut head = String::new();
    while !head.ends_with("\r\n\r\n") {
        reader.read_line(&mut head).ok().filter(|it| *it > 0)?;
    }
    let lines = head.trim_end().split("\r\n").filter(|it| !it.to_lowercase().starts_with("connection:"));
    // What is meant for this address is meant for the server; another one stays as it is.
    let head: String = lines.map(|it| it.replace(own, to) + "\r\n").collect();
    let mut server = TcpStream::connect(to).ok()?;
    write!(server, "{head}{bearer}Connection: close\r\n\r\n").ok()?;
    let mut upwards = server.try_clone().ok()?;
    std::thread::spawn(move || std::io::copy(&mut reader, &mut upwards));
    let _ = std::io::copy(&mut server, &mut from);
    from.shutdown(Shutdown::Both).ok()
}

fn hello() -> Value {
    let params =
        json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}});
    json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params})
}

#[test]
fn it_answers_who_has_the_token_on_this_machine_and_no_page() {
    let place = Place::new();
    place.write("lib.py", "def total(items):\n    return sum(items)\n");
    let served = Served::start(&place);
    let token = served.bearer();
    let (status, answer) = served.post(&token, &hello());
    assert!(status == 200 && answer.contains("\"serverInfo\""), "{answer}");
    assert_eq!(served.post("", &hello()).0, 401);
    assert_eq!(served.post("Authorization: Bearer wrong\r\n", &hello()).0, 401);
    assert_eq!(served.post(&format!("{token}Host: evil.example.org\r\n"), &hello()).0, 403);
    assert_eq!(served.post(&format!("{token}Origin: http://evil.example.org\r\n"), &hello()).0, 403);
    // The era without a greeting.
    let meta = json!({"io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": {"name": "t", "version": "1"}, "io.modelcontextprotocol/clientCapabilities": {}});
    let params = json!({"name": "find_symbol", "arguments": {"name": "total"}, "_meta": meta});
    let call = json!({"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": params});
    let era = "MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: tools/call\r\nMcp-Name: find_symbol\r\n";
    let (status, answer) = served.post(&format!("{token}{era}"), &call);
    assert!(status == 200 && answer.contains("lib.py:1"), "{answer}");
    let far = place.ox(&["mcp", "--listen", "0.0.0.0:0"]);
    assert!(far.code != Some(0) && far.err.contains("127.0.0.1"), "{}", far.err);
}

/// The suite's scenarios that are about what a server with tools alone has. Those that are left out ask for resources, prompts,
/// completion, logging, sampling and elicitation by the server, or for tools of the suite's own by name.
const PASSES: [&str; 4] = ["server-initialize", "ping", "tools-list", "dns-rebinding-protection"];

/// False where the suite and the inspector are not installed.
fn suite(place: &Place) -> bool {
    let there =
        |it: &str| place.program("sh").args(["-c", &format!("command -v {it}")]).output().unwrap().status.success();
    if there("conformance") && there("mcp-inspector-cli") {
        return true;
    }
    assert!(std::env::var_os("CI").is_none(), "the conformance suite is not installed");
    eprintln!("skipped: the conformance suite is not installed");
    false
}

#[test]
fn the_conformance_suite_finds_a_server_with_tools() {
    let place = Place::new();
    if !suite(&place) {
        return;
    }
    let served = Served::start(&place);
    let url = served.with_token();
    for scenario in PASSES {
        let ran =
            place.program("conformance").args(["server", "--url", &url, "--scenario", scenario]).output().unwrap();
        let words = [ran.stdout, ran.stderr].map(|it| String::from_utf8_lossy(&it).into_owned()).concat();
        assert!(ran.status.success() && words.contains("Passed: "), "{scenario}: {words}");
    }
}

/// What the inspector's command line prints.
fn inspected(place: &Place, args: &[&str]) -> Value {
    let found = place.program("sh").args(["-c", "readlink -f \"$(command -v mcp-inspector-cli)\""]).output().unwrap();
    let found = String::from_utf8(found.stdout).unwrap();
    // What its package names as the program expects the whole inspector around it; this one looks for its package from where it runs.
    let program = std::path::Path::new(found.trim()).with_file_name("index.js");
    let mut node = place.program("node");
    let ran = node.current_dir(program.parent().unwrap()).arg(&program).args(args).output().unwrap();
    let out = String::from_utf8_lossy(&ran.stdout).into_owned();
    serde_json::from_str(&out).unwrap_or_else(|error| panic!("{error}: {out}{}", String::from_utf8_lossy(&ran.stderr)))
}

#[test]
fn the_inspector_lists_and_calls_over_both_transports() {
    let place = Place::new();
    if !suite(&place) {
        return;
    }
    place.write("lib.py", "def total(items):\n    return sum(items)\n");
    let call = ["--method", "tools/call", "--tool-name", "find_symbol", "--tool-arg", "name=total"];
    let served = Served::start(&place);
    let (url, header) = (format!("http://{}/mcp", served.at), format!("Authorization: Bearer {}", served.token));
    let far = [url.as_str(), "--transport", "http", "--header", &header];
    // The inspector hands on little of its environment.
    let home = format!("OX_HOME={}", place.home("").display());
    let project = format!("--chdir={}", place.project("").display());
    for target in [&["env", project.as_str(), home.as_str(), env!("CARGO_BIN_EXE_ox"), "mcp"][..], &far] {
        let listed = inspected(&place, &[target, &["--method", "tools/list"]].concat());
        assert!(listed["tools"].as_array().unwrap().iter().any(|it| it["name"] == "find_symbol"), "{listed}");
        let called = inspected(&place, &[target, &call].concat());
        assert!(called["content"][0]["text"].as_str().unwrap().contains("lib.py:1"), "{called}");
    }
}
