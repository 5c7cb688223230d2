//! The scripted server, as it should be and as it should not.

use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use ox_mcp::{Error, Fate, Limits, ServerQuestion, UserInput};
use serde_json::json;

use crate::Test;
use crate::place::{Place, left, script, short, wait_for_none};

const fn test(name: &'static str, run: fn()) -> Test {
    Test { name, needs: "python3", run }
}

pub const TESTS: &[Test] = &[
    test("scripted: is started by the first question and asked", asked),
    test("scripted: has no right that it was not given", walled),
    test("scripted: has the rights that it was given", given),
    test("scripted: resources and prompts", resources),
    test("scripted: asks the user and the model in vain", declined),
    test("scripted: asks the user, who answers", elicits),
    test("scripted: waits for the user longer than for itself", patience),
    test("scripted: changes its tools", changes),
    test("scripted: changes its tools without a handshake", changes_stateless),
    test("scripted: lies about its schemas", lies),
    test("scripted: an endless list is cut", endless_list),
    test("scripted: dies at every call and is started more and more slowly", dies),
    test("scripted: dies at once", dies_at_once),
    test("scripted: answers with anything what it does not know", lenient),
    test("scripted: never greets", mute),
    test("scripted: hangs", hangs),
    test("scripted: floods", floods),
    test("scripted: is one process for all who ask", shared),
    test("scripted: nothing is left after 100 runs and 100 kills", nothing_left),
];

fn asked() {
    let place = Place::scripted("plain");
    assert_eq!(left(&place.root().display().to_string()), 0);
    assert_eq!(place.call("echo", json!({"text": "hello"})), "hello");
    assert!(place.tools("fake").contains(&"write-file".to_string()));
    let picture = place.reply("fake", "getPicture", json!({})).unwrap();
    assert_eq!((picture.images.len(), picture.images[0].media_type.as_str()), (1, "image/png"));
    assert_eq!(place.call("broken", json!({})), "failed: it is broken");
    let unknown = place.call("none", json!({}));
    assert!(unknown.contains("answered with an error: Method not found"), "{unknown}");
    assert!(matches!(place.reply("other", "x", json!({})), Err(Error::Unknown { known, .. }) if known == "fake"));
}

fn walled() {
    let place = Place::scripted("plain");
    let refused = place.call("write-file", json!({"path": "here"}));
    assert!(refused.contains("refused: [Errno 30]"), "{refused}");
    assert!(!place.root().join("here").exists());
    assert!(place.call("fetch", json!({"host": "1.1.1.1"})).contains("refused"));
    // What Ox itself works with is nobody else's.
    assert_eq!(place.call("environment", json!({"name": "OX_TEST_HAVE"})), "(not set)");
}

fn given() {
    let place = Place::with(
        short(),
        json!({"fake": {"command": "python3", "args": [script(), "${NOT_SET_ANYWHERE:-plain}"],
            "env": {"GREETING": "${NOT_SET_ANYWHERE:-hello}"}, "sandbox": {"write": ["."]}}}),
    );
    assert_eq!(place.call("write-file", json!({"path": "here"})), "written");
    assert!(place.root().join("here").exists());
    place.call("write-file", json!({"path": "../beside"}));
    assert!(!place.root().join("../beside").exists());
    assert_eq!(place.call("environment", json!({"name": "GREETING"})), "hello");
}

fn resources() {
    let place = Place::scripted("plain");
    let found = place.block_on(place.servers.resources("fake")).unwrap();
    assert_eq!((found.len(), found[0].uri.as_str(), found[0].description.as_str()), (1, "note://one", "A note."));
    let read = place.block_on(place.servers.read("fake", "note://one")).unwrap();
    assert_eq!(read.text, "[resource note://one]\nthe text of note://one");
    let prompts = place.block_on(place.servers.prompts("fake")).unwrap();
    assert_eq!(
        (prompts[0].name.as_str(), prompts[0].arguments.as_slice()),
        ("greet", &[("who".to_string(), true)][..])
    );
    let args = json!({"who": "Ada"}).as_object().unwrap().clone();
    assert_eq!(place.block_on(place.servers.prompt("fake", "greet", args)).unwrap().text, "Greet Ada");
}

