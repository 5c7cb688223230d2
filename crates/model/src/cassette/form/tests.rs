//! What is written is read again, letter by letter, and looks as a person would want it.

use expect_test::expect;
use ox_protocol::{CallId, Failure, FailureKind, Finish, Image, Message, Part, Reasoning, Role, Tokens, Usage};
use proptest::prelude::*;
use serde_json::json;

use super::super::{Asked, Head, Heard, Recorded, Secrets, cut_anew};
use super::{Writer, head, read};
use crate::{RawCall, Reply, Request, sample};

fn text(entries: &[(Request, Heard)]) -> String {
    let mut writer = Writer::default();
    let entries = entries.iter().map(|(asked, heard)| writer.entry(asked, heard, "", &Secrets::default()));
    head(&Head::default()) + &entries.collect::<String>()
}

fn again(text: &str) -> Vec<(Asked, Heard)> {
    let (_, rest) = text.split_once('\n').unwrap();
    read(rest).unwrap_or_else(|why| panic!("{why}\n{text}")).1.into_iter().map(|it| (it.asked, it.heard)).collect()
}

fn reply(text: &str) -> Reply {
    Reply { text: text.into(), ..Reply::default() }
}

fn heard(reply: Reply) -> Heard {
    Heard { pieces: cut_anew("", &reply.text), done: Ok(reply) }
}

