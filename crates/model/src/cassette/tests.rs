//! What is recorded is replayed, and what diverges is named.

use std::io::BufReader;
use std::sync::{Arc, Mutex};

use expect_test::expect;
use ox_protocol::{Failure, FailureKind, Message, Part, Role};

use super::*;
use crate::sample;
use crate::scripted::{Scripted, parse_script};
use crate::{Model, Piece};

const SCRIPT: &str = "-- model --\n@@think Hm.\nI will look around here. The key is sk-abcdefgh12345.\n@read_file\npath: a.rs\n-- model: fail 529 slow --\n-- model --\nDone.\n";

type Played = (Result<Reply, Failure>, Vec<String>);

async fn play(model: &dyn Model, requests: &[Request]) -> Vec<Played> {
    let mut played = Vec::new();
    for request in requests {
        let pieces = Mutex::new(Vec::new());
        let show = |piece: Piece<'_>| pieces.lock().unwrap().push(format!("{piece:?}"));
        let done = model.ask(request, &show).await;
        played.push((done, pieces.into_inner().unwrap()));
    }
    played
}

fn requests() -> Vec<Request> {
    let first = sample::conversation();
    let mut second = first.clone();
    second.messages.push(Message::text(Role::Assistant, "I will look"));
    second.messages.push(Message::text(Role::User, "in /old/project"));
    vec![first, second.clone(), second]
}

async fn recorded(path: &std::path::Path) -> Vec<Played> {
    let head = Head { root: "/old/project".into(), ..Head::default() };
    let tape = Tape::create(path, head).unwrap();
    let scripted = tape.around(Arc::new(Scripted::new(parse_script(SCRIPT))), Some("look around".into()));
    play(scripted.as_ref(), &requests()).await
}

fn open(text: &str, matching: Match) -> Result<Replay, String> {
    Replay::read(BufReader::new(text.as_bytes()), matching)
}

async fn failed(replay: &Replay, request: &Request) -> String {
    let failure = play(replay, std::slice::from_ref(request)).await.remove(0).0.unwrap_err();
    assert_eq!(failure.kind, FailureKind::Script);
    failure.message
}

#[tokio::test]
async fn the_head_names_the_first_model_that_is_asked() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.cassette");
    let tape = Tape::create(&path, Head::default()).unwrap();
    let script = || Arc::new(Scripted::new(parse_script("-- model --\nDone.\n")));
    let manual = crate::manual::Manual::folder(folder.path()).unwrap().named("manual/spare", None);
    let (asked, _opened) = (tape.around(script(), None), tape.around(Arc::new(manual), None));
    play(asked.as_ref(), &requests()[..1]).await;
    assert_eq!(Replay::open(&path, Match::Exact).unwrap().facts().name, script().facts().name);
}

#[tokio::test]
async fn what_was_recorded_is_replayed_piece_by_piece() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.cassette");
    let first = recorded(&path).await;
    let text = std::fs::read_to_string(&path).unwrap();
    assert!(!text.contains("abcdefgh12345") && !text.contains("around"), "a secret was recorded: {text}");
    assert_eq!(text.matches("You are Ox.").count(), 1, "the system prompt stands there once");
    let replay = Replay::open(&path, Match::Exact).unwrap();
    assert_eq!((replay.len(), replay.left().map(|it| it.0)), (3, Some(3)));
    let again = play(&replay, &requests()).await;
    assert_eq!(again[1], first[1]);
    assert_eq!(again[0].0.as_ref().unwrap().calls, first[0].0.as_ref().unwrap().calls);
    assert_eq!(again[2], first[2]);
    assert_eq!(replay.left(), None);
    assert!(failed(&replay, &requests()[2]).await.contains("it has 3 replies and the model was asked once more"));
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    }
}

#[tokio::test]
async fn requests_are_found_by_what_they_say() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.cassette");
    let first = recorded(&path).await;
    let replay = Replay::open(&path, Match::Exact).unwrap();
    let [one, two, three] = requests().try_into().unwrap();
    // The later requests come first; the two that are equal are answered in their order.
    let again = play(&replay, &[two, three, one]).await;
    assert_eq!((&again[0], &again[1]), (&first[1], &first[2]));
    assert_eq!(again[2].0.as_ref().unwrap().finish, first[0].0.as_ref().unwrap().finish);
}

