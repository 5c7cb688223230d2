//! Frames of the full screen as a person sees them, at three sizes.

use std::fmt::Write;

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use expect_test::{ExpectFile, expect_file};
use ox_client::Update;
use ox_protocol::locale::Language;
use ox_protocol::{
    CallId, CheckReport, CheckStatus, Decision, DeltaKind, Event, Frame, Level, Outcome, Problem, Rule, RuleAction,
    Seq, Time, WantId,
};
use ratatui_core::buffer::Buffer;
use ratatui_core::layout::Rect;

use super::FullScreen;
use crate::canned::{self, Script};
use crate::report::Look;
use crate::screen::{Questions, Screen};
use crate::text::{Theme, width};

struct Shown {
    screen: Screen,
    full: FullScreen,
}

impl Shown {
    fn of(script: Script) -> Shown {
        let look = Look { live: true, ..Look::new(Language::En, 79) };
        let mut screen = Screen::new(look);
        screen.has_composer = true;
        screen.questions = Questions::Entry;
        let mut it = Shown { screen, full: FullScreen::new(look) };
        it.goes_on(script);
        it
    }

    fn goes_on(&mut self, script: Script) {
        for step in script.steps {
            self.take(&step.update);
        }
    }

    fn take(&mut self, update: &Update) {
        let lines = self.screen.update(update);
        self.full.take(&self.screen, update, lines);
    }

    fn key(&mut self, code: KeyCode) {
        self.full.key(KeyEvent::new(code, KeyModifiers::NONE), &self.screen);
    }

    /// The rows of a frame, without blanks at their ends.
    fn rows(&mut self, columns: u16, rows: u16) -> Vec<String> {
        let mut buffer = Buffer::empty(Rect { x: 0, y: 0, width: columns, height: rows });
        self.screen.resize(usize::from(columns));
        self.full.draw(&mut buffer, &self.screen, Theme::Mono, Time(0));
        let row = |y: u16| {
            let (mut text, mut x) = (String::new(), 0);
            while x < columns {
                let symbol = buffer[(x, y)].symbol();
                text += symbol;
                x += u16::try_from(width(symbol).max(1)).unwrap();
            }
            text.trim_end().to_owned()
        };
        (0..rows).map(row).collect()
    }

    fn picture(&mut self, columns: u16, rows: u16) -> String {
        let mut out = format!("════ {columns}×{rows} ════\n");
        for row in self.rows(columns, rows) {
            writeln!(out, "{row}").unwrap();
        }
        out
    }
}

const WORDS: &str = "检查 *全部* 通过, 👨\u{200d}👩\u{200d}👧 family and مرحبا بالعالم.\n\n| 文件 | lines |\n|---|--:|\n| 解析器.rs | 12 |\n";

/// A session with something of everything, and a reply in several scripts.
fn session() -> Script {
    let mut script = canned::session();
    script.stream(DeltaKind::Text, "m99", WORDS, 1);
    script
}

fn at_three_sizes(mut shown: Shown, expected: ExpectFile) {
    let sizes = [(50, 15), (80, 24), (120, 40)];
    let pictures: String = sizes.iter().map(|(columns, rows)| shown.picture(*columns, *rows)).collect();
    expected.assert_eq(&pictures);
}

#[test]
fn the_end_of_a_conversation() {
    at_three_sizes(Shown::of(session()), expect_file!["snapshots/end.txt"]);
}

#[test]
fn further_up_with_a_search() {
    let mut shown = Shown::of(session());
    shown.rows(80, 24);
    shown.key(KeyCode::F(3));
    "next".chars().for_each(|c| shown.key(KeyCode::Char(c)));
    at_three_sizes(shown, expect_file!["snapshots/search.txt"]);
}

#[test]
fn a_pane_with_what_was_changed() {
    let mut shown = Shown::of(session());
    shown.rows(80, 24);
    shown.key(KeyCode::F(2));
    shown.key(KeyCode::F(2));
    at_three_sizes(shown, expect_file!["snapshots/pane.txt"]);
}

#[test]
fn no_row_is_wider_than_the_screen_and_what_was_at_the_top_stays_there() {
    let mut shown = Shown::of(session());
    shown.rows(80, 24);
    shown.key(KeyCode::PageUp);
    let top = shown.rows(80, 24)[0].clone();
    for columns in [20, 33, 50, 79, 100, 200] {
        for rows in [5, 12, 40] {
            let all = shown.rows(columns, rows);
            assert!(all.iter().all(|it| width(it) <= usize::from(columns)), "{columns}×{rows}: {all:#?}");
        }
    }
    assert_eq!(shown.rows(80, 24)[0], top);
}

const REPLY: &str = "The first line.\n\nA summary with `code`, and a last word.\n";