fn declined() {
    let place = Place::scripted("plain");
    let reply = place.reply("fake", "elicit", json!({})).unwrap();
    assert_eq!(reply.questions, [ServerQuestion { text: "What is your name?".into(), fate: Fate::Unasked }]);
    assert!(reply.text.contains("\"decline\""), "{}", reply.text);
    assert_eq!(place.reply("fake", "echo", json!({"text": "x"})).unwrap().questions, []);
    assert!(place.call("sample", json!({})).contains("on behalf of a server"));
    let roots = place.call("roots", json!({}));
    assert!(roots.contains(&format!("file://{}/", place.root().display())), "{roots}");
}

/// A user who gives these answers one after the other; what was asked is in the second value.
pub fn user(answers: &[&'static str], time: Duration) -> (UserInput, Arc<Mutex<Vec<String>>>) {
    let left = Mutex::new(answers.iter().rev().copied().collect::<Vec<_>>());
    let asked = Arc::new(Mutex::new(Vec::new()));
    let seen = asked.clone();
    let ask = move |text: String, _| -> ox_protocol::BoxFuture<'static, Option<String>> {
        seen.lock().unwrap().push(text);
        let answer = left.lock().unwrap().pop().map(str::to_owned);
        Box::pin(async move {
            tokio::time::sleep(time).await;
            answer
        })
    };
    (UserInput { language: ox_protocol::locale::Language::En, ask: Arc::new(ask) }, asked)
}

fn elicits() {
    let place = Place::scripted("plain");
    let elicit = |args: serde_json::Value, answers: &[&'static str]| {
        let (input, asked) = user(answers, Duration::ZERO);
        let args = args.as_object().unwrap().clone();
        let reply = place.block_on(place.servers.asking(input).call("fake", "elicit", args)).unwrap();
        let fates: Vec<Fate> = reply.questions.iter().map(|it| it.fate).collect();
        (serde_json::from_str::<serde_json::Value>(&reply.text).unwrap(), fates, asked.lock().unwrap().join("|"))
    };
    let (result, fates, asked) = elicit(json!({}), &["Ada"]);
    assert_eq!((result, fates), (json!({"action": "accept", "content": {"name": "Ada"}}), vec![Fate::Answered]));
    assert!(asked.contains("The MCP server fake asks you") && asked.contains("> What is your name?"), "{asked}");
    let (result, fates, _) = elicit(json!({}), &["Decline"]);
    assert_eq!((result, fates), (json!({"action": "decline"}), vec![Fate::Declined]));
    let (result, fates, _) = elicit(json!({}), &[]);
    assert_eq!((result, fates), (json!({"action": "cancel"}), vec![Fate::Cancelled]));
    let page = json!({"mode": "url", "message": "Log in", "url": "https://example.org/in", "elicitationId": "1"});
    let (result, _, asked) = elicit(page, &["I have opened it"]);
    assert_eq!(result, json!({"action": "accept"}));
    assert!(asked.contains("https://example.org/in"), "{asked}");
    // Once the call is over nobody is there any more.
    assert_eq!(place.reply("fake", "elicit", json!({})).unwrap().questions[0].fate, Fate::Unasked);
}

fn patience() {
    let entry = json!({"fake": {"command": "python3", "args": [script(), "plain"], "timeout": 1000}});
    let place = Place::with(short(), entry);
    place.tools("fake");
    let (input, _) = user(&["Ada"], Duration::from_millis(2500));
    let reply = place.block_on(place.servers.asking(input).call("fake", "elicit", Default::default())).unwrap();
    assert!(reply.text.contains("Ada"), "{}", reply.text);
}

