//! Servers that misbehave, and one that tells what it was told.

use std::sync::atomic::Ordering;
use std::time::Duration;

use ox_lsp::{Limits, Servers};
use serde_json::json;

use crate::Test;
use crate::place::{Place, left, short};

const fn test(name: &'static str, run: fn()) -> Test {
    Test { name, needs: None, run }
}

pub const TESTS: &[Test] = &[
    test("scripted: the server has the text of the moment and is told what changed", texts),
    test("scripted: its questions are answered and nothing is granted", questions),
    test("scripted: it can write its own folder and nothing else", nosy),
    test("scripted: one that leaves is started once more and then no more", leaves),
    test("scripted: one that breaks or hangs at every question is given up", breaks),
    test("scripted: one that does not start says why", does_not_start),
    test("scripted: a call that is to stop does not wait", stops),
    test("scripted: huge answers are cut with a count", huge),
    test("scripted: nothing of it is left when the session ends, however stubborn", ends),
    test("scripted: nothing of it is left when Ox is killed, however stubborn", killed),
    test("scripted: one that never stops talking costs no more than the limit", floods),
    test("scripted: a renaming is made whole or not at all", renames),
    test("scripted: an edit says what it breaks", breaks_by_edit),
];

fn texts() {
    let place = Place::scripted("plain", "", Limits::default());
    assert!(place.ask("hover", "a.py", "first").starts_with("first = 1"));
    place.file("a.py", "second = 2 # \u{1f680}\n");
    place.file("c.py", "");
    let reported = place.ask("hover", "a.py", "second");
    assert!(
        reported.starts_with("second = 2 # \u{1f680}") && reported.contains("a.py 2") && reported.contains("c.py 1"),
        "{reported}"
    );
    place.remove("c.py");
    assert!(place.ask("hover", "a.py", "second").contains("c.py 3"));
    // A column behind a wide character is counted as the server counts.
    assert_eq!(place.ask("definition", "a.py", "second"), "a.py:1: second = 2 # \u{1f680}");
    assert_eq!(place.cx.servers.running(), ["pyright"]);
}

fn questions() {
    let place = Place::scripted("plain", "", Limits::default());
    place.ask("hover", "a.py", "first");
    let reported = place.ask("hover", "a.py", "first");
    assert!(reported.contains("\"q1\": [{\"diagnosticMode\":\"openFilesOnly\"}]"), "{reported}");
    assert!(reported.contains("\"q2\": {\"applied\":false") && reported.contains("\"q3\": refused"), "{reported}");
}

fn nosy() {
    let place = Place::scripted("nosy", "", Limits::default());
    let reported = place.ask("hover", "a.py", "first");
    let words: Vec<&str> = reported.lines().collect();
    assert_eq!(
        words[..3],
        [
            "inside: read-only filesystem or storage medium",
            "changed: read-only filesystem or storage medium",
            "own: done"
        ],
        "{reported}"
    );
    assert!(!reported.contains("net: done"), "{reported}");
    assert_eq!(place.read("a.py"), "first = 1\n");
}

fn leaves() {
    let place = Place::scripted("leaves", "", Limits::default());
    for _ in 0..2 {
        assert!(place.ask("hover", "a.py", "first").starts_with("first = 1"));
        // Its end is what is waited for.
        while !place.cx.servers.running().is_empty() {
            place.block_on(async { tokio::time::sleep(Duration::from_millis(5)).await });
        }
    }
    let reported = place.ask("hover", "a.py", "first");
    assert_eq!(reported, "failed: pyright is not started again, because it ended by itself twice. Use search_code.");
}