#[test]
fn results_of_checks_stand_below_a_reply_at_any_width() {
    // Wherever between two pieces of the reply.
    for at in 1..REPLY.split_inclusive([' ', '\n']).count() {
        let mut script = Script::default();
        script.reply("m1", REPLY, &[]);
        let (mut beside, want) = (Script::default(), WantId::default());
        beside.event(0, Event::ChecksStart { want, baseline: true, round: 0, total: 5 });
        let results = vec![canned::result("cargo test", CheckStatus::Failed, 193, Vec::new())];
        let report = CheckReport { results, tree: String::new() };
        beside.event(0, Event::CheckResult { want, baseline: true, round: 0, total: 5, report });
        script.steps.splice(at..at, beside.steps);
        let mut shown = Shown::of(script);
        for columns in [60, 40, 60] {
            let text = shown.rows(columns, 20).join("\n");
            let mut rest = text.as_str();
            for words in ["The first line.", "A summary", "last word", "cargo test already fails"] {
                assert_eq!(text.matches(words).count(), 1, "{at} {words}\n{text}");
                rest = rest.split_once(words).unwrap_or_else(|| panic!("{at} {words}\n{text}")).1;
            }
        }
    }
}

/// A request for consent to an edit that adds so many lines to `file`.
fn edit_asked(call: &str, file: &str, lines: usize) -> Update {
    let added: String = (1..=lines).map(|it| format!("+line {it} of {file}\n")).collect();
    Update::from(Frame::new(
        Seq(1),
        Time(0),
        Event::ApprovalRequest {
            call: CallId(call.to_string()),
            tool: "edit_file".to_string(),
            args: serde_json::json!({"path": file}),
            level: Level::Edit,
            commands: Vec::new(),
            effects: Vec::new(),
            hosts: Vec::new(),
            why: Problem::new("approval.why.edit"),
            always: Rule { action: RuleAction::Allow, tool: "edit_file".to_string(), pattern: None },
            further: Vec::new(),
            changes: vec![canned::change(file, "", &format!("@@ -0,0 +1,{lines} @@\n{added}"))],
        },
    ))
}

#[test]
fn a_question_comes_into_view_and_is_not_consented_to_out_of_it() {
    let y = KeyEvent::from(KeyCode::Char('y'));
    for (columns, rows, lines) in [(80, 24, 3), (50, 15, 3), (80, 24, 18), (50, 15, 18)] {
        for keys in [vec![KeyCode::PageUp, KeyCode::PageUp], vec![KeyCode::F(2), KeyCode::F(2)]] {
            let mut shown = Shown::of(session());
            shown.rows(columns, rows);
            keys.iter().for_each(|it| shown.key(*it));
            shown.rows(columns, rows);
            shown.take(&edit_asked("c9", "new.rs", lines));
            assert!(!shown.full.sees_question(), "nothing is seen before it is drawn");
            let text = shown.rows(columns, rows).join("\n");
            assert!(text.contains("Edit new.rs?") && text.contains("line 1 of new.rs"), "{text}");
            assert!(!shown.full.key(y, &shown.screen), "what is seen can be consented to");
            keys.iter().for_each(|it| shown.key(*it));
            let text = shown.rows(columns, rows).join("\n");
            assert!(!text.contains("line 1 of new.rs"), "{text}");
            assert!(shown.full.key(y, &shown.screen), "nobody consents unseen");
            let text = shown.rows(columns, rows).join("\n");
            assert!(text.contains("line 1 of new.rs") && text.contains("what you are asked about"), "{text}");
            assert!(!shown.full.key(y, &shown.screen));
        }
    }
}

#[test]
fn a_question_goes_with_its_answer_and_its_change_is_shown_once() {
    let mut shown = Shown::of(session());
    shown.take(&edit_asked("c9", "new.rs", 3));
    let text = shown.rows(80, 40).join("\n");
    assert!(text.contains("Edit new.rs?") && text.matches("line 3 of new.rs").count() == 1, "{text}");
    shown.screen.key(KeyEvent::from(KeyCode::Char('y')), Time(0));
    shown.screen.tick(Time(1_000));
    let frame = |event| Update::from(Frame::new(Seq(1), Time(0), event));
    let Update::Frame(asked) = edit_asked("c9", "new.rs", 3) else { panic!() };
    let Event::ApprovalRequest { call, changes, .. } = asked.event.clone() else { panic!() };
    shown.take(&frame(Event::Approval { call: call.clone(), decision: Decision::Allow, by: "user".into() }));
    let text = shown.rows(80, 40).join("\n");
    assert!(!text.contains("Edit new.rs?") && !text.contains("line 3 of new.rs"), "{text}");
    let outcome = Outcome { changed: changes, ..Outcome::default() };
    shown.take(&frame(Event::ToolComplete { call, tool: "edit_file".into(), outcome }));
    assert_eq!(shown.rows(80, 40).join("\n").matches("line 3 of new.rs").count(), 1);
}

#[test]
fn enter_leads_to_the_end() {
    let mut shown = Shown::of(session());
    let end = shown.rows(80, 24);
    shown.key(KeyCode::PageUp);
    let up = shown.rows(80, 24);
    assert_ne!(up, end);
    // What comes meanwhile moves nothing, and is counted.
    let mut more = Script::default();
    more.stream(DeltaKind::Text, "m100", "One more.\n\nAnd one.\n\nThe last", 1);
    shown.goes_on(more);
    let counted = shown.rows(80, 24);
    assert!(counted[0] == up[0] && counted.join("\n").contains("new lines"), "{counted:#?}");
    shown.key(KeyCode::Enter);
    assert!(shown.rows(80, 24).join("\n").contains("The last"));
}
