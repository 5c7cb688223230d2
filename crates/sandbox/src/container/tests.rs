//! What is asked of a daemon, word by word; and what becomes of a job when the daemon refuses, breaks off or is not there.

use std::io::{Read, Write};
use std::os::unix::net::{UnixListener, UnixStream};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use ox_protocol::{Network, Rights, Terminal};
use serde_json::{Value, json};

use std::path::{Path, PathBuf};

use super::spec::{DaemonInfo, spec};
use super::target::owner;
use super::*;

fn daemon() -> DaemonInfo {
    DaemonInfo {
        image: "tools:1".to_owned(),
        user: (1000, 100),
        rootless: false,
        podman: false,
        sockets: vec!["/run/docker.sock".into()],
        files: 20_000,
        user_processes: 900,
        owner: "7 8".to_owned(),
        folder: "/own".into(),
    }
}

fn job(root: &Path) -> Job {
    let rights = Rights::command(root.to_owned(), Duration::from_secs(5));
    let argv = vec!["sh".to_owned(), "-c".to_owned(), "true".to_owned()];
    Job { argv, cwd: root.to_owned(), env: vec![("A".into(), "b".into())], stdin: Vec::new(), terminal: None, rights }
}

#[test]
fn the_whole_description() {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path();
    let made = spec(&job(root), &daemon()).unwrap();
    let bind = json!({ "Type": "bind", "Source": root, "Target": root, "ReadOnly": false,
                       "BindOptions": { "Propagation": "rprivate" } });
    let options = json!({ "SizeBytes": 1073741824, "Mode": 0o1777 });
    let temporary = json!({ "Type": "tmpfs", "Target": "/tmp", "TmpfsOptions": options });
    let expected = json!({
        "Image": "tools:1", "Entrypoint": [], "Cmd": ["sh", "-c", "true"], "WorkingDir": root, "User": "1000:100",
        "Env": ["A=b", "GIT_PAGER=cat", "GIT_TERMINAL_PROMPT=0", "HOME=/tmp", "PAGER=cat", "TERM=dumb"],
        "Tty": false, "OpenStdin": true, "StdinOnce": true,
        "AttachStdin": true, "AttachStdout": true, "AttachStderr": true, "StopTimeout": 1,
        "Labels": { "ox.process": "7 8" },
        "HostConfig": {
            "Privileged": false, "NetworkMode": "none", "ReadonlyRootfs": true, "CapDrop": ["ALL"],
            "SecurityOpt": ["no-new-privileges", format!("seccomp={}", seccomp::filter())], "IpcMode": "private", "CgroupnsMode": "private",
            "Memory": 2147483648u64, "MemorySwap": 2147483648u64, "PidsLimit": 256,
            "Ulimits": [{ "Name": "nofile", "Soft": 20000, "Hard": 20000 }, { "Name": "nproc", "Soft": 900, "Hard": 900 },
                        { "Name": "core", "Soft": 0, "Hard": 0 }],
            "ShmSize": 67108864,
            "LogConfig": { "Type": "none", "Config": {} }, "AutoRemove": false, "RestartPolicy": { "Name": "no" },
            // Paths in their order; this project lies in the folder for temporary files.
            "Mounts": [temporary, bind],
        },
    });
    assert_eq!(made.body, expected);
    assert_eq!(made.placeholders, Vec::<PathBuf>::new());
}