fn breaks() {
    for (mode, words) in [
        ("crash", "pyright ended by itself"),
        ("garbage", "pyright sent a stream of something that is no message"),
        ("no-json", "pyright sent something that is no JSON"),
        ("endless", "pyright sent a message of 99999999999 bytes"),
        ("hang", "pyright did not answer textDocument/hover within 0.6 s"),
    ] {
        let place = Place::scripted(mode, "", short());
        let reported = place.ask("hover", "a.py", "first");
        assert!(reported.starts_with(&format!("failed: {words}")), "{mode}: {reported}");
        // A server that said anything since it was asked is waited for once more.
        let given_up = (0..4).any(|_| place.ask("hover", "a.py", "first").contains("is not started again"));
        assert!(given_up, "{mode}");
        assert_eq!(place.cx.servers.running(), [""; 0], "{mode}");
        place.close();
        assert_eq!(place.left(), 0, "{mode}");
    }
    // What it prints for people is no message, however much it is.
    let place = Place::scripted("wordy", "", Limits::default());
    assert!(place.ask("hover", "a.py", "first").starts_with("first = 1"));
}

fn does_not_start() {
    let place = Place::scripted("broken", "", short());
    let reported = place.ask("hover", "a.py", "first");
    assert!(
        reported.contains("error: half of it is missing") && reported.contains("npm install -g pyright"),
        "{reported}"
    );
    let start = Duration::from_millis(700);
    let place = Place::scripted("mute", "", Limits { start, ..short() });
    let reported = place.ask("hover", "a.py", "first");
    assert!(reported.contains("did not answer initialize within 0.7 s"), "{reported}");
    let mut place = place;
    place.cx.servers = std::sync::Arc::new(Servers::new(false).searching("/nowhere".into()));
    place.file("b.go", "package b\n");
    let reported = place.ask("hover", "b.go", "b");
    let wanted = "failed: gopls is not installed (`gopls` was not found on PATH). `go install golang.org/x/tools/gopls@latest` installs it, if the user agrees; meanwhile use search_code.";
    assert_eq!(reported, wanted);
}

fn stops() {
    let place = Place::scripted("hang", "", Limits::default());
    let cancel = place.cx.cancel.clone();
    let servers = place.cx.servers.clone();
    let stopper = std::thread::spawn(move || {
        while servers.running().is_empty() {
            std::thread::yield_now();
        }
        cancel.store(true, Ordering::Relaxed);
    });
    let began = std::time::Instant::now();
    assert!(place.ask("hover", "a.py", "first").contains("stopped by the user"));
    stopper.join().unwrap();
    assert!(began.elapsed() < Limits::default().answer, "it waited for the answer");
}

fn huge() {
    let place = Place::scripted("huge", "", Limits::default());
    let reported = place.ask("references", "a.py", "first");
    assert!(reported.starts_with("a.py:1: first = 1\na.py:2\n"), "{}", &reported[..200]);
    assert!(
        reported.ends_with("[100 of 200000 places shown; `limit` shows more]"),
        "{}",
        &reported[reported.len() - 200..]
    );
}

fn ends() {
    for (mode, before) in [("plain", ""), ("stubborn", "trap '' TERM INT HUP")] {
        let place = Place::scripted(mode, before, short());
        place.ask("hover", "a.py", "first");
        assert!(place.left() > 0, "{mode}: it runs");
        place.close();
        assert_eq!((place.left(), place.cx.servers.running()), (0, vec![]), "{mode}");
        // A session that ended may be asked again; the table is not spoilt.
        assert!(place.ask("hover", "a.py", "first").starts_with("first = 1"), "{mode}");
    }
}

fn killed() {
    use std::io::{BufRead as _, BufReader};
    use std::process::{Command, Stdio};
    for mode in ["plain", "stubborn"] {
        let mut session = Command::new(std::env::current_exe().unwrap());
        let mut session = session.args(["__session", mode]).stdout(Stdio::piped()).spawn().unwrap();
        let mut lines = BufReader::new(session.stdout.take().unwrap()).lines().map(Result::unwrap);
        let (script, root) = (lines.next().unwrap(), lines.next().unwrap());
        assert!(left(&script) > 0, "{mode}: it runs");
        // The kernel's own signal: nothing of the session can be cleared up by itself.
        session.kill().unwrap();
        session.wait().unwrap();
        let end = std::time::Instant::now() + Duration::from_secs(20);
        while left(&script) > 0 {
            assert!(std::time::Instant::now() < end, "{mode}: something is left");
            std::thread::yield_now();
        }
        std::fs::remove_dir_all(std::path::Path::new(&script).parent().unwrap()).unwrap();
        std::fs::remove_dir_all(root).unwrap();
    }
}

