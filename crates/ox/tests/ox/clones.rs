//! Runs on repositories that are cloned for them: from a folder and from a server on this machine.

use std::fs;
use std::io::{Read, Write};
use std::net::TcpListener;
use std::path::{Path, PathBuf};

use crate::host_server::HostServer;
use crate::hosts::{FIX, TALK, TOKEN, WHO, git, opens_the_fix};
use crate::place::{Place, Ran};

/// A repository of more commits than a clone takes, in `source` beside the project.
fn source(place: &Place) -> PathBuf {
    let folder = place.root().join("source");
    fs::create_dir(&folder).unwrap();
    let there = folder.display().to_string();
    let git = |args: &[&str]| git(place, &[&["-C", &there], args].concat());
    git(&["init", "--quiet", "-b", "main"]);
    fs::write(folder.join("sum.txt"), "a - b\n").unwrap();
    git(&["add", "."]);
    git(&["commit", "--quiet", "-m", "Begin"]);
    for number in 0..60 {
        git(&["commit", "--quiet", "--allow-empty", "-m", &format!("Step {number}")]);
    }
    folder
}

fn run(place: &Place, script: &str, url: &str, args: &[&str]) -> Ran {
    let model = place.script(script);
    let user = place.root().join("user");
    fs::create_dir_all(&user).unwrap();
    let home = user.display().to_string();
    let variables = [&WHO[..], &[("HOME", home.as_str()), ("GITHUB_TOKEN", TOKEN), ("OX_TRUST", "1")]].concat();
    place
        .ox_with(&[&["run", "--model", &model, &format!("--repo={url}")], args, &["Fix the sign"]].concat(), &variables)
}

fn url(folder: &Path) -> String {
    format!("file://{}", folder.display())
}

#[test]
fn a_folder_is_cloned_in_part_worked_in_and_named() {
    let place = Place::new();
    let source = source(&place);
    let ran = run(&place, FIX, &url(&source), &[]);
    assert_eq!(ran.code, Some(0), "{}{}", ran.out, ran.err);
    assert!(ran.err.contains("Working in /project/source, a new clone that is not trusted."), "{}", ran.err);
    assert!(ran.err.contains("The clone with the result is /project/source."), "{}", ran.err);
    assert_eq!(place.read("source/sum.txt"), "a + b\n");
    assert_eq!(fs::read_to_string(source.join("sum.txt")).unwrap(), "a - b\n");
    let clone = place.project("source").display().to_string();
    assert_eq!(git(&place, &["-C", &clone, "rev-list", "--count", "HEAD"]), "50\n");
    assert!(!place.project("source/.git/hooks").exists());
    // The next one has a place of its own, and what changes nothing leaves nothing.
    let ran = run(&place, TALK, &url(&source), &[]);
    assert!(
        ran.err.contains("Working in /project/source-2") && ran.err.contains("the clone was removed"),
        "{}",
        ran.err
    );
    assert!(!place.project("source-2").exists());
}

#[test]
fn nothing_of_it_is_trusted_and_nothing_of_it_runs() {
    let place = Place::new();
    let source = source(&place);
    let there = source.display().to_string();
    let other = place.root().join("other").display().to_string();
    git(&place, &["init", "--quiet", &other]);
    git(&place, &["-C", &other, "commit", "--quiet", "--allow-empty", "-m", "Other"]);
    fs::create_dir_all(source.join(".ox")).unwrap();
    fs::write(source.join(".ox/config.toml"), "scope = [\"docs/**\"]\n").unwrap();
    let allowed = "protocol.file.allow=always";
    git(&place, &["-C", &there, "-c", allowed, "submodule", "--quiet", "add", &url(Path::new(&other)), "module"]);
    git(&place, &["-C", &there, "add", "."]);
    git(&place, &["-C", &there, "commit", "--quiet", "-m", "Configure"]);
    // A hook of the user's own template would run in each clone.
    let hooks = place.root().join("template/hooks");
    fs::create_dir_all(&hooks).unwrap();
    fs::create_dir_all(place.root().join("user")).unwrap();
    let sprung = place.root().join("sprung");
    place.finish({
        let mut command = place.program("sh");
        let line = format!(
            "printf '#!/bin/sh\\ntouch %s\\n' '{}' > post-checkout && chmod +x post-checkout",
            sprung.display()
        );
        command.current_dir(&hooks).args(["-c", &line]);
        command
    });
    let template = place.root().join("template");
    fs::write(place.root().join("user/.gitconfig"), format!("[init]\ntemplateDir = {}\n", template.display())).unwrap();
    let ran = run(&place, FIX, &url(&source), &[]);
    assert_eq!(ran.code, Some(0), "{}{}", ran.out, ran.err);
    // Its scope would have refused the edit.
    assert_eq!(place.read("source/sum.txt"), "a + b\n");
    assert!(ran.err.contains("ox trust"), "{}", ran.err);
    assert!(!sprung.exists() && fs::read_dir(place.project("source/module")).unwrap().next().is_none());
}

