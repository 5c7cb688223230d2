//! What the sandbox leaves in reach so that work can happen: the programs of the environment wherever they lie, a place of the
//! conversation's own, its servers, and the local ports that were consented to.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use ox_protocol::{Job, Network, Runner, Running};
use ox_sandbox::{Inward, Scratch};

use crate::place::{Place, text};

/// A folder beneath `/tmp`, which a command does not see.
fn hidden() -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir_in("/tmp").unwrap();
    let path = folder.path().to_owned();
    (folder, path)
}

fn program(path: &Path, words: &str) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, format!("#!/bin/sh\n{words}\n")).unwrap();
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
}

async fn run(place: &Place, job: Job) -> (Option<i32>, String) {
    let exit = place.sandbox.run(job, None).await.unwrap();
    (exit.code, text(&exit))
}

/// A job whose variables have these values, and whose `PATH` begins with `path`.
fn within(place: &Place, command: &str, path: &Path, variables: &[(&str, &Path)]) -> Job {
    let mut job = place.job(command);
    let path = format!("{}:{}", path.display(), std::env::var("PATH").unwrap());
    job.env = variables.iter().map(|(name, value)| ((*name).to_owned(), value.display().to_string())).collect();
    job.env.push(("PATH".to_owned(), path));
    job
}

#[tokio::test]
async fn a_virtual_environment_beneath_tmp_starts_with_what_it_is_built_upon() {
    let (place, (_kept, hidden)) = (Place::new(), hidden());
    let [base, venv, beside, editable] = ["python/bin", "venv", "beside", "editable"].map(|it| hidden.join(it));
    program(&base.join("python9"), "echo python && cat $(dirname $(readlink -f $0))/../lib/module");
    fs::create_dir(hidden.join("python/lib")).unwrap();
    fs::write(hidden.join("python/lib/module"), "module\n").unwrap();
    fs::create_dir_all(venv.join("lib/python9/site-packages")).unwrap();
    fs::create_dir_all(venv.join("bin")).unwrap();
    fs::write(venv.join("pyvenv.cfg"), format!("home = {}\n", base.display())).unwrap();
    fs::write(venv.join("lib/python9/site-packages/own.pth"), format!("{}\n", editable.display())).unwrap();
    symlink(base.join("python9"), venv.join("bin/python9")).unwrap();
    fs::write(venv.join(".env"), "SECRET=1\n").unwrap();
    for (folder, file) in [(&beside, "private"), (&editable, "own")] {
        fs::create_dir(folder).unwrap();
        fs::write(folder.join(file), "here\n").unwrap();
    }
    let line = "python9 | tail -1; cat $E/own; cat $V/.env 2>/dev/null || echo secret; ls $B 2>/dev/null || echo no; \
                touch $V/x 2>/dev/null || echo kept";
    let named = [("E", editable.as_path()), ("V", &venv), ("B", &beside)];
    let expected = (Some(0), "module\nhere\nsecret\nno\nkept\n".to_owned());
    assert_eq!(run(&place, within(&place, line, &venv.join("bin"), &named)).await, expected);
    // As the project's own `.venv`, which is a link.
    symlink(&venv, place.root.join(".venv")).unwrap();
    let line = line.replace("python9 |", ".venv/bin/python9 |");
    assert_eq!(run(&place, within(&place, &line, Path::new("/usr/bin"), &named)).await, expected);
    assert_eq!(fs::read_dir(&venv).unwrap().count(), 4, "nothing was made in it");
}

