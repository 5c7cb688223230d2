//! Lists as they look on screens of three sizes, and what keys do in them.

use std::collections::BTreeMap;

use expect_test::{Expect, expect, expect_file};
use ox_app::conversations::listed::Listed;
use ox_app::conversations::stored::Info;
use ox_client::view::PastTurn;
use ox_protocol::locale::Language;
use ox_protocol::{ConversationId, FileChange, Money, Seq, Stop, Time, Tokens};

use super::*;
use crate::report::Look;

const NOW: Time = Time(1_700_000_000_000);

fn look(columns: usize) -> Look {
    Look { live: true, ..Look::new(Language::En, columns - 1) }
}

fn shown(picker: &Picker, look: &Look, columns: usize, rows: usize) -> String {
    let live = picker.live(look, columns - 1, rows);
    assert!(live.lines.len() < rows, "{} lines on {rows} rows", live.lines.len());
    for line in &live.lines {
        let wide = crate::text::width(&line.text());
        assert!(wide < columns, "{wide} columns of {columns}: {}", line.text());
    }
    let cursor = live.cursor.map(|it| format!("cursor {},{}\n", it.0, it.1)).unwrap_or_default();
    live.lines.iter().map(|it| it.text().trim_end().to_string() + "\n").collect::<String>() + &cursor
}

fn press(code: KeyCode) -> KeyEvent {
    KeyEvent::new(code, KeyModifiers::NONE)
}

fn control(c: char) -> KeyEvent {
    KeyEvent::new(KeyCode::Char(c), KeyModifiers::CONTROL)
}

fn types(picker: &mut Picker, text: &str) {
    text.chars().for_each(|c| drop(picker.key(press(KeyCode::Char(c)))));
}

fn listed(id: &str, ago: u64, prompt: &str, stop: Option<Stop>, cost: Option<u64>) -> Listed {
    let info = Info {
        id: ConversationId(id.into()),
        root: "/p".into(),
        project: String::new(),
        name: None,
        prompt: prompt.into(),
        created: NOW,
        updated: Time(NOW.0 - ago * 1_000),
        turns: 1 + (ago % 4) as u32,
        stop,
        cost: cost.map(Money),
        tokens: Tokens(1),
        last: Seq(9),
        version: 1,
    };
    Listed {
        branch: if cost.is_some() { "fix/the-rounding-of-money".to_string() } else { "main".to_string() },
        info,
        prompt: format!("{prompt}, and then run the tests"),
        reply: "Done: **two** files.\n\n- a\n- b".into(),
    }
}

fn conversations() -> Vec<Listed> {
    let mut all = vec![
        listed("20261101-a", 90, "Fix the failing test of the parser", Some(Stop::Done), Some(123_456)),
        listed(
            "20261101-b",
            4_000,
            "Rename the module 解析器 to parser 并更新文档和所有的测试用例",
            Some(Stop::Failed),
            None,
        ),
        listed("20261101-c", 90_000, "Why is it slow?", None, Some(900)),
        listed(
            "20261101-d",
            900_000,
            "Add a flag --verbose to every command, with a test for each",
            Some(Stop::Interrupted),
            Some(1_250_000),
        ),
    ];
    all.extend(
        (0..20).map(|at| listed(&format!("x{at}"), 1_000_000 + at, &format!("Old task {at}"), Some(Stop::Done), None)),
    );
    all
}

fn conversation_picker(look: &Look) -> Picker {
    let running = BTreeMap::from([(ConversationId("20261101-c".into()), super::conversations::Live::Waiting)]);
    let all = conversations();
    let here = ConversationId("20261101-a".into());
    let mut picker = super::conversations::picker(look, super::conversations::rows(look, &all, &running, &here, NOW));
    while let Some(id) = picker.wants_preview() {
        let one = all.iter().find(|it| it.info.id.0 == id).unwrap();
        picker.preview(&id, super::conversations::preview(look, one));
    }
    picker
}