#[test]
fn what_is_protected_and_hidden_lies_over_what_may_be_written() {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path();
    std::fs::create_dir_all(root.join(".git/hooks")).unwrap();
    std::fs::create_dir_all(root.join("keys")).unwrap();
    std::fs::write(root.join(".env"), "x").unwrap();
    let _sockets = ["keys/socket", "socket"].map(|it| UnixListener::bind(root.join(it)).unwrap());
    std::fs::write(root.join("keys/one"), "x").unwrap();
    let mut job = job(root);
    job.rights.protect =
        [".git/hooks", ".ox", ".ox/config", "deep/er/name", "keys/name"].iter().map(|it| root.join(it)).collect();
    job.rights.protect.push("/elsewhere/name".into());
    job.rights.hide = [".env", "keys", "keys/one", "never"].iter().map(|it| root.join(it)).collect();
    let made = spec(&job, &daemon()).unwrap();
    let mounts = made.body["HostConfig"]["Mounts"].as_array().unwrap();
    let short = |path: &Value| path.as_str().unwrap_or("").replace(&root.display().to_string(), "ROOT");
    let reported: Vec<String> = mounts
        .iter()
        .map(|it| {
            format!(
                "{} {}<-{} {}",
                it["Type"].as_str().unwrap(),
                short(&it["Target"]),
                short(&it["Source"]),
                it["ReadOnly"]
            )
        })
        .collect();
    let expected = [
        "tmpfs /tmp<- null",
        "bind ROOT<-ROOT false",
        "bind ROOT/.env<-/dev/null true",
        "bind ROOT/.git<-ROOT/.git false",
        "bind ROOT/.git/hooks<-ROOT/.git/hooks true",
        "bind ROOT/.ox<-/own/empty true",
        "bind ROOT/deep<-/own/empty true",
        "bind ROOT/keys<-/own/empty true",
        "bind ROOT/socket<-/dev/null true",
    ];
    assert_eq!(reported, expected);
    assert_eq!(made.placeholders, [root.join(".ox"), root.join("deep")]);
}

#[test]
fn what_depends_on_the_daemon_and_the_rights() {
    let dir = tempfile::tempdir().unwrap();
    let ask = |change: &dyn Fn(&mut Job, &mut DaemonInfo)| {
        let (mut job, mut daemon) = (job(dir.path()), daemon());
        change(&mut job, &mut daemon);
        spec(&job, &daemon).map(|it| it.body)
    };
    let rootless = ask(&|_, daemon| daemon.rootless = true).unwrap();
    assert_eq!((&rootless["User"], &rootless["HostConfig"]["UsernsMode"]), (&json!("0:0"), &Value::Null));
    let podman = ask(&|_, daemon| (daemon.rootless, daemon.podman) = (true, true)).unwrap();
    assert_eq!((&podman["User"], &podman["HostConfig"]["UsernsMode"]), (&json!("1000:100"), &json!("keep-id")));
    assert_eq!(podman["HostConfig"]["SecurityOpt"][1], "seccomp=/own/calls.json");
    let all = ask(&|job, _| job.rights.network = Network::All).unwrap();
    assert_eq!(all["HostConfig"]["NetworkMode"], "default");
    let none = ask(&|job, _| job.rights.network = Network::Hosts(Vec::new())).unwrap();
    assert_eq!(none["HostConfig"]["NetworkMode"], "none");
    let some = ask(&|job, _| job.rights.network = Network::Hosts(vec!["a.com".into()]));
    assert_eq!(some, Err(ContainerError::Hosts));
    let terminal = ask(&|job, _| job.terminal = Some(Terminal { columns: 80, rows: 24 })).unwrap();
    assert_eq!(terminal["Tty"], true);
    for path in ["/", "/nowhere-at-all"] {
        let refused = ask(&|job, _| job.rights.read = vec![path.into()]);
        assert!(matches!(refused, Err(ContainerError::Path { .. })), "{path}: {refused:?}");
    }
    // A folder that a daemon's socket lies in.
    let socket = dir.path().canonicalize().unwrap().join("socket");
    let refused = ask(&|_, daemon| daemon.sockets = vec![socket.clone()]);
    assert!(refused.unwrap_err().to_string().contains("the daemon's own socket"));
    let outside = ask(&|job, _| job.cwd = "/usr".into());
    assert!(outside.unwrap_err().to_string().contains("working folder"));
}

/// For the beginning of a request: the status, and the body after a line's end.
type Script = &'static [(&'static str, &'static str)];

/// A daemon that follows a script: for each path's beginning, the answer. It notes what it was asked.
fn scripted(script: Script) -> (tempfile::TempDir, Api, Arc<Mutex<Vec<String>>>) {
    let dir = tempfile::tempdir().unwrap();
    let socket = dir.path().join("socket");
    let listener = UnixListener::bind(&socket).unwrap();
    let asked = Arc::new(Mutex::new(Vec::new()));
    let notes = asked.clone();
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let notes = notes.clone();
            std::thread::spawn(move || serve(stream, script, &notes));
        }
    });
    (dir, Api::new(socket), asked)
}