fn changes() {
    let place = Place::scripted("plain");
    let number = |place: &Place| place.block_on(place.servers.tools("fake")).unwrap().number;
    let first = number(&place);
    assert_eq!(number(&place), first, "the list is asked for once");
    assert!(!place.tools("fake").contains(&"grown".to_string()));
    assert_eq!(place.call("grow", json!({})), "grown");
    assert!(place.tools("fake").contains(&"grown".to_string()) && !place.tools("fake").contains(&"broken".to_string()));
    assert_ne!(number(&place), first);
    assert!(place.block_on(place.servers.prompts("fake")).unwrap().is_empty(), "prompts are asked for anew");
}

fn changes_stateless() {
    let place = Place::scripted("stateless");
    assert!(!place.tools("fake").contains(&"grown".to_string()));
    assert_eq!(place.call("grow", json!({})), "grown");
    while !place.tools("fake").contains(&"grown".to_string()) {
        std::thread::yield_now();
    }
}

fn lies() {
    let place = Place::scripted("lies");
    let list = place.block_on(place.servers.tools("fake")).unwrap();
    let names: Vec<&str> = list.tools.iter().map(|it| it.name.as_str()).collect();
    assert_eq!(names, ["good"]);
    let why: Vec<&str> = list.left_out.iter().map(|it| it.1.as_str()).collect();
    assert_eq!(why.len(), 6, "{why:?}");
    assert!(why[0].contains("is none") && why[1].contains("not that of an object") && why[2].contains("is none"));
    assert!(why[3].contains("KiB") && why[4].contains("another tool") && why[5].contains("name is none"), "{why:?}");
}

fn endless_list() {
    let place = Place::scripted("endless-list");
    let list = place.block_on(place.servers.tools("fake")).unwrap();
    assert_eq!(list.tools.len() + list.left_out.len(), 50 * 11, "50 pages");
}

fn dies() {
    let place = Place::scripted("dies");
    let limits = Limits { rest: Duration::from_secs(3600), longest_rest: Duration::from_secs(5000), ..short() };
    let slow = Place::with(limits, json!({"fake": {"command": "python3", "args": [script(), "dies"]}}));
    let first = slow.call("echo", json!({"text": "x"}));
    assert!(
        first.contains(
            "ended while it was asked: it ended by itself; it said: something is wrong with me [exit code 3]"
        ),
        "{first}"
    );
    let second = slow.call("echo", json!({"text": "x"}));
    assert!(second.contains("ended while it was asked"), "the first restart is at once: {second}");
    let third = slow.call("echo", json!({"text": "x"}));
    assert!(third.contains("failed 2 times") && third.contains("not started again for 5000 s"), "{third}");
    // After its rest it is started again.
    let mut rested = 0;
    for _ in 0..3 {
        while place.call("echo", json!({"text": "x"})).contains("is not started again") {
            rested += 1;
        }
    }
    assert!(rested > 0);
}

fn dies_at_once() {
    let place = Place::scripted("dies-at-once");
    let words = place.call("echo", json!({"text": "x"}));
    assert!(words.contains("could not be started") && words.contains("there is no configuration"), "{words}");
    assert!(words.contains("runs without network"), "{words}");
    let place = Place::with(short(), json!({"fake": {"command": "no-such-program-anywhere"}}));
    let words = place.call("echo", json!({"text": "x"}));
    assert!(words.contains("no-such-program-anywhere") && words.contains("not found"), "{words}");
    let place = Place::with(short(), json!({"fake": {"command": "${NOT_SET_ANYWHERE}"}}));
    let words = place.call("echo", json!({"text": "x"}));
    assert!(words.contains("`NOT_SET_ANYWHERE` is not set"), "{words}");
}

