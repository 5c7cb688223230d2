//! A real server over a small project, with a scripted model.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};

/// What the model says, turn by turn: an edit that is asked about, and an answer; each conversation begins anew.
const SCRIPT: &str = "-- model --\nThe total wraps around: the sum is taken modulo 100.\n\n@read_file\npath: total.py\n\
                      -- model --\n@edit_file\npath: total.py\nold: def total(values):\nnew: def total(values):  # checked\nwhy: Readers know that it was checked.\n\
                      -- model --\n@attempt_completion\nresult: The total no longer wraps around.\n\
                      -- model --\n## A second answer\n\nWith **bold** text, `code` and a table:\n\n| a | b |\n|---|---|\n| 1 | 2 |\n";

/// A server, ended with its owner.
pub struct Server {
    child: Child,
    /// Its address.
    pub url: String,
    /// Its token.
    pub token: String,
    _folder: tempfile::TempDir,
}

impl Server {
    pub fn start() -> Server {
        let folder = tempfile::tempdir().unwrap();
        let (project, home) = (folder.path().join("project"), folder.path().join("home"));
        [&project, &home].into_iter().for_each(|it| std::fs::create_dir(it).unwrap());
        std::fs::write(project.join("total.py"), "def total(values):\n    return sum(values) % 100\n").unwrap();
        let script = folder.path().join("script.txt");
        std::fs::write(&script, SCRIPT).unwrap();
        let model = format!("scripted/{}", script.display());
        let mut child = Command::new(env!("CARGO_BIN_EXE_ox"))
            .args(["serve", "--port", "0", "--mode", "auto", "--model", &model])
            .current_dir(&project)
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("OX_HOME", &home)
            .env("OLLAMA_HOST", "127.0.0.1:1")
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let url = lines.next().unwrap().unwrap().rsplit(' ').next().unwrap().to_owned();
        let token = std::fs::read_to_string(home.join("state/server-token")).unwrap();
        Server { child, url, token, _folder: folder }
    }

    /// The key of the project, and a new conversation in it.
    pub fn conversation(&self) -> (String, String) {
        let projects = self.ask("GET /api/projects", "");
        let key = projects[0]["key"].as_str().unwrap().to_owned();
        let made = self.ask("POST /api/conversations", &serde_json::json!({"project": key}).to_string());
        (key, made["id"].as_str().unwrap().to_owned())
    }

    fn ask(&self, what: &str, body: &str) -> serde_json::Value {
        let host = self.url.strip_prefix("http://").unwrap();
        let (token, length) = (&self.token, body.len());
        let mut stream = TcpStream::connect(host).unwrap();
        write!(
            stream,
            "{what} HTTP/1.1\r\nHost: {host}\r\nAuthorization: Bearer {token}\r\nContent-Type: application/json\r\n\
             Content-Length: {length}\r\nConnection: close\r\n\r\n{body}"
        )
        .unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        serde_json::from_str(answer.split_once("\r\n\r\n").unwrap().1).unwrap()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // It has ended already where that fails.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