fn serve(mut stream: UnixStream, script: &[(&str, &str)], notes: &Mutex<Vec<String>>) {
    let (mut text, mut byte) = (String::new(), [0; 1]);
    while !text.ends_with("\r\n\r\n") && stream.read(&mut byte).unwrap_or(0) == 1 {
        text.push(byte[0] as char);
    }
    let line = text.lines().next().unwrap_or_default().trim_end_matches(" HTTP/1.1").replace("/v1.41", "");
    notes.lock().unwrap().push(line.clone());
    let answer = script.iter().find(|(path, _)| line.starts_with(path)).map_or("500 no", |(_, answer)| *answer);
    let (status, body) = answer.split_once('\n').unwrap_or((answer, ""));
    let head = match status {
        "101" => "HTTP/1.1 101 UPGRADED\r\nConnection: Upgrade\r\nUpgrade: tcp\r\n\r\n".to_owned(),
        _ => format!("HTTP/1.1 {status} x\r\nContent-Length: {}\r\nConnection: close\r\n\r\n", body.len()),
    };
    let _ = stream.write_all(head.as_bytes()).and_then(|()| stream.write_all(body.as_bytes()));
}

const MADE: (&str, &str) = ("POST /containers/create", "201\n{\"Id\":\"c1\"}");
const REMOVED: (&str, &str) = ("DELETE /containers/c1?force=true&v=true", "204");
const STREAM: (&str, &str) = ("POST /containers/c1/attach", "101\n\x01\0\0\0\0\0\0\x02hi\x02\0\0\0\0\0\0\x03 yo");

/// Runs a job against the script: what it printed, how it ended, what the daemon was asked.
async fn run(script: Script) -> (String, Result<crate::running_job::Ended, RunError>, Vec<String>) {
    let (_dir, api, asked) = scripted(script);
    let root = tempfile::tempdir().unwrap();
    let (ours, output) = std::io::pipe().unwrap();
    let input = OwnedFd::from(std::fs::File::open("/dev/null").unwrap());
    let socket = api.socket().to_owned();
    let target = ContainerTarget { daemon: Daemon::Docker, image: "tools:1".to_owned(), socket, api };
    let mut task = Task::start(target, job(root.path()), input, output.into());
    let ended = task.ended().await;
    task.gone().await;
    drop(task);
    let mut text = String::new();
    let read = tokio::task::spawn_blocking(move || {
        let mut ours = ours;
        ours.read_to_string(&mut text).map(|_| text)
    });
    let asked = asked.lock().unwrap().clone();
    (read.await.unwrap().unwrap(), ended, asked)
}

#[tokio::test]
async fn a_container_from_its_making_to_its_removal() {
    const SCRIPT: Script = &[
        ("GET /info", "200\n{}"),
        MADE,
        STREAM,
        ("POST /containers/c1/start", "204"),
        ("POST /containers/c1/wait", "200\n{\"StatusCode\":3}"),
        ("GET /containers/c1/json", "200\n{\"State\":{\"OOMKilled\":true}}"),
        REMOVED,
    ];
    let (text, ended, asked) = run(SCRIPT).await;
    assert_eq!(text, "hi yo");
    let ended = ended.unwrap();
    assert_eq!((ended.code, ended.signal), (Some(3), None));
    assert!(ended.note.unwrap().contains("2048 MiB"));
    let paths: Vec<&str> = asked.iter().map(|it| it.split('?').next().unwrap()).collect();
    let expected = [
        "GET /info",
        "POST /containers/create",
        "POST /containers/c1/attach",
        "POST /containers/c1/start",
        "POST /containers/c1/wait",
        "GET /containers/c1/json",
        "DELETE /containers/c1",
    ];
    assert_eq!(paths, expected);
}