/// A session with a server that runs, to be killed: says where the server's script and the project are, and waits.
pub fn session(mode: &str) -> ! {
    let before = if mode == "stubborn" { "trap '' TERM INT HUP" } else { "" };
    let place = Place::scripted(mode, before, Limits::default());
    assert!(place.ask("hover", "a.py", "first").starts_with("first = 1"));
    println!("{}\n{}", place.script.display(), place.cx.tree.root().display());
    loop {
        std::thread::park();
    }
}

fn floods() {
    let place = Place::scripted("floods", "", short());
    let began = std::time::Instant::now();
    for _ in 0..3 {
        let reported = place.ask("hover", "a.py", "first");
        assert!(reported.starts_with("failed: pyright ") && reported.contains("search_code"), "{reported}");
    }
    assert!(began.elapsed() < Duration::from_secs(60), "{:?}", began.elapsed());
    place.close();
    assert_eq!(place.left(), 0);
}

fn renames() {
    let rename = |place: &Place| {
        let args = json!({"path": "a.py", "symbol": "first", "new_name": "erste", "line": 1});
        let outcome = place.run("rename_symbol", &args);
        (outcome.is_failure(), outcome.output, outcome.changed.len())
    };
    let prepared = |mode: &str| {
        let place = Place::scripted(mode, "", Limits::default());
        place.file("a.py", "\u{1f680}\u{65e5} = first # \u{672c}\r\n");
        place.file("b.py", "first + 1");
        place.file(".env", "first=1\n");
        place
    };
    let place = prepared("plain");
    let (failed, words, changed) = rename(&place);
    assert!(!failed, "{words}");
    assert_eq!(
        (place.read("a.py").as_str(), place.read("b.py").as_str()),
        ("\u{1f680}\u{65e5} = erste # \u{672c}\r\n", "erste + 1")
    );
    assert!(words.contains("edited a.py:1\n") && words.contains("edited b.py:1\n") && changed == 2, "{words}");
    for (mode, expected) in [("outside", "outside the project"), ("secret", ".env")] {
        let place = prepared(mode);
        let (failed, words, changed) = rename(&place);
        assert!(failed && changed == 0 && words.contains(expected), "{mode}: {words}");
        assert_eq!(place.read("a.py"), "\u{1f680}\u{65e5} = first # \u{672c}\r\n", "{mode}");
    }
    let mut place = prepared("plain");
    place.cx.scope = vec!["a.py".into()];
    let (_, words, _) = rename(&place);
    assert!(words.contains("`b.py` is outside the allowed scope"), "{words}");
    // The other file is not what the server takes it for.
    let place = prepared("plain");
    place.file("b.py", "fist = 1\n");
    let (failed, words, _) = rename(&place);
    assert!(failed && words.contains("does not fit"), "{words}");
    assert_eq!(place.read("a.py"), "\u{1f680}\u{65e5} = first # \u{672c}\r\n");
}

fn breaks_by_edit() {
    let place = Place::scripted("plain", "", Limits::default());
    place.file("a.py", "bad = 1\nfirst = 2\n");
    let edit = |old: &str, new: &str| place.run("edit_file", &json!({"path": "a.py", "old": old, "new": new})).output;
    let quiet = edit("first = 2", "second = 2");
    assert!(!quiet.contains("pyright"), "no server is started for an edit: {quiet}");
    let reported = place.ask("diagnostics", "a.py", "");
    assert_eq!(reported, "a.py:1:8: error: this is bad [B1]");
    let loud = edit("second = 2", "x = \"bad\"");
    assert!(loud.ends_with("[pyright finds 1 error that was not there before]\na.py:2:10: this is bad [B1]"), "{loud}");
    let round = || place.block_on(ox_tools::new_diagnostics(&place.cx));
    let found = round();
    assert_eq!((found[0].0, found[0].1.len(), found[0].1[0].line), ("pyright", 1, 2));
    let quiet = edit("x = \"bad\"", "x = 3");
    assert!(!quiet.contains("pyright"), "{quiet}");
    assert!(round()[0].1.is_empty());
}