#[tokio::test]
async fn toolchains_and_what_links_lead_to_are_found_by_their_variables() {
    let (place, (_kept, hidden)) = (Place::new(), hidden());
    let home = hidden.join("home");
    program(&hidden.join("sdk/bin/tool"), "echo tool");
    program(&home.join(".cargo/bin/cargo9"), "cat $RUSTUP_HOME/settings.toml");
    fs::create_dir_all(hidden.join("rustup")).unwrap();
    fs::write(hidden.join("rustup/settings.toml"), "stable\n").unwrap();
    fs::write(home.join(".cargo/credentials.toml"), "token\n").unwrap();
    fs::write(home.join("diary"), "dear\n").unwrap();
    fs::create_dir(hidden.join("links")).unwrap();
    symlink(hidden.join("sdk/bin/tool"), hidden.join("links/tool")).unwrap();
    // A link to a link, as package managers make them.
    program(&hidden.join("far/node_modules/far/bin/far"), "echo far");
    fs::create_dir(hidden.join("far/node_modules/.bin")).unwrap();
    symlink("../far/bin/far", hidden.join("far/node_modules/.bin/far")).unwrap();
    symlink(hidden.join("far/node_modules/.bin/far"), hidden.join("links/far")).unwrap();
    // The name of a folder is kept where the folder itself lies elsewhere.
    symlink(hidden.join("links"), hidden.join("current")).unwrap();
    let line = "tool; far; $HOME/.cargo/bin/cargo9; cat $HOME/diary 2>/dev/null || echo no";
    let (rustup, current) = (hidden.join("rustup"), hidden.join("current"));
    let mut job = within(&place, line, &current, &[("HOME", &home), ("RUSTUP_HOME", &rustup)]);
    job.rights.hide = ox_sandbox::protected(std::slice::from_ref(&place.root), Some(&home), &[]).hide;
    assert_eq!(run(&place, job.clone()).await, (Some(0), "tool\nfar\nstable\nno\n".to_owned()));
    job.argv = ox_sandbox::shell("cat $HOME/.cargo/credentials.toml");
    assert_ne!(run(&place, job).await.0, Some(0));
}

#[tokio::test]
async fn tools_keep_their_caches_in_the_conversations_place_while_the_home_has_none() {
    let (place, (_kept, hidden)) = (Place::new(), hidden());
    let scratch = Scratch::new().unwrap();
    fs::create_dir_all(hidden.join("go")).unwrap();
    let job = |line: &str| {
        let mut job = within(&place, line, Path::new("/usr/bin"), &[("HOME", &hidden)]);
        job.rights.scratch = Some(scratch.path().to_owned());
        job
    };
    let line = "mkdir -p $XDG_CACHE_HOME/go-build && echo kept > $XDG_CACHE_HOME/go-build/x; echo ${GOPATH-usual}";
    assert_eq!(run(&place, job(line)).await, (Some(0), "usual\n".to_owned()));
    assert_eq!(run(&place, job("cat $XDG_CACHE_HOME/go-build/x")).await, (Some(0), "kept\n".to_owned()));
    assert!(!hidden.join(".cache").exists());
}

#[tokio::test]
async fn linked_modules_are_read_and_their_caches_written() {
    let (place, (_kept, hidden)) = (Place::new(), hidden());
    let modules = hidden.join("cache/of-the-project");
    ["pkg", ".bin"].iter().for_each(|it| fs::create_dir_all(modules.join(it)).unwrap());
    fs::write(modules.join("pkg/index.js"), "module.exports = 1\n").unwrap();
    fs::create_dir_all(place.root.join("packages/a")).unwrap();
    for part in ["node_modules", "packages/a/node_modules"] {
        symlink(&modules, place.root.join(part)).unwrap();
    }
    // A link to anything else stays closed.
    fs::create_dir(hidden.join("diary")).unwrap();
    fs::write(hidden.join("diary/today"), "dear\n").unwrap();
    symlink(hidden.join("diary"), place.root.join("vendor")).unwrap();
    let line = "cat packages/a/node_modules/pkg/index.js; mkdir node_modules/.vite-temp && echo x > node_modules/.vite-temp/a \
                && cat node_modules/.vite-temp/a; cat vendor/today 2>/dev/null || echo no";
    let found = run(&place, place.job(line)).await;
    assert_eq!(found, (Some(0), "module.exports = 1\nx\nno\n".to_owned()));
    assert!(!modules.join(".vite-temp").exists());
}

fn git(folder: &Path, words: &[&str]) {
    let mut git = std::process::Command::new("git");
    git.args(["-c", "user.name=T", "-c", "user.email=t@example.com"]).args(words).current_dir(folder);
    assert!(git.output().unwrap().status.success(), "{words:?}");
}

#[tokio::test]
async fn a_linked_working_tree_sees_its_repository() {
    let (place, (_kept, hidden)) = (Place::new(), hidden());
    git(&hidden, &["init", "-q", "main"]);
    git(&hidden.join("main"), &["commit", "-q", "--allow-empty", "-m", "one"]);
    git(&hidden.join("main"), &["worktree", "add", "-q", &place.root.join("tree").display().to_string()]);
    let mut job = place.job("git log --format=%s");
    (job.cwd, job.rights.write) = (place.root.join("tree"), vec![place.root.join("tree")]);
    assert_eq!(run(&place, job).await, (Some(0), "one\n".to_owned()));
}