#[tokio::test]
async fn what_fails_is_said_and_what_was_made_is_removed() {
    const NO_IMAGE: Script = &[("GET /info", "200\n{}"), ("POST /containers/create", "404\n{\"message\":\"no\"}")];
    const NO_START: Script = &[
        ("GET /info", "200\n{}"),
        MADE,
        STREAM,
        ("POST /containers/c1/start", "500\n{\"message\":\"exec: \\\"sh\\\": executable file not found in $PATH\"}"),
        REMOVED,
    ];
    const NO_STREAM: Script =
        &[("GET /info", "200\n{}"), MADE, ("POST /containers/c1/attach", "409\n{\"message\":\"not now\"}"), REMOVED];
    let table: [(Script, &str, bool); 4] = [
        (NO_IMAGE, "the image `tools:1` is not on this machine; get it with `docker pull tools:1`", false),
        (NO_START, "the program `sh` was not found", true),
        (NO_STREAM, "refused (409): not now", true),
        (&[], "the container daemon refused (500)", false),
    ];
    for (script, words, removed) in table {
        let (_, ended, asked) = run(script).await;
        let error = ended.unwrap_err().to_string();
        assert!(error.contains(words), "{error}");
        assert_eq!(asked.iter().any(|it| it.starts_with("DELETE /containers/c1")), removed, "{asked:?}");
    }
}

#[tokio::test]
async fn a_dropped_job_is_removed() {
    const SCRIPT: Script = &[
        ("GET /info", "200\n{}"),
        MADE,
        ("POST /containers/c1/attach", "101"),
        ("POST /containers/c1/start", "204"),
        // No answer but the end of the connection would be an end of the container: this one never comes.
        ("POST /containers/c1/wait", "100"),
        REMOVED,
    ];
    let (_dir, api, asked) = scripted(SCRIPT);
    let root = tempfile::tempdir().unwrap();
    let (_ours, output) = std::io::pipe().unwrap();
    let input = OwnedFd::from(std::fs::File::open("/dev/null").unwrap());
    let socket = api.socket().to_owned();
    let target = ContainerTarget { daemon: Daemon::Docker, image: "tools:1".to_owned(), socket, api };
    let task = Task::start(target, job(root.path()), input, output.into());
    let has = |asked: &Arc<Mutex<Vec<String>>>, what: &str| asked.lock().unwrap().iter().any(|it| it.starts_with(what));
    while !has(&asked, "POST /containers/c1/start") {
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
    drop(task);
    while !has(&asked, "DELETE /containers/c1") {
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
}

#[tokio::test]
async fn containers_of_an_ox_that_is_gone_are_swept() {
    const SCRIPT: Script = &[
        (
            "GET /containers/json?all=true&filters=%7b%22%6c",
            "200\n[{\"Id\":\"c1\",\"Labels\":{\"ox.process\":\"dead\"}},{\"Id\":\"c2\",\"Labels\":{\"ox.process\":\"live\"}}]",
        ),
        REMOVED,
    ];
    let (_dir, api, asked) = scripted(SCRIPT);
    task::sweep(&api, spec::LABEL, |owner| owner != "dead").await;
    let asked = asked.lock().unwrap().clone();
    assert_eq!(asked.len(), 2);
    assert!(asked[1].starts_with("DELETE /containers/c1?"), "{asked:?}");
    assert!(is_alive(&owner()));
    assert!(!is_alive(&owner().replace(' ', " 1")));
}

#[test]
fn a_daemon_that_cannot_be_spoken_to_is_said_so() {
    let dir = tempfile::tempdir().unwrap();
    let socket = dir.path().join("socket");
    let ask = |socket: &Path| {
        let api = Api::new(socket.to_owned());
        block(&api, api.ask(Method::GET, "/info", None)).unwrap_err()
    };
    assert_eq!(ask(&socket), ContainerError::Absent { socket: socket.clone() });
    drop(UnixListener::bind(&socket).unwrap());
    assert_eq!(ask(&socket), ContainerError::Absent { socket: socket.clone() });
    let refused = std::io::Error::from(std::io::ErrorKind::PermissionDenied);
    assert_eq!(api::unreachable_socket(&socket, &refused), ContainerError::Forbidden { socket });
    assert_eq!(ContainerTarget::new(Daemon::Docker, None).err(), Some(ContainerError::NoImage));
}
