//! What is recorded is replayed, and what diverges is named.

use std::io::BufReader;
use std::sync::{Arc, Mutex};

use expect_test::expect;
use ox_protocol::{CallId, Failure, FailureKind, Image, Message, Part, Reasoning, Role};
use proptest::prelude::*;
use serde_json::json;

use super::entry::{Answer, Entry, RecordedPiece, RecordedRequest, Secrets, read};
use super::*;
use crate::model::{Model, Piece, RawCall, Reply, Request};
use crate::offline::scripted::{Scripted, parse_script};
use crate::sample;

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
    second.messages.push(Message::text(Role::Assistant, "I will look").into());
    second.messages.push(Message::text(Role::User, "in /old/project").into());
    vec![first, second.clone(), second]
}

async fn recorded(path: &std::path::Path) -> Vec<Played> {
    let head = Head { root: "/old/project".into(), ..Head::default() };
    let recorder = Recorder::create(path, head).unwrap();
    let scripted = recorder.around(Arc::new(Scripted::new(parse_script(SCRIPT))), Some("look around".into()));
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
    let recorder = Recorder::create(&path, Head::default()).unwrap();
    let script = || Arc::new(Scripted::new(parse_script("-- model --\nDone.\n")));
    let manual = crate::offline::manual::Manual::folder(folder.path()).unwrap().named("manual/spare", None);
    let (asked, _opened) = (recorder.around(script(), None), recorder.around(Arc::new(manual), None));
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
    changed.messages[5] = Message::text(Role::User, "in a hurry").into();
    expect![[r#"
        request 1 is not among the recorded ones; the nearest is request 2 (line 3 of the cassette), which differs in
        message 6 (user), text
          recorded: in /old/project
          now:      in a hurry"#]]
    .assert_eq(&failed(&strict(), &changed).await);
    let lenient = open(&text, Match::Lenient).unwrap();
    let failure = play(&lenient, &[changed.clone()]).await.remove(0).0.unwrap_err();
    assert_eq!(failure.kind, FailureKind::Overloaded, "the recorded failure, not a difference");
    changed.messages.push(Message { role: Role::Tool, parts: vec![Part::text("x")] }.into());
    expect![[r#"
        request 2 is not among the recorded ones; the nearest is request 3 (line 4 of the cassette), which differs in
        message 7
          recorded: (no message)
          now:      tool: x"#]]
    .assert_eq(&failed(&lenient, &changed).await);

    let mut other = sample::conversation();
    if let Part::Result { text, .. } = &mut Arc::make_mut(&mut other.messages[2]).parts[1] {
        *text = "2 tests failed".into();
    }
    expect![[r#"
        request 1 is not among the recorded ones; the nearest is request 1 (line 2 of the cassette), which differs in
        message 3 (tool), part 2, result of run_checks
          recorded: 1 test failed
          now:      2 tests failed"#]]
    .assert_eq(&failed(&strict(), &other).await);
    let mut other = sample::conversation();
    other.tools[1].description = "Does nothing.".into();
    expect![[r#"
        request 1 is not among the recorded ones; the nearest is request 1 (line 2 of the cassette), which differs in
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
    let text = text.replace("\"in /old/project\"", "\"`project` in /old/project\"");
    let replay = open(&text, Match::Exact).unwrap().at("/new");
    let mut moved = requests();
    moved[1].messages[5] = Message::text(Role::User, "`new` in /new").into();
    moved[2].messages[5] = Message::text(Role::User, "`new` in /new").into();
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
    let then = ReplayThenLive::new(replay.clone(), live, 2);
    assert!(!then.is_live());
    let played = play(&then, &requests()[..2]).await;
    assert_eq!(played[1].0.as_ref().unwrap().text, "Live.");
    assert!(then.is_live() && replay.left().is_some_and(|it| it.0 == 2));
    assert_eq!((then.answered(), then.live().name.as_str()), ((2, 1), "scripted/script"));
}

#[test]
fn what_is_no_cassette_of_this_version_is_refused_with_its_reason() {
    let again = "and this Ox reads version 3; record it again, with `ox record ID` from the stored conversation";
    let cases = [
        ("", "it is empty".to_string()),
        ("hello\n", "it is no cassette: its first line must begin with `{\"ox_cassette\":3`, not `hello`".to_string()),
        ("ox-cassette 2\n{}\n", format!("it has version 2, {again}")),
        ("{\"ox_cassette\":1}\n", format!("it has version 1, {again}")),
        ("{\"ox_cassette\":9}\n", "it has version 9, and this Ox reads version 3; update Ox".to_string()),
    ];
    for (text, expected) in cases {
        assert_eq!(open(text, Match::Exact).unwrap_err(), expected);
    }
    let head = open("{\"ox_cassette\":3,\"root\":7}", Match::Exact).unwrap_err();
    assert!(head.starts_with("its head is not JSON that Ox knows: "), "{head}");
    // What a later Ox of this version adds is passed over.
    assert!(open("{\"ox_cassette\":3,\"new\":1}\n", Match::Exact).unwrap().is_empty());
}

fn entries(text: &str) -> Vec<Entry> {
    read(text).unwrap_or_else(|why| panic!("{why}\n{text}")).1
}

fn one(request: &Request, reply: Reply) -> String {
    to_cassette(&Head::default(), &[(request.clone(), Ok(reply))], &[])
}

#[test]
fn a_cassette_holds_what_is_new_in_each_request() {
    let mut first = Request { system: "You are Ox.".into(), ..Request::default() };
    first.tools = vec![sample::tool("read_file", "path")];
    first.messages =
        vec![Message { role: Role::User, parts: vec![Part::text("<tree/>"), Part::text("Fix it.")] }.into()];
    let mut second = first.clone();
    second.messages.push(Message::text(Role::Assistant, "I look.").into());
    let asks = Reply {
        text: "I look at all of it.".into(),
        calls: vec![RawCall { name: "read_file".into(), args: "{\"path\": \"a.rs\"}".into() }],
        ..Reply::default()
    };
    let slow = Failure {
        kind: FailureKind::Overloaded,
        status: Some(529),
        message: "Overloaded".into(),
        retry_after_ms: None,
        partial: String::new(),
    };
    let written = to_cassette(&Head::default(), &[(first, Ok(asks)), (second, Err(slow))], &[]);
    let (_, lines) = written.split_once('\n').unwrap();
    expect![[r#"
        {"request":{"tool_choice":"auto","system":"You are Ox.","tools":[{"name":"read_file","description":"Does read_file.","schema":{"type":"object","properties":{"path":{"type":"string"}},"required":["path"]}}],"messages":[{"role":"user","parts":[{"part":"text","text":"<tree/>"},{"part":"text","text":"Fix it."}]}]},"pieces":[{"text":"I look at al"},{"text":"l of it."}],"reply":{"text":"I look at all of it.","calls":[{"name":"read_file","args":"{\"path\": \"a.rs\"}"}],"finish":"stop"}}
        {"request":{"keeps":1,"of":1,"tool_choice":"auto","messages":[{"role":"assistant","parts":[{"part":"text","text":"I look."}]}]},"failure":{"kind":"overloaded","status":529,"message":"Overloaded"}}
    "#]].assert_eq(lines);
}

#[test]
fn a_person_may_change_it() {
    let reply = Reply { text: "The sign was wrong.".into(), ..Reply::default() };
    let written = one(&sample::conversation(), reply);
    // The reply's text, without another thought for the pieces; line ends of another system.
    let changed = written.replace("\"text\":\"The sign was wrong.\"", "\"text\":\"The sum was wrong.\"");
    let read = entries(&changed.replace('\n', "\r\n"));
    assert_eq!(read[0].request, RecordedRequest::of(&sample::conversation(), &Secrets::default()));
    let shown: String = read[0]
        .answer
        .pieces
        .iter()
        .map(|it| match it {
            RecordedPiece::Text(text) | RecordedPiece::Thinking(text) => text.as_str(),
        })
        .collect();
    assert_eq!(
        (read[0].answer.done.as_ref().unwrap().text.as_str(), shown.as_str()),
        ("The sum was wrong.", "The sum was wrong.")
    );
}

#[test]
fn mistakes_are_named_by_their_line() {
    let good = one(&sample::conversation(), Reply { text: "x".into(), ..Reply::default() });
    let cases = [
        ("\"reply\":{", "\"replay\":{", "line 2: this request has neither one reply nor one failure"),
        ("\"tool_choice\":\"auto\"", "\"tool_choice\":auto", "line 2: expected value"),
        ("{\"tool_choice\"", "{\"of\":4,\"tool_choice\"", "line 2: there is no request 4 before this one"),
        ("{\"tool_choice\"", "{\"keeps\":4,\"tool_choice\"", "line 2: request 0 has only 0 messages to keep"),
    ];
    for (old, new, expected) in cases {
        let why = read(&good.replacen(old, new, 1)).map(|_| ()).expect_err(new);
        assert!(why.starts_with(expected), "{why} | {expected}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]
    #[test]
    fn whatever_is_said_is_read_again(
        said in proptest::collection::vec((any::<String>(), any::<String>(), any::<String>(), any::<bool>()), 1..4),
        answer in any::<String>(), thought in any::<String>(), name in any::<String>(), fails in any::<bool>(),
    ) {
        let message = |(text, name, more, ok): &(String, String, String, bool)| {
            let id = CallId(more.clone());
            let picture = Image { media_type: "image/png".into(), data: "iVBORw0=".into(), name: name.clone() };
            let parts = vec![
                Part::Text { text: text.clone() },
                Part::Reasoning { reasoning: Reasoning { text: more.clone(), opaque: Some(json!([text])) } },
                Part::Call { id: id.clone(), name: name.clone(), args: json!({name.as_str(): text}) },
                Part::Result { id, name: name.clone(), ok: *ok, text: more.clone(), images: vec![picture.clone()] },
                Part::Image { image: picture },
            ];
            Arc::new(Message { role: Role::User, parts })
        };
        let request = Request { system: thought.clone(), messages: said.iter().map(message).collect(), ..Request::default() };
        let reply = Reply { text: answer.clone(), calls: vec![RawCall { name, args: thought.clone() }], ..Reply::default() };
        let failure = Failure {
            kind: FailureKind::Cut, status: None, message: thought.clone(), retry_after_ms: Some(7), partial: answer.clone(),
        };
        let done = if fails { Err(failure) } else { Ok(reply) };
        let written = to_cassette(&Head::default(), &[(request.clone(), done.clone()), (request.clone(), done.clone())], &[]);
        let read = entries(&written);
        prop_assert_eq!(read.len(), 2);
        let secrets = Secrets::default();
        for entry in read {
            prop_assert_eq!(&entry.request, &RecordedRequest::of(&request, &secrets));
            if secrets.hide(&answer) == answer && secrets.hide(&thought) == thought {
                prop_assert_eq!(&entry.answer, &Answer::whole(done.clone()));
            }
        }
    }
}
