//! A command that was judged as reading can change nothing, whatever a glob or the settings of git make of it.

use ox_protocol::Level;
use serde_json::json;

use crate::Test;
use crate::place::Place;

pub const TESTS: &[Test] = &[
    Test { name: "reading: globs cost a failed command", needs: None, run: globs },
    Test { name: "reading: settings of a hostile repository", needs: Some("git"), run: settings },
];

fn globs() {
    let place = Place::real();
    place.file("a", "same\nsame\n");
    place.file("b", "kept\n");
    for command in ["uniq *", "cd . && uniq *", "for f in a; do uniq *; done"] {
        let call = place.call("run_command", &json!({"command": command}));
        assert_eq!(call.facts.level, Level::Read, "{command}");
        let outcome = place.run_call(&call);
        assert!(outcome.output.contains("`writes`: true"), "{}", outcome.output);
        assert_eq!((place.read("b").as_str(), outcome.changed.len()), ("kept\n", 0));
    }
    // What it asks for then is judged as what it is.
    let call = place.call("run_command", &json!({"command": "uniq *", "writes": true}));
    assert_eq!(call.facts.level, Level::Shell);
    place.run_call(&call);
    assert_eq!(place.read("b"), "same\n");
    // Its own temporary folder is no part of the project.
    let outcome = place.run("run_command", &json!({"command": "sort -T /tmp a | head -1"}));
    assert!(outcome.output.contains("same"), "{}", outcome.output);
}

fn settings() {
    let place = Place::real();
    let made =
        "git init -q && git config user.email a@example.org && git config user.name a && git add a && git commit -qm x";
    place.file("a", "1\n");
    assert!(!place.run("run_command", &json!({"command": made})).is_failure());
    place.program("x.sh", "#!/bin/sh\ntouch effect\ncat\n");
    let hostile = "[core]\n\tfsmonitor = ./x.sh\n\tpager = ./x.sh\n\thooksPath = .\n[diff]\n\texternal = ./x.sh\n[diff \"d\"]\n\ttextconv = ./x.sh\n\
        [filter \"f\"]\n\tclean = ./x.sh\n[gpg]\n\tprogram = ./x.sh\n[log]\n\tshowSignature = true\n";
    place.file(".git/config", &format!("{}{hostile}", place.read(".git/config")));
    place.file(".gitattributes", "* diff=d filter=f\n");
    place.file("a", "2\n");
    for command in ["git status", "git diff", "git log -p", "git show HEAD", "git stash list", "git blame a"] {
        let call = place.call("run_command", &json!({"command": command}));
        assert_eq!(call.facts.level, Level::Read, "{command}");
        place.run_call(&call);
        assert!(!place.cx.tree.root().join("effect").exists(), "{command} had an effect");
    }
    let status = place.run("run_command", &json!({"command": "git status --short"})).output;
    assert!(status.contains(" M a"), "git still works: {status}");
}
