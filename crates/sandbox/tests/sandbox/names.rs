//! Names that may not be made, whatever way is tried; and that everything beside them may.

use std::fs;
use std::os::unix::fs::symlink;

use ox_protocol::Runner;

use crate::place::{Place, text};

/// A project with some protected names that exist and some that do not.
fn place() -> (Place, Vec<&'static str>) {
    let place = Place::new();
    fs::create_dir_all(place.root.join(".git/objects")).unwrap();
    fs::write(place.root.join(".git/config"), "[core]\n").unwrap();
    fs::create_dir(place.root.join("real")).unwrap();
    symlink("real", place.root.join("alias")).unwrap();
    (place, vec![".git/config", ".git/hooks", ".envrc", ".vscode/tasks.json", "alias/inner"])
}

async fn run(place: &Place, protect: &[&str], command: &str) -> (Option<i32>, String) {
    let mut job = place.job(command);
    job.rights.protect = protect.iter().map(|it| place.root.join(it)).collect();
    let exit = place.sandbox.run(job, None).await.unwrap();
    (exit.code, text(&exit))
}

#[tokio::test]
async fn protected_names_cannot_be_made() {
    let (place, protect) = place();
    let attempts = [
        "echo x > .envrc",
        "echo x >> ./.git/../.envrc",
        "touch .ENVRC",
        "mkdir .git/hooks",
        "mkdir -p .vscode",
        "mkdir x && mv x .vscode",
        "mkdir x; cd x; mv ../x ../.git/hooks",
        "touch y; ln y .envrc",
        "touch y; mv y .envrc",
        "ln -s y .envrc",
        "ln -s .envrc link; echo x > link",
        "ln -s $PWD/.envrc far; ln -s far near; echo x > near",
        "mkfifo .envrc",
        "cp /etc/hostname .envrc",
        "cd .git && mkdir ./hooks",
        "mv .git g && mkdir .git",
        "mv .git/config c",
        "rm -f .git/config; test ! -e .git/config",
        "echo x > .git/config",
        "echo x > real/inner",
        "ln -sfn /tmp alias",
        "rm alias",
        "mv alias other",
        "python3 -c \"import socket; socket.socket(socket.AF_UNIX).bind('.envrc')\"",
        "python3 -c \"import os; os.open('.envrc', os.O_CREAT | os.O_WRONLY)\"",
        "python3 -c \"import os; d=os.open('.git', os.O_RDONLY); os.mkdir('hooks', dir_fd=d)\"",
        "python3 -c \"import os; d=os.open('.', os.O_TMPFILE | os.O_WRONLY); os.link(f'/proc/self/fd/{d}', '.envrc', follow_symlinks=True)\"",
    ];
    for attempt in attempts {
        let (code, output) = run(&place, &protect, attempt).await;
        assert_ne!(code, Some(0), "{attempt}: {output}");
        for name in [".envrc", ".git/hooks", ".vscode", "real/inner"] {
            assert!(place.root.join(name).symlink_metadata().is_err(), "{attempt} made {name}");
        }
        assert_eq!(fs::read_to_string(place.root.join(".git/config")).unwrap(), "[core]\n", "{attempt}");
        assert_eq!(fs::read_link(place.root.join("alias")).unwrap().to_str(), Some("real"), "{attempt}");
        for rest in ["x", "y", "link", "far", "near"] {
            let _ = fs::remove_dir(place.root.join(rest)).or_else(|_| fs::remove_file(place.root.join(rest)));
        }
    }
}

#[tokio::test]
async fn everything_beside_them_goes_on() {
    let (place, protect) = place();
    let table = [
        ("umask 027; echo a > a; mkdir d; stat -c %a a d", "640\n750\n"),
        ("echo b > a; cat a; echo c >> a; cat a", "b\nb\nc\n"),
        ("ln -s a l; echo via > l; cat a; readlink l", "via\na\n"),
        // A slash behind a link asks for what it leads to, and that is a folder.
        ("mkdir e; ln -s e le; unlink le/ 2>/dev/null || echo stays; readlink le; rm le; rmdir e", "stays\ne\n"),
        ("ln a hard; stat -c %h a; mv hard moved; rm a; cat moved; rm moved l", "2\nvia\n"),
        ("mkdir -p deep/er; cd deep; echo 1 > er/f; mv er ../er2; cat ../er2/f", "1\n"),
        ("echo out > /dev/stdout; echo err > /dev/stderr; echo fd > /dev/fd/1; echo n > /dev/null", "out\nerr\nfd\n"),
        ("mkfifo p; (echo through > p) & cat p; rm p", "through\n"),
        ("set -C; echo 1 > once; (echo 2 > once) 2>/dev/null || echo refused", "refused\n"),
        ("exec 2>/dev/null; mkdir d || echo exists; echo x > d || echo folder", "exists\nfolder\n"),
        ("echo x > .git/index; mkdir .git/objects/ab; cat .git/index", "x\n"),
        ("exec 2>/dev/null; echo x > missing/y || echo nowhere; : > '' || echo empty", "nowhere\nempty\n"),
        ("touch -- 'odd name' $'new\\nline'; ls | grep -c 'odd\\|new'", "2\n"),
        ("cd /proc/self/cwd && echo here > h && cat /proc/self/cwd/h", "here\n"),
        ("for i in $(seq 100); do echo $i > n$i & done; wait; ls n[0-9]* | wc -l", "100\n"),
    ];
    for (command, expected) in table {
        let (code, output) = run(&place, &protect, command).await;
        assert_eq!((code, output.as_str()), (Some(0), expected), "{command}");
    }
}

#[tokio::test]
async fn sockets_reach_what_is_inside_and_nothing_else() {
    let (place, protect) = place();
    let outside = std::os::unix::net::UnixListener::bind(place.root.join("outside.sock")).unwrap();
    let both = "import socket, threading, os\n\
                s = socket.socket(socket.AF_UNIX); s.bind('in.sock'); s.listen()\n\
                c = socket.socket(socket.AF_UNIX); c.connect('in.sock'); a, _ = s.accept()\n\
                c.sendall(b'local '); print(a.recv(9).decode(), end='')\n\
                t = socket.socket(); t.bind(('127.0.0.1', 0)); t.listen()\n\
                d = socket.create_connection(t.getsockname()); b, _ = t.accept()\n\
                d.sendall(b'loopback'); print(b.recv(9).decode())\n\
                x, y = socket.socketpair(); x.sendall(b'pair'); print(y.recv(9).decode())\n";
    let mut job = place.job("python3 -c \"$SCRIPT\"");
    job.env = vec![("SCRIPT".into(), both.into())];
    let exit = place.sandbox.run(job, None).await.unwrap();
    assert_eq!((exit.code, text(&exit).as_str()), (Some(0), "local loopback\npair\n"));
    let attempt = "python3 -c \"import socket; socket.socket(socket.AF_UNIX).connect('outside.sock')\"";
    assert_ne!(run(&place, &protect, attempt).await.0, Some(0));
    outside.set_nonblocking(true).unwrap();
    assert!(outside.accept().is_err(), "somebody came");
}
