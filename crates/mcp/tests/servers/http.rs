//! Servers over streamable HTTP, in both eras of the protocol, and behind a login.

use std::net::TcpStream;
use std::process::{Child, Command, Stdio};

use serde_json::json;

use crate::Test;
use crate::place::{Place, program};
use crate::real::{patient, python_server};

pub const TESTS: &[Test] = &[
    Test { name: "http: server-everything", needs: "mcp-server-everything", run: everything },
    Test { name: "http: the SDK for Python", needs: "mcp", run: python },
    Test { name: "http: an address that nobody answers at", needs: "python3", run: nobody },
];

/// A server outside the sandbox, as one elsewhere is.
struct Far(Child);

impl Drop for Far {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn port() -> u16 {
    std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
}

/// Waits until it listens, or has ended.
fn listening(command: &mut Command, port: u16) -> Far {
    let mut far = Far(command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap());
    while TcpStream::connect(("127.0.0.1", port)).is_err() {
        assert_eq!(far.0.try_wait().unwrap(), None, "it has ended");
        std::thread::yield_now();
    }
    far
}

fn at(port: u16) -> Place {
    let url = format!("http://127.0.0.1:{port}/mcp");
    Place::with(patient(), json!({"far": {"type": "http", "url": url, "headers": {"X-Test": "${NOT_SET:-yes}"}}}))
}

fn everything() {
    let port = port();
    let program = program("mcp-server-everything").unwrap();
    let _far = listening(Command::new(program).arg("streamableHttp").env("PORT", port.to_string()), port);
    let place = at(port);
    assert!(place.tools("far").len() >= 8);
    assert!(place.reply("far", "echo", json!({"message": "hello"})).unwrap().text.contains("hello"));
}

fn python() {
    let port = port();
    let python = program("mcp").unwrap().parent().unwrap().join("python3");
    let _far = listening(Command::new(python).arg(python_server()).arg(port.to_string()), port);
    let place = at(port);
    assert_eq!(place.reply("far", "add", json!({"a": 2, "b": 40})).unwrap().text, "42");
}

fn nobody() {
    let place = at(port());
    let words = place.reply("far", "echo", json!({})).unwrap_err().to_string();
    assert!(words.contains("could not be started") && words.contains("refused"), "{words}");
}
