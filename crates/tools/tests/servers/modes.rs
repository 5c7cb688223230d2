//! Chat and plan mode change nothing: neither by a tool nor by a command, whatever the user consented to.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::Path;

use ox_protocol::{Mode, Status};
use serde_json::{Value, json};

use crate::Test;
use crate::place::Place;

pub const TESTS: &[Test] = &[
    Test { name: "modes: no command changes a byte", needs: Some("git"), run: commands },
    Test { name: "modes: no tool changes a byte", needs: Some("git"), run: tools },
    Test { name: "modes: what insists on writing gets a copy", needs: Some("git"), run: copies },
];

/// Ways to change something: `OUT` is a folder beside the project.
const COMMANDS: &[&str] = &[
    "echo new > new.txt",
    "echo more >> a.txt",
    ": > a.txt",
    "truncate -s 0 a.txt",
    "rm a.txt",
    "rm -rf src",
    "rm -rf .git",
    "rm -rf * .[a-z]*",
    "mv a.txt c.txt",
    "mv src other",
    "cp a.txt c.txt",
    "cp /dev/null a.txt",
    "ln -s a.txt link",
    "ln a.txt hard",
    "ln -sf /etc/passwd a.txt",
    "mkdir made",
    "rmdir empty",
    "touch a.txt",
    "touch -d 2001-01-01 a.txt",
    "chmod 777 a.txt",
    "chmod -R a-w .",
    "sed -i s/one/two/ a.txt",
    "perl -pi -e s/one/two/ a.txt",
    "awk 'BEGIN { print \"x\" > \"a.txt\" }'",
    "tee a.txt < b.txt",
    "dd if=b.txt of=a.txt",
    "sort -o a.txt b.txt",
    "uniq b.txt a.txt",
    "split -b 1 a.txt piece",
    "install b.txt a.txt",
    "tar cf all.tar src",
    "gzip a.txt",
    "patch -p0 < change.patch",
    "ed a.txt < script.ed",
    "find . -name '*.txt' -delete",
    "find . -type f -exec sh -c 'echo x > \"$1\"' _ {} \\;",
    "printf 'a.txt\\n' | xargs rm",
    "git init -q other",
    "git add -A",
    "git commit -qam change",
    "git commit -q --amend -m other",
    "git checkout -q -- a.txt",
    "git reset -q --hard HEAD",
    "git clean -fdxq",
    "git stash -q",
    "git branch new",
    "git tag new",
    "git config user.name other",
    "git rm -q b.txt",
    "git apply change.patch",
    "git gc -q",
    "git worktree add ../OUT/tree",
    "python3 -c \"open('a.txt', 'w').write('x')\"",
    "python3 -c \"import os; os.remove('a.txt')\"",
    "python3 -c \"import shutil; shutil.rmtree('src')\"",
    "python3 -m compileall -q src",
    "sh -c 'echo x > a.txt'",
    "bash -c 'exec 3>>a.txt; echo x >&3'",
    "eval 'echo x > a.txt'",
    "$(printf 'rm a.txt')",
    "(cd src && rm lib.py)",
    "rm a.txt & wait",
    "nohup sh -c 'sleep 0.1; rm a.txt' >/dev/null 2>&1 & wait",
    "setsid rm a.txt",
    "echo x > ../OUT/kept",
    "rm ../OUT/kept",
    "touch ~/ox-was-here && rm ~/ox-was-here",
    "mkdir -p .git/hooks && echo 'touch effect' > .git/hooks/post-checkout",
    "echo x > .env",
    "mount --bind src empty",
    "make",
];

/// Everything beneath a folder: kind, mode, time of change and content.
fn everything(folder: &Path) -> BTreeMap<String, (u32, i64, Vec<u8>)> {
    let mut all = BTreeMap::new();
    let mut left = vec![folder.to_path_buf()];
    while let Some(path) = left.pop() {
        let data = fs::symlink_metadata(&path).unwrap();
        let content = match () {
            () if data.is_symlink() => fs::read_link(&path).unwrap().into_os_string().into_encoded_bytes(),
            () if data.is_file() => fs::read(&path).unwrap(),
            () => Vec::new(),
        };
        if data.is_dir() {
            left.extend(fs::read_dir(&path).unwrap().map(|it| it.unwrap().path()));
        }
        let time = if data.is_dir() { 0 } else { data.mtime_nsec() };
        all.insert(path.display().to_string(), (data.permissions().mode(), time, content));
    }
    all
}