/// A job of the conversation.
fn of(place: &Place, scratch: &Scratch, command: &str) -> Job {
    let mut job = place.job(command);
    job.rights.scratch = Some(scratch.path().to_owned());
    job
}

#[tokio::test]
async fn scratch_files_stay_for_the_conversation_and_for_nobody_else() {
    let (place, first, other) = (Place::new(), Scratch::new().unwrap(), Scratch::new().unwrap());
    let found = run(&place, of(&place, &first, "echo $TMPDIR; echo kept > $TMPDIR/a; mktemp > /dev/null")).await;
    assert_eq!(found, (Some(0), "/tmp\n".to_owned()));
    assert_eq!(run(&place, of(&place, &first, "cat /tmp/a")).await, (Some(0), "kept\n".to_owned()));
    assert_ne!(run(&place, of(&place, &other, "cat /tmp/a")).await.0, Some(0));
    assert_ne!(run(&place, place.job("cat /tmp/a")).await.0, Some(0));
    // The project lies beneath /tmp; what a command puts in the way of it leads nowhere.
    let above = place.root.parent().unwrap().display().to_string();
    let trap = format!("cd /tmp; rm -rf {above} 2>/dev/null; mv {above} moved; ln -s /etc {above}; ls -l {above}");
    run(&place, of(&place, &first, &trap)).await;
    let found = run(&place, of(&place, &first, "touch here && ls")).await;
    assert_eq!(found, (Some(0), "here\n".to_owned()));
    let path = first.path().to_owned();
    drop(first);
    assert!(!path.exists());
}

/// Starts `job` and waits until it says that it is ready.
async fn ready(place: &Place, job: Job) -> Arc<dyn Running> {
    let running = place.sandbox.start(job).await.unwrap();
    let mut seen = String::new();
    while !seen.contains("ready") {
        running.stirred().await;
        seen.push_str(&running.take().text(|_| String::new()));
        assert!(running.exit().is_none(), "{seen}");
    }
    running
}

/// Serves one word over and over at a port that it prints, and at a socket in the shared folder.
const SERVER: &str = "python3 -u -c \"
import socket, threading
def serve(s):
    s.listen()
    while True:
        c, _ = s.accept()
        c.sendall(b'served')
        c.close()
u = socket.socket(socket.AF_UNIX); u.bind('/tmp/socket')
s = socket.socket(); s.bind(('127.0.0.1', 8104))
threading.Thread(target=serve, args=(u,), daemon=True).start()
s.listen(); print('ready')
serve(s)\"";

fn ask(port: u16) -> String {
    format!(
        "python3 -c \"import socket; print(socket.create_connection(('127.0.0.1', {port}), 5).recv(9))\" 2>&1 | tail -1"
    )
}

#[tokio::test]
async fn a_server_of_the_conversation_is_reached_by_its_later_commands_alone() {
    let (place, first, other) = (Place::new(), Scratch::new().unwrap(), Scratch::new().unwrap());
    let running = ready(&place, of(&place, &first, SERVER)).await;
    let served = (Some(0), "b'served'\n".to_owned());
    assert_eq!(run(&place, of(&place, &first, &ask(8104))).await, served);
    let local =
        "python3 -c \"import socket; s=socket.socket(socket.AF_UNIX); s.connect('/tmp/socket'); print(s.recv(9))\"";
    assert_eq!(run(&place, of(&place, &first, local)).await, served);
    for closed in [of(&place, &other, &ask(8104)), place.job(&ask(8104))] {
        assert!(run(&place, closed).await.1.contains("refused"));
    }
    running.stop().await;
    assert!(run(&place, of(&place, &first, &ask(8104))).await.1.contains("refused"));
}