#[test]
fn conversations_on_three_screens() {
    let mut out = String::new();
    for (columns, rows) in [(50, 15), (80, 24), (120, 40)] {
        let look = look(columns);
        out += &format!("== {columns}×{rows}\n{}", shown(&conversation_picker(&look), &look, columns, rows));
    }
    expect_file!["snapshots/conversations.txt"].assert_eq(&out);
}

#[test]
fn a_screen_of_any_size_is_enough() {
    for columns in [20, 33, 50, 79, 111, 200] {
        let look = look(columns);
        for rows in 4..40 {
            shown(&conversation_picker(&look), &look, columns, rows);
        }
    }
}

fn turns() -> Vec<PastTurn> {
    let turn = |number: u32, prompt: &str, files: &[&str]| PastTurn {
        number,
        began: Time(NOW.0 - u64::from(10 - number) * 600_000),
        prompt: prompt.into(),
        files: files.iter().map(|it| it.to_string()).collect(),
    };
    vec![
        turn(1, "Look at the parser", &[]),
        turn(2, "Split it into two files\nand keep the tests", &["src/a.rs", "src/b.rs", "src/a.rs"]),
        turn(3, "Now the tests", &["tests/a.rs"]),
    ]
}

#[test]
fn turns_and_the_ways_back() {
    let look = look(80);
    let zone = jiff::tz::TimeZone::UTC;
    let when = |then: Time| crate::words::local(&zone, NOW, then);
    let mut out = String::new();
    for of in [Of::Turns, Of::Prompts] {
        let mut picker = super::turns::picker(&look, of, &turns(), &when);
        out += &shown(&picker, &look, 80, 24);
        picker.key(press(KeyCode::Down));
        assert_eq!(picker.row().unwrap().id, "2");
    }
    let change = FileChange { added: 3, removed: 12, ..crate::canned::change("src/a.rs", "", "") };
    let other = FileChange { added: 0, removed: 40, ..crate::canned::change("src/b.rs", "", "") };
    let changes = super::turns::files(&look, &[change, other.clone()], &[other]);
    for (at, (id, way, _)) in super::turns::WAYS.into_iter().enumerate() {
        let mut picker = super::turns::ways(&look, 2, "Split it into two files\nand keep the tests");
        (0..at).for_each(|_| drop(picker.key(press(KeyCode::Char('j')))));
        picker.preview(id, super::turns::way(&look, way, &changes, 2));
        out += &format!("== {id}\n{}", shown(&picker, &look, 80, 24));
    }
    expect_file!["snapshots/turns.txt"].assert_eq(&out);
}

#[test]
fn models_and_themes() {
    let look = look(80);
    let offered =
        |name: &str, alias: Option<&str>, lacks: Option<&str>, default: bool| ox_app::project::catalogue::Offered {
            name: name.into(),
            alias: alias.map(str::to_owned),
            window: Some(Tokens(1_000_000)),
            input_price: Some(Money(2_000_000)),
            output_price: Some(Money(10_000_000)),
            lacks: lacks.map(str::to_owned),
            default,
        };
    let all = [
        offered("anthropic/claude-sonnet-5-5", Some("sonnet"), None, true),
        offered("anthropic/claude-opus-5-5", Some("opus"), None, false),
        offered("openai/gpt-6.1-terra", Some("gpt"), Some("OPENAI_API_KEY"), false),
    ];
    let models = models::picker(&look, &all, "anthropic/claude-opus-5-5");
    let themes = choices::themes(&look, "dark");
    let out = shown(&models, &look, 80, 24) + &shown(&themes, &look, 80, 24);
    expect_file!["snapshots/models.txt"].assert_eq(&out);
}

fn titles(picker: &Picker) -> Vec<String> {
    picker.shown.iter().map(|at| picker.rows[*at].title.clone()).collect()
}

