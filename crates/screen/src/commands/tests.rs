//! What typed lines mean, and what is listed.

use super::*;

#[test]
fn lines_are_understood() {
    let cases = [
        ("  ", Typed::Nothing),
        ("fix the test", Typed::Prompt("fix the test".to_string())),
        ("/mode plan", Typed::Mode(Some(Mode::Plan))),
        ("/mode", Typed::Mode(None)),
        ("/mode fast", Typed::BadMode("fast".to_string())),
        ("/effort", Typed::Effort),
        ("/effort high", Typed::SetEffort(Some(Effort::High))),
        ("/effort default", Typed::SetEffort(None)),
        ("/effort much", Typed::BadEffort("much".to_string())),
        ("/model  x/y ", Typed::Model(Some("x/y".to_string()))),
        ("/resume 2026", Typed::Resume(Some("2026".to_string()))),
        ("/rewind", Typed::Rewind(None, Back::Both, Over::Ask)),
        ("/rewind 3", Typed::Rewind(Some(3), Back::Both, Over::Ask)),
        ("/rewind 3 keep", Typed::Rewind(Some(3), Back::Both, Over::Keep)),
        ("/rewind 3 files", Typed::Rewind(Some(3), Back::Files, Over::Ask)),
        ("/rewind 3 files keep", Typed::Rewind(Some(3), Back::Files, Over::Keep)),
        ("/rewind 3 conversation", Typed::Rewind(Some(3), Back::Conversation, Over::Ask)),
        ("/rewind 3 all", Typed::BadOver("all".to_string())),
        ("/undo", Typed::Undo(Over::Ask)),
        ("/undo force", Typed::Undo(Over::Force)),
        ("/undo 3", Typed::BadOver("3".to_string())),
        ("/rewind x", Typed::BadTurn("x".to_string())),
        ("/clear", Typed::Clear),
        ("/add", Typed::Files),
        ("/add src/a.rs:3-9 @b.rs 'c d.rs'", Typed::Add(vec!["src/a.rs:3-9".into(), "b.rs".into(), "c d.rs".into()])),
        ("/drop", Typed::Drop(Vec::new())),
        ("/exclude vendor/** it's.rs", Typed::Exclude(vec!["vendor/**".into(), "it's.rs".into()])),
        ("/include", Typed::Include(Vec::new())),
        ("/new", Typed::New),
        ("/quit", Typed::Exit),
        ("/plugin add 'my plugin'", Typed::Own(vec!["plugin".into(), "add".into(), "my plugin".into()])),
        ("/hooks", Typed::Own(vec!["plugin".into(), "list".into(), "hooks".into()])),
        ("/nope", Typed::Unknown("/nope".to_string())),
        ("/accept", Typed::Own(vec!["accept".into()])),
        ("/etc/hosts is wrong", Typed::Prompt("/etc/hosts is wrong".to_string())),
        ("!ls -l", Typed::Shell("ls -l".to_string())),
        ("# use tabs", Typed::Remember("use tabs".to_string())),
        ("#12 is open", Typed::Prompt("#12 is open".to_string())),
        ("# Goal\nDo it.", Typed::Prompt("# Goal\nDo it.".to_string())),
        ("#", Typed::Prompt("#".to_string())),
    ];
    for (line, expected) in cases {
        assert_eq!(parse(line), expected, "{line}");
    }
}

#[test]
fn help_lists_every_command_once() {
    let listed: Vec<&str> = GROUPS.iter().flat_map(|it| it.1.split(' ')).collect();
    let all: Vec<&str> = COMMANDS.iter().chain(&inside::COMMANDS).map(|it| it.0).collect();
    assert_eq!(listed.len(), all.len());
    assert!(all.iter().all(|it| listed.contains(it)), "{all:?} {listed:?}");
    for columns in [49, 79] {
        let look = Look { live: true, ..Look::new(ox_protocol::locale::Language::En, columns) };
        let text = help(&look, &[]).iter().map(|it| it.text() + "\n").collect::<String>();
        assert!(text.lines().filter(|it| it.starts_with("  /")).all(|it| it.contains("  ")), "{text}");
        let starts = |it: &str| it.split("  ").nth(2).is_none_or(|it| !it.trim().starts_with(char::is_lowercase));
        assert!(text.lines().all(starts), "{text}");
    }
}

#[test]
fn what_is_mistyped_has_a_nearest() {
    let (listed, _) = menu(&Look::new(ox_protocol::locale::Language::En, 79));
    for (written, near) in [("/modle", Some("/model")), ("/udno", Some("/undo")), ("/xyzzyplugh", None)] {
        assert_eq!(nearest(written, &listed), near, "{written}");
    }
}

#[test]
fn every_offered_command_is_understood() {
    for (name, ..) in COMMANDS.iter().chain(&inside::COMMANDS) {
        assert!(!matches!(parse(name), Typed::Unknown(_) | Typed::Prompt(_)), "{name}");
    }
}