#[test]
fn a_cassette_reads_like_a_conversation() {
    let mut first = Request { system: "You are Ox.".into(), ..Request::default() };
    first.tools = vec![sample::tool("read_file", "path")];
    first.messages =
        vec![Message { role: Role::User, parts: vec![Part::text("<tree>\na.rs\n</tree>"), Part::text("Fix it.")] }];
    let mut second = first.clone();
    let call = Part::Call { id: CallId("call_7_0".into()), name: "read_file".into(), args: json!({"path": "a.rs"}) };
    second.messages.push(Message { role: Role::Assistant, parts: vec![Part::text("I look."), call] });
    let result = Part::Result {
        id: CallId("call_7_0".into()),
        name: "read_file".into(),
        ok: true,
        text: "1 fn a() {}\n-- not a section --\n".into(),
        images: Vec::new(),
    };
    second.messages.push(Message { role: Role::Tool, parts: vec![result] });
    let asks = Reply {
        text: "I look.".into(),
        calls: vec![RawCall { name: "read_file".into(), args: "{\"path\": \"a.rs\"}".into() }],
        finish: Finish::Calls,
        usage: Some(Usage { input: Tokens(12), output: Tokens(3), ..Usage::default() }),
        ..Reply::default()
    };
    let streamed = Heard {
        pieces: vec![Recorded::Thinking("Hm.".into()), Recorded::Text("I ".into()), Recorded::Text("look.".into())],
        done: Ok(asks),
    };
    let slow = Failure {
        kind: FailureKind::Overloaded,
        status: Some(529),
        message: "Overloaded".into(),
        retry_after_ms: None,
        partial: String::new(),
    };
    let slow = Heard { pieces: Vec::new(), done: Err(slow) };
    let all = [(first, streamed), (second.clone(), slow), (second, heard(reply("Done.")))];
    let written = text(&all);
    let (_, entries) = written.split_once("\n\n").unwrap();
    expect![[r#"
        -- request 1 --
        {"choice":"auto"}
        -- system --
        You are Ox.
        -- tools --
        {"name":"read_file","description":"Does read_file.","schema":{"type":"object","properties":{"path":{"type":"string"}},"required":["path"]}}
        -- user --
        <tree>
        a.rs
        </tree>
        -- text --
        Fix it.
        -- reply --
        {"finish":"calls","usage":{"input":12,"cache_read":0,"cache_write":0,"output":3,"reasoning":0},"pieces":[{"thinking":[3]},{"text":[2,5]}]}
        -- thinking --
        Hm.
        -- text --
        I look.
        -- call read_file --
        {"path": "a.rs"}

        -- request 2 --
        {"keeps":1,"of":1,"choice":"auto"}
        -- assistant --
        I look.
        -- call read_file call_7_0 --
        {"path":"a.rs"}
        -- tool --
        -- result read_file call_7_0 ok --
        1 fn a() {}
        \-- not a section --

        -- failure --
        {"kind":"overloaded","status":529,"message":"Overloaded"}

        -- request 3 --
        {"keeps":3,"of":2,"choice":"auto"}
        -- reply --
        {"finish":"stop","pieces":[{"text":[5]}]}
        -- text --
        Done.
    "#]]
    .assert_eq(entries);
    let read = again(&written);
    assert_eq!(read.len(), 3);
    for ((asked, heard), (was_asked, was_heard)) in read.iter().zip(&all) {
        assert_eq!(*asked, Asked::of(was_asked, &Secrets::default()));
        assert_eq!(heard, was_heard);
    }
}

#[test]
fn a_person_may_change_it() {
    let written = text(&[(sample::conversation(), heard(reply("The sign was wrong.")))]);
    // Another text, without another thought for the lengths; line ends of another system.
    let changed =
        written.replace("The sign was wrong.", "The sum was wrong,\nand now it is right.").replace('\n', "\r\n");
    let read = again(&changed);
    let (asked, heard) = &read[0];
    assert_eq!(*asked, Asked::of(&sample::conversation(), &Secrets::default()));
    assert_eq!(heard.done.as_ref().unwrap().text, "The sum was wrong,\nand now it is right.");
    let shown: String = heard.pieces.iter().map(Recorded::text).collect();
    assert_eq!(shown, "The sum was wrong,\nand now it is right.");
}

#[test]
fn mistakes_are_named_by_their_line() {
    let good = text(&[(sample::conversation(), heard(reply("x")))]);
    let (_, body) = good.split_once('\n').unwrap();
    let line = |name: &str| good.lines().position(|it| it == name).unwrap() + 1;
    let cases = [
        (
            "-- reply --",
            "-- replay --",
            format!("line {}: there is no section `replay` in a request", line("-- reply --")),
        ),
        ("-- user --", "-- user", "line".to_string()),
        ("\"choice\":\"auto\"", "\"choice\":auto", "line".to_string()),
        ("{\"choice\"", "{\"of\":4,\"choice\"", "there is no request 4 before this one".to_string()),
    ];
    for (old, new, expected) in cases {
        let why = read(&body.replacen(old, new, 1)).map(|_| ());
        // A header that is not closed belongs to the text above it.
        if old == "-- user --" {
            continue;
        }
        let why = why.expect_err(new);
        assert!(why.contains(&expected), "{why} | {expected}");
    }
    let (unanswered, _) = body.split_once("-- reply --").unwrap();
    assert!(read(unanswered).unwrap_err().contains("this request has no answer"));
}

fn words() -> impl Strategy<Value = String> {
    prop_oneof![
        "[a-z \n\\-\\\\]{0,40}",
        Just("-- reply --\n\\-- user --\n\n".to_string()),
        any::<String>(),
        Just(String::new()),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]
    #[test]
    fn whatever_is_said_is_read_again(
        said in proptest::collection::vec((words(), words(), words(), any::<bool>()), 1..4),
        answer in words(), thought in words(), name in words(), fails in any::<bool>(),
    ) {
        let message = |(text, name, more, ok): &(String, String, String, bool)| {
            let id = CallId(more.clone());
            let picture = Image { media_type: "image/png".into(), data: "iVBORw0=".into(), name: name.clone() };
            let mut parts = vec![
                Part::Reasoning { reasoning: Reasoning { text: more.clone(), opaque: Some(json!([text])) } },
                Part::Call { id: id.clone(), name: name.clone(), args: json!({name.as_str(): text}) },
                Part::Result { id, name: name.clone(), ok: *ok, text: more.clone(), images: vec![picture.clone()] },
                Part::Text { text: more.clone() },
                Part::Image { image: picture },
            ];
            if !text.is_empty() {
                parts.insert(0, Part::Text { text: text.clone() });
            }
            Message { role: Role::User, parts }
        };
        let request = Request { system: thought.clone(), messages: said.iter().map(message).collect(), ..Request::default() };
        let reply = Reply { text: answer.clone(), calls: vec![RawCall { name, args: thought.clone() }], ..Reply::default() };
        let failure = Failure {
            kind: FailureKind::Cut, status: None, message: thought.clone(), retry_after_ms: Some(7), partial: answer.clone(),
        };
        let heard = Heard { pieces: cut_anew(&thought, &answer), done: if fails { Err(failure) } else { Ok(reply) } };
        let secrets = Secrets::default();
        let mut writer = Writer::default();
        let written = head(&Head::default()) + &writer.entry(&request, &heard, "", &secrets)
            + &writer.entry(&request, &heard, "", &secrets);
        let read = again(&written);
        prop_assert_eq!(read.len(), 2);
        for (asked, it) in read {
            prop_assert_eq!(&asked, &Asked::of(&request, &secrets));
            if secrets.hide(&answer) == answer && secrets.hide(&thought) == thought {
                prop_assert_eq!(&it, &heard);
            }
        }
    }
}