fn lenient() {
    for mode in ["answers-nothing", "answers-null", "answers-tools", "answers-anything", "ends-before-greeting"] {
        let place = Place::scripted(mode);
        assert_eq!(place.call("echo", json!({"text": mode})), mode);
    }
    let place = Place::scripted("greets-with-nothing");
    let words = place.call("echo", json!({"text": "x"}));
    assert!(words.contains("answered `initialize` with what is no greeting, but `{}`"), "{words}");
    assert!(!words.contains("Result"), "{words}");
}

fn mute() {
    let limits = Limits { start: Duration::from_secs(2), ..short() };
    let place = Place::with(limits, json!({"fake": {"command": "python3", "args": [script(), "mute"]}}));
    let words = place.call("echo", json!({"text": "x"}));
    assert!(words.contains("did not greet within 2 s"), "{words}");
}

fn hangs() {
    let hanging = |mode: &str| {
        Place::with(short(), json!({"fake": {"command": "python3", "args": [script(), mode], "timeout": 1000}}))
    };
    for mode in ["hangs", "hangs-deeply"] {
        let place = hanging(mode);
        let words = place.call("echo", json!({"text": "x"}));
        assert!(words.contains("did not answer within 1 s"), "{words}");
        // It does not even answer a ping, so it was ended, and is started anew.
        assert!(place.tools("fake").contains(&"echo".to_string()));
    }
}

fn floods() {
    for (mode, why) in [
        ("floods", ["never stops talking", "wrote more at once"]),
        ("noise", ["are no messages", "wrote more at once"]),
        ("endless-line", ["more than 16 MiB", "wrote more at once"]),
    ] {
        let place = Place::scripted(mode);
        let words = place.call("echo", json!({"text": "x"}));
        assert!(why.iter().any(|it| words.contains(it)), "{mode}: {words}");
        assert!(place.tools("fake").contains(&"echo".to_string()), "it is started again");
    }
}

fn shared() {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().canonicalize().unwrap();
    std::fs::create_dir(root.join("project")).unwrap();
    let text = json!({"mcpServers": {"fake": {"command": "python3", "args": [script(), "shared-mark"]}}}).to_string();
    let of = || {
        let launcher = crate::place::launcher(&root, short());
        ox_mcp::McpServers::new(ox_mcp::parse(&text).unwrap().usable, &launcher)
    };
    let (first, second) = (of(), of());
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let (a, b) = runtime.block_on(async { tokio::join!(first.tools("fake"), second.tools("fake")) });
    assert_eq!(a.unwrap().number, b.unwrap().number, "one list of one server");
    drop(first);
    assert!(runtime.block_on(second.tools("fake")).is_ok());
    drop(second);
    runtime.block_on(async { tokio::task::spawn_blocking(|| wait_for_none("shared-mark")).await.unwrap() });
}

/// A process that asks a server and then waits to be killed.
pub fn session(script: &str) -> ! {
    let place = Place::with(
        short(),
        json!({"fake": {"command": "python3", "args": [crate::place::script(), "plain", script]}}),
    );
    println!("{}", place.call("echo", json!({"text": "ready"})));
    if std::env::var_os("FAKE_END").is_some() {
        drop(place);
        std::process::exit(0);
    }
    loop {
        std::thread::park();
    }
}

fn nothing_left() {
    let mark = format!("mark-{}", std::process::id());
    let begin = |ends: bool| {
        let mut command = Command::new(std::env::current_exe().unwrap());
        command.args(["__session", &mark]).stdout(Stdio::piped());
        if ends {
            command.env("FAKE_END", "1");
        }
        let mut child = command.spawn().unwrap();
        let mut line = String::new();
        std::io::BufRead::read_line(&mut std::io::BufReader::new(child.stdout.as_mut().unwrap()), &mut line).unwrap();
        assert_eq!(line, "ready\n");
        child
    };
    for _ in 0..100 {
        assert!(begin(true).wait().unwrap().success());
        let mut killed = begin(false);
        killed.kill().unwrap();
        killed.wait().unwrap();
    }
    wait_for_none(&mark);
}