#[tokio::test]
async fn the_first_difference_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.cassette");
    recorded(&path).await;
    let text = std::fs::read_to_string(&path).unwrap();
    let strict = || open(&text, Match::Exact).unwrap();
    let mut changed = requests().remove(1);
    changed.messages[5] = Message::text(Role::User, "in a hurry");
    expect![[r#"
        request 1 is not among the recorded ones; the nearest is request 2 (line 56 of the cassette), which differs in
        message 6 (user), text
          recorded: in /old/project
          now:      in a hurry"#]]
    .assert_eq(&failed(&strict(), &changed).await);
    let lenient = open(&text, Match::Lenient).unwrap();
    let failure = play(&lenient, &[changed.clone()]).await.remove(0).0.unwrap_err();
    assert_eq!(failure.kind, FailureKind::Overloaded, "the recorded failure, not a difference");
    changed.messages.push(Message { role: Role::Tool, parts: vec![Part::text("x")] });
    expect![[r#"
        request 2 is not among the recorded ones; the nearest is request 3 (line 65 of the cassette), which differs in
        message 7
          recorded: (no message)
          now:      tool: x"#]]
    .assert_eq(&failed(&lenient, &changed).await);

    let mut other = sample::conversation();
    if let Part::Result { text, .. } = &mut other.messages[2].parts[1] {
        *text = "2 tests failed".into();
    }
    expect![[r#"
        request 1 is not among the recorded ones; the nearest is request 1 (line 14 of the cassette), which differs in
        message 3 (tool), part 2, result of run_checks
          recorded: 1 test failed
          now:      2 tests failed"#]]
    .assert_eq(&failed(&strict(), &other).await);
    let mut other = sample::conversation();
    other.tools[1].description = "Does nothing.".into();
    expect![[r#"
        request 1 is not among the recorded ones; the nearest is request 1 (line 14 of the cassette), which differs in
        tool run_checks, description
          recorded: Does run_checks.
          now:      Does nothing."#]]
    .assert_eq(&failed(&strict(), &other).await);
}

#[tokio::test]
async fn another_folder_is_another_name_for_the_project() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.cassette");
    recorded(&path).await;
    let text = std::fs::read_to_string(&path).unwrap().replace("Done.", "Done in /old/project.");
    let replay = open(&text, Match::Exact).unwrap().at("/new");
    let mut moved = requests();
    moved[1].messages[5] = Message::text(Role::User, "in /new");
    moved[2].messages[5] = Message::text(Role::User, "in /new");
    let played = play(&replay, &moved).await;
    assert_eq!(played[2].0.as_ref().unwrap().text, "Done in /new.");
    assert_eq!(open(&text, Match::Exact).unwrap().at("/new").next_prompt().unwrap().1.len(), 1);
}

#[tokio::test]
async fn after_its_iterations_the_live_model_is_asked() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.cassette");
    recorded(&path).await;
    let replay = Arc::new(Replay::open(&path, Match::Exact).unwrap());
    let live = Arc::new(Scripted::new(parse_script("-- model --\nLive.\n")));
    let then = Then::new(replay.clone(), live, 2);
    assert!(!then.is_live());
    let played = play(&then, &requests()[..2]).await;
    assert_eq!(played[1].0.as_ref().unwrap().text, "Live.");
    assert!(then.is_live() && replay.left().is_some_and(|it| it.0 == 2));
    assert_eq!((then.answered(), then.live().name.as_str()), ((2, 1), "scripted/script"));
}

#[tokio::test]
async fn the_first_version_is_still_read() {
    let old = concat!(
        r#"{"ox_cassette":1,"model":{"name":"a/b","window":1000,"max_output":100,"tools":"native"}}"#,
        "\n",
        r#"{"request":{"system":"S","tools":["read_file"],"tool_choice":"auto","messages":1,"new":[{"role":"user","parts":[{"part":"text","text":"hi"}]}]},"pieces":[{"text":"He"},{"text":"llo"}],"reply":{"text":"Hello","finish":"stop"}}"#,
        "\n",
        r#"{"request":{"tool_choice":"auto","messages":2,"new":[{"role":"user","parts":[{"part":"text","text":"more"}]}]},"pieces":[],"failure":{"kind":"server","message":"no"}}"#,
        "\n",
    );
    let replay = open(old, Match::Exact).unwrap();
    let mut request = Request { tools: vec![sample::tool("read_file", "path")], ..Request::default() };
    request.messages.push(Message::text(Role::User, "hi"));
    let mut more = request.clone();
    more.messages.push(Message::text(Role::User, "more"));
    let played = play(&replay, &[request, more]).await;
    assert_eq!(played[0].1, [r#"Text("He")"#, r#"Text("llo")"#]);
    assert_eq!(played[1].0.as_ref().unwrap_err().message, "no");
    assert_eq!(replay.facts().name, "a/b");
}

#[test]
fn what_is_no_cassette_of_this_version_is_refused_with_its_reason() {
    let cases = [
        ("", "it is empty"),
        ("hello\n", "it is no cassette: its first line must be `ox-cassette 2`, not `hello`"),
        ("ox-cassette 3\n{}\n", "it has version 3, and this Ox reads up to 2; update Ox, or record it anew"),
        ("{\"ox_cassette\":9}\n", "it has version 9, and this Ox reads up to 2; update Ox, or record it anew"),
        ("ox-cassette 2\n{\n", "its head is not JSON that Ox knows: EOF while parsing an object at line 2 column 1"),
    ];
    for (text, expected) in cases {
        assert_eq!(open(text, Match::Exact).unwrap_err(), expected);
    }
    // What a later Ox of this version adds is passed over.
    assert!(open("ox-cassette 2\n{\"new\":1}\n", Match::Exact).unwrap().is_empty());
}