#[test]
fn typing_searches_titles_and_prompts() {
    let mut picker = conversation_picker(&look(80));
    types(&mut picker, "verbose every");
    assert_eq!(titles(&picker), ["Add a flag --verbose to every command, with a test for each"]);
    assert_eq!(picker.key(press(KeyCode::Esc)), Answer::Moved, "the search is cleared first");
    assert_eq!(titles(&picker).len(), 24);
    types(&mut picker, "解析");
    assert_eq!(titles(&picker).len(), 1);
    picker.key(press(KeyCode::Esc));
    // Letters in their order, where no word fits.
    types(&mut picker, "wislow");
    assert_eq!(titles(&picker)[0], "Why is it slow?");
    types(&mut picker, "xyz");
    assert_eq!((titles(&picker).len(), picker.key(press(KeyCode::Enter))), (0, Answer::Nothing));
    picker.key(press(KeyCode::Esc));
    assert_eq!(picker.key(press(KeyCode::Esc)), Answer::Closed);
}

#[test]
fn keys_move_and_choose() {
    let mut picker = conversation_picker(&look(80));
    for (key, at) in [
        (KeyCode::Up, 0),
        (KeyCode::Down, 1),
        (KeyCode::PageDown, 11),
        (KeyCode::End, 23),
        (KeyCode::Down, 23),
        (KeyCode::PageUp, 13),
        (KeyCode::Home, 0),
    ] {
        picker.key(press(key));
        assert_eq!(picker.chosen, at, "{key:?}");
    }
    assert_eq!(picker.key(press(KeyCode::Enter)), Answer::Chosen);
    let mut themes = choices::themes(&look(80), "dark");
    assert_eq!(
        (themes.key(press(KeyCode::Char('9'))), themes.key(press(KeyCode::Char('3')))),
        (Answer::Nothing, Answer::Chosen)
    );
    assert_eq!(themes.row().unwrap().id, "light");
}

#[test]
fn what_cannot_be_taken_back_is_asked_about() {
    let look = look(80);
    let mut picker = conversation_picker(&look);
    assert_eq!(picker.key(control('d')), Answer::Nothing);
    let asked = |picker: &Picker, expected: Expect| {
        expected.assert_eq(&shown(picker, &look, 80, 24).lines().rev().take(2).collect::<Vec<_>>().join("\n"));
    };
    asked(
        &picker,
        expect![[r#"
        cursor 22,49
        Delete “Fix the failing test of …” for good? y/N"#]],
    );
    assert_eq!(picker.key(press(KeyCode::Enter)), Answer::Nothing, "only y agrees");
    picker.key(control('d'));
    assert_eq!(picker.key(press(KeyCode::Char('y'))), Answer::Extra(KeyCode::Char('d'), String::new()));
    assert_eq!(picker.key(control('r')), Answer::Nothing);
    (0..40).for_each(|_| drop(picker.key(press(KeyCode::Backspace))));
    types(&mut picker, "Parser");
    asked(
        &picker,
        expect![[r#"
        cursor 22,17
        New title: Parser"#]],
    );
    assert_eq!(picker.key(press(KeyCode::Enter)), Answer::Extra(KeyCode::Char('r'), "Parser".into()));
}

#[test]
fn a_list_that_is_printed_is_chosen_from_by_number_or_name() {
    let look = Look::new(Language::En, 79);
    let themes = choices::themes(&look, "dark");
    let printed: Vec<String> = themes.printed(&look).iter().map(Line::text).collect();
    assert_eq!(printed.len(), choices::THEMES.len() + 2, "{printed:?}");
    assert_eq!(printed[2], "2. dark  For dark backgrounds (current)");
    for (typed, expected) in
        [("2", Some("dark")), ("2.", Some("dark")), ("LIGHT", Some("light")), ("0", None), ("9", None), ("", None)]
    {
        assert_eq!(themes.named(typed).map(|it| it.id.as_str()), expected, "{typed}");
    }
    let jobs = choices::jobs(&look, &[], Time(0));
    assert!(!jobs.is_chosen_from());
    assert_eq!(jobs.printed(&look).len(), 2);
}