/// A repository with something to change, and a folder beside it.
fn place() -> (Place, tempfile::TempDir) {
    let mut place = Place::real();
    place.file("a.txt", "one\n");
    place.file("b.txt", "two\ntwo\n");
    place.file("src/lib.py", "x = 1\n");
    place.file("change.patch", "--- a.txt\n+++ a.txt\n@@ -1 +1 @@\n-one\n+two\n");
    place.file("script.ed", "1d\nw\nq\n");
    place.file("Makefile", "all:\n\techo x > a.txt\n");
    let root = place.cx.tree.root().to_path_buf();
    fs::create_dir(root.join("empty")).unwrap();
    let made =
        "git init -q && git config user.email a@example.org && git config user.name a && git add . && git commit -qm x";
    assert!(!place.run("run_command", &json!({"command": made})).is_failure());
    place.run("read_file", &json!({"path": "a.txt"}));
    let outside = tempfile::tempdir_in(root.parent().unwrap()).unwrap();
    fs::write(outside.path().join("kept"), "kept\n").unwrap();
    place.cx.asked = true;
    (place, outside)
}

/// Tries each call in both modes and looks whether anything is different.
fn try_all(calls: &dyn Fn(&str) -> Vec<(String, Value)>) {
    let (mut place, outside) = place();
    let name = outside.path().file_name().unwrap().to_str().unwrap();
    let root = place.cx.tree.root().to_path_buf();
    let before = (everything(&root), everything(outside.path()));
    for mode in [Mode::Chat, Mode::Plan] {
        place.cx.mode = mode;
        for (tool, args) in calls(name) {
            place.run(&tool, &args);
            let after = (everything(&root), everything(outside.path()));
            assert!(after == before, "{} mode, {tool} {args}", mode.name());
        }
    }
}

fn commands() {
    try_all(&|outside| {
        let line = |it: &&str| it.replace("OUT", outside);
        let call = |it: &&str| ("run_command".to_owned(), json!({"command": line(it), "writes": true}));
        let plain = COMMANDS.iter().map(|it| ("run_command".to_owned(), json!({"command": line(it)})));
        COMMANDS.iter().map(call).chain(plain).collect()
    });
}

fn tools() {
    let patch = "*** Begin Patch\n*** Delete File: a.txt\n*** End Patch";
    let block = "<<<<<<< SEARCH\none\n=======\ntwo\n>>>>>>> REPLACE\n";
    let given = json!({
        "path": "a.txt", "file": "a.txt", "content": "x", "old": "one", "new": "two", "diff": block, "patch": patch,
        "from": "a.txt", "to": "c.txt", "edits": [{"path": "a.txt", "old": "one", "new": "two"}], "symbol": "x", "name": "x",
        "new_name": "y", "message": "m", "prompt": "a picture", "command": "rm a.txt", "text": "x", "id": "job_1",
        "query": "x", "pattern": "x", "why": "w", "files": ["a.txt"], "url": "http://127.0.0.1:9/", "expected": "one", "line": 1,
        "todos": [], "result": "r", "question": "q", "module": "src",
    });
    try_all(&|_| {
        let all = ox_tools::Toolbox::default().all();
        let with = |name: &str| {
            let mut args = given.clone();
            match name {
                "edit_lines" => (args["from"], args["to"]) = (json!(1), json!(1)),
                "use_tool" => args = json!({"name": "write_file", "args": {"path": "a.txt", "content": "x"}}),
                _ => {}
            }
            (name.to_owned(), args)
        };
        all.iter().map(|it| with(&it.name)).collect()
    });
}

fn copies() {
    let (mut place, _outside) = place();
    place.cx.mode = Mode::Chat;
    let line =
        "sed -i s/one/two/ a.txt && cat a.txt && mkdir out && touch out/x && git add -A && git status --short && pwd";
    let outcome = place.run("run_command", &json!({"command": line}));
    assert_eq!((outcome.status, outcome.exit_code), (Status::Ok, Some(0)), "{}", outcome.output);
    let root = place.cx.tree.root().display().to_string();
    assert!(outcome.output.contains("two") && outcome.output.contains(&root), "{}", outcome.output);
    assert!(outcome.changed.is_empty() && place.read("a.txt") == "one\n");
    let outcome = place.run("run_command", &json!({"command": "cat a.txt; ls out"}));
    assert!(outcome.output.contains("one"), "each command begins with the project as it is: {}", outcome.output);
}
