//! Servers of others: those of the project itself for Node, its SDK for Python in the era without a handshake, git.

use std::process::Command;
use std::time::Duration;

use ox_mcp::Limits;
use serde_json::{Value, json};

use crate::Test;
use crate::place::{Place, program};
use crate::scripted::user;

const EVERYTHING: &str = "mcp-server-everything";
const FILES: &str = "mcp-server-filesystem";
const GIT: &str = "mcp-server-git";
/// Comes with the SDK's package.
const PYTHON: &str = "mcp";

pub const TESTS: &[Test] = &[
    Test { name: "real: server-everything", needs: EVERYTHING, run: everything },
    Test { name: "real: server-filesystem", needs: FILES, run: files },
    Test { name: "real: the SDK for Python", needs: PYTHON, run: python },
    Test { name: "real: mcp-server-git", needs: GIT, run: git },
];

/// Programs that take their time to load.
pub fn patient() -> Limits {
    Limits { list: Duration::from_secs(60), ..Limits::default() }
}

fn with(name: &str, entry: Value) -> Place {
    Place::with(patient(), json!({name: entry}))
}

fn command(name: &str) -> String {
    program(name).unwrap().display().to_string()
}

fn everything() {
    let place = with("all", json!({"command": command(EVERYTHING)}));
    let call = |tool: &str, args: Value| place.reply("all", tool, args).unwrap();
    assert!(place.tools("all").len() >= 8, "{:?}", place.tools("all"));
    assert!(call("echo", json!({"message": "hello"})).text.contains("hello"));
    assert!(call("get-sum", json!({"a": 2, "b": 40})).text.contains("42"));
    let picture = call("get-tiny-image", json!({}));
    assert_eq!(picture.images.len(), 1, "{}", picture.text);
    let resources = place.block_on(place.servers.resources("all")).unwrap();
    assert!(!resources.is_empty());
    let (input, asked) =
        user(&["Ada", "Yes", "Take It was a dark and stormy night.", "ada@example.org"], Duration::ZERO);
    let servers = place.servers.asking(input);
    let reply = place.block_on(servers.call("all", "trigger-elicitation-request", Default::default())).unwrap();
    // Whoever stops answering has sent nothing.
    assert!(reply.text.contains("cancelled") && !reply.text.contains("Ada"), "{}", reply.text);
    assert_eq!(asked.lock().unwrap().len(), 5);
    let said =
        ["Ada", "Yes", "", "ada@example.org", "", "1815-12-10", "7", "", "Joey", "Drums, Bass", "Superman", "", "Dogs"];
    let (input, _) = user(&said, Duration::ZERO);
    let servers = place.servers.asking(input);
    let reply = place.block_on(servers.call("all", "trigger-elicitation-request", Default::default())).unwrap();
    for part in
        ["Name: Ada", "terms: true", "ada@example.org", "1815-12-10", "Integer: 7", "Number: 3.14", "pet-2", "Bass"]
    {
        assert!(reply.text.contains(part), "{part}: {}", reply.text);
    }
    let prompts = place.block_on(place.servers.prompts("all")).unwrap();
    assert!(prompts.iter().any(|it| it.arguments.is_empty()), "{prompts:?}");
}

fn files() {
    let place = with("files", json!({"command": command(FILES), "args": ["."], "sandbox": {"write": ["."]}}));
    let path = place.root().join("new.txt").display().to_string();
    let written = place.reply("files", "write_file", json!({"path": path, "content": "text\n"})).unwrap();
    assert!(!written.failed, "{}", written.text);
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "text\n");
    let outside = place.reply("files", "read_text_file", json!({"path": "/etc/hostname"}));
    assert!(outside.is_err() || outside.unwrap().failed);
    // The same without the right to write: what the server believes of itself does not count.
    let place = with("files", json!({"command": command(FILES), "args": ["."]}));
    let path = place.root().join("new.txt").display().to_string();
    let refused = place.reply("files", "write_file", json!({"path": path, "content": "text\n"}));
    assert!(refused.is_err() || refused.unwrap().failed);
    assert!(!std::path::Path::new(&path).exists());
}

pub fn python_server() -> String {
    concat!(env!("CARGO_MANIFEST_DIR"), "/tests/python_server.py").to_owned()
}

fn python() {
    let python = program(PYTHON).unwrap().parent().unwrap().join("python3");
    let place = with("py", json!({"command": python, "args": [python_server()]}));
    assert_eq!(place.tools("py"), ["add"]);
    assert_eq!(place.reply("py", "add", json!({"a": 2, "b": 40})).unwrap().text, "42");
    let read = place.block_on(place.servers.read("py", "note://me")).unwrap();
    assert!(read.text.contains("a note about me"), "{}", read.text);
    let wrong = place.reply("py", "add", json!({"a": "x"}));
    assert!(wrong.is_err() || wrong.unwrap().failed);
}

fn git() {
    let place = with("git", json!({"command": command(GIT), "args": ["--repository", "."]}));
    let root = place.root().display().to_string();
    let run = |args: &[&str]| {
        let mut git = Command::new("git");
        git.args(["-c", "user.name=a", "-c", "user.email=a@example.org"]).args(args).current_dir(&root);
        assert!(git.output().unwrap().status.success());
    };
    run(&["init", "-q"]);
    run(&["commit", "-q", "--allow-empty", "-m", "the first commit"]);
    let log = place.reply("git", "git_log", json!({"repo_path": root})).unwrap();
    assert!(log.text.contains("the first commit"), "{}", log.text);
}