#[test]
fn a_branch_of_it_is_worked_on_and_the_result_is_a_branch_of_the_clone() {
    let place = Place::new();
    let source = source(&place);
    let there = source.display().to_string();
    git(&place, &["-C", &there, "switch", "--quiet", "-c", "next"]);
    fs::write(source.join("sum.txt"), "next\na - b\n").unwrap();
    git(&place, &["-C", &there, "commit", "--quiet", "-am", "Next"]);
    git(&place, &["-C", &there, "switch", "--quiet", "main"]);
    let ran = run(&place, FIX, &format!("{}#next", url(&source)), &["--branch", "fix"]);
    assert_eq!(ran.code, Some(0), "{}{}", ran.out, ran.err);
    assert!(ran.err.contains("The result is on branch fix"), "{}", ran.err);
    assert!(ran.err.contains("The clone with the result is /project/source."), "{}", ran.err);
    let clone = place.project("source").display().to_string();
    assert_eq!(git(&place, &["-C", &clone, "show", "fix:sum.txt"]), "next\na + b\n");
    assert_eq!(git(&place, &["-C", &clone, "branch", "--format=%(refname:short)"]), "fix\nnext\n");
}

#[test]
fn what_cannot_be_cloned_leaves_nothing_and_shows_no_password() {
    let place = Place::new();
    let absent = url(&place.root().join("absent"));
    for (url, why) in [
        ("ext::sh -c 'touch sprung'", "only addresses with https, http, ssh, git, file"),
        ("https://me:s3cret@127.0.0.1:1/o/r", "names a user or a password"),
        ("--upload-pack=touch sprung", "is no address of a repository"),
        (absent.as_str(), "could not be cloned: "),
    ] {
        let ran = run(&place, TALK, url, &[]);
        assert_eq!(ran.code, Some(1), "{url}: {}", ran.err);
        assert!(ran.err.contains(why) && !ran.err.contains("s3cret"), "{url}: {}", ran.err);
    }
    assert_eq!(fs::read_dir(place.project("")).unwrap().count(), 0);
}

/// Serves the files below `folder`, as a server that knows nothing of git does; its address.
fn serve(folder: PathBuf) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let Ok(mut stream) = stream else { return };
            let mut request = Vec::new();
            let mut buffer = [0; 4096];
            while !request.windows(4).any(|it| it == b"\r\n\r\n") {
                match stream.read(&mut buffer) {
                    Ok(0) | Err(_) => break,
                    Ok(read) => request.extend_from_slice(&buffer[..read]),
                }
            }
            let request = String::from_utf8_lossy(&request).into_owned();
            let target = request.split(' ').nth(1).unwrap_or_default().to_owned();
            let path = target.split('?').next().unwrap_or_default().trim_start_matches('/');
            let (status, body) = match fs::read(folder.join(path)) {
                Ok(bytes) => ("200 OK", bytes),
                Err(_) => ("404 Not Found", Vec::new()),
            };
            let head = format!("HTTP/1.1 {status}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n", body.len());
            // Who has read enough hangs up.
            let _ = stream.write_all(&[head.as_bytes(), &body].concat());
        }
    });
    address
}

#[test]
fn a_repository_on_a_server_is_cloned_and_gets_a_pull_request() {
    let place = Place::new();
    let source = source(&place);
    let bare = place.root().join("web/octo/hello.git");
    git(&place, &["clone", "--quiet", "--bare", &source.display().to_string(), &bare.display().to_string()]);
    git(&place, &["-C", &bare.display().to_string(), "update-server-info"]);
    let host = HostServer::new(|_| opens_the_fix());
    let address = serve(place.root().join("web"));
    let name = address.trim_start_matches("http://");
    let known = format!("[git_hosts.\"{name}\"]\nkind = \"github\"\napi = \"{}\"\n", host.address());
    fs::write(place.home("config.toml"), known).unwrap();
    // A server of plain files takes nothing: what is pushed goes to the folder.
    fs::create_dir_all(place.root().join("user")).unwrap();
    let push = format!("[url \"{}/web/\"]\npushInsteadOf = {address}/\n", place.root().display());
    fs::write(place.root().join("user/.gitconfig"), push).unwrap();
    let ran = run(&place, FIX, &format!("{address}/octo/hello.git"), &["--pr"]);
    assert_eq!(ran.code, Some(0), "{}{}", ran.out, ran.err);
    assert!(ran.err.contains("Working in /project/hello, a new clone"), "{}", ran.err);
    assert!(ran.err.contains("Opened https://host/octo/hello/pull/7\n"), "{}", ran.err);
    let bare = bare.display().to_string();
    assert_eq!(git(&place, &["-C", &bare, "log", "-2", "--format=%s", "ox/fix-the-sign"]), "Fix the sign\nStep 59\n");
    host.done();
}