#[tokio::test]
async fn a_server_of_the_conversation_is_reached_from_this_machine_while_it_runs() {
    let (place, scratch) = (Place::new(), Scratch::new().unwrap());
    // The port is taken out here, so another one stands for it.
    let taken = std::net::TcpListener::bind("127.0.0.1:8104");
    let running = ready(&place, of(&place, &scratch, SERVER)).await;
    let inward = Inward::open(scratch.path()).unwrap();
    let mut ports = inward.ports();
    let outside = *ports.wait_for(|it| it.contains_key(&8104)).await.unwrap().get(&8104).unwrap();
    assert!(taken.is_err() || outside != 8104);
    let connect = || tokio::net::TcpStream::connect(("127.0.0.1", outside));
    for _ in 0..2 {
        let mut word = String::new();
        tokio::io::AsyncReadExt::read_to_string(&mut connect().await.unwrap(), &mut word).await.unwrap();
        assert_eq!(word, "served");
    }
    running.stop().await;
    ports.wait_for(|it| it.is_empty()).await.unwrap();
    assert!(connect().await.is_err(), "nobody listens any more");
}

#[tokio::test]
async fn a_socket_of_the_machine_is_reached_by_the_command_that_was_granted_it() {
    let (place, (folder, path)) = (Place::new(), hidden());
    let socket = path.join("agent");
    let outside = std::os::unix::net::UnixListener::bind(&socket).unwrap();
    std::thread::spawn(move || {
        for stream in outside.incoming() {
            std::io::Write::write_all(&mut stream.unwrap(), b"outside").unwrap();
        }
    });
    let ask = "python3 -c \"import socket, os; s=socket.socket(socket.AF_UNIX); s.connect(os.environ['SOCKET']); print(s.recv(9))\" 2>&1 | tail -1";
    let mut job = within(&place, ask, Path::new("/bin"), &[("SOCKET", &socket)]);
    assert!(run(&place, job.clone()).await.1.contains("No such file"));
    job.rights.write.push(socket.clone());
    assert_eq!(run(&place, job.clone()).await, (Some(0), "b'outside'\n".to_owned()));
    // A folder that may be written opens no socket in it.
    job.rights.write = vec![place.root.clone(), path];
    assert!(run(&place, job).await.1.contains("denied"));
    drop(folder);
}

#[tokio::test]
async fn a_local_port_is_reached_by_the_command_that_was_allowed_to() {
    let (place, scratch) = (Place::new(), Scratch::new().unwrap());
    let outside = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = outside.local_addr().unwrap().port();
    std::thread::spawn(move || {
        for stream in outside.incoming() {
            std::io::Write::write_all(&mut stream.unwrap(), b"outside").unwrap();
        }
    });
    let allowed = |mut job: Job| {
        job.rights.network = Network::Hosts(vec![format!("localhost:{port}")]);
        job
    };
    let reached = (Some(0), "b'outside'\n".to_owned());
    assert_eq!(run(&place, allowed(of(&place, &scratch, &ask(port)))).await, reached);
    assert_eq!(run(&place, allowed(place.job(&ask(port)))).await, reached);
    // While such a command runs, no other one of the conversation gets through its doors, nor takes their ports.
    let running = ready(&place, allowed(of(&place, &scratch, "echo ready; sleep 60"))).await;
    for port in [port, 61_000, 61_001] {
        assert!(run(&place, of(&place, &scratch, &ask(port))).await.1.contains("refused"), "{port}");
    }
    let fast = "python3 -c \"import socket; s=socket.socket(); s.sendto(b'x', 0x20000000, ('127.0.0.1', 61001)); print(s.recv(9))\" 2>&1 | tail -1";
    assert!(run(&place, of(&place, &scratch, fast)).await.1.contains("not supported"));
    let take = "python3 -c \"import socket; socket.socket().bind(('127.0.0.1', 61005))\" 2>&1 | tail -1";
    assert!(run(&place, of(&place, &scratch, take)).await.1.contains("in use"));
    running.stop().await;
}

#[tokio::test]
async fn package_managers_fail_at_once_where_nobody_can_be_reached() {
    let place = Place::new();
    let line = "echo $npm_config_offline $CARGO_NET_OFFLINE $PIP_RETRIES";
    assert_eq!(run(&place, place.job(line)).await.1, "true true 0\n");
    let mut job = place.job(line);
    job.rights.network = Network::Hosts(vec!["registry.npmjs.org".to_owned()]);
    assert_eq!(run(&place, job).await.1.trim(), "");
    if ox_sandbox::on_path("npx").is_some() {
        let start = std::time::Instant::now();
        assert_ne!(run(&place, place.job("npx --yes left-pad-that-nobody-has")).await.0, Some(0));
        assert!(start.elapsed() < std::time::Duration::from_secs(30), "{:?}", start.elapsed());
    }
}
