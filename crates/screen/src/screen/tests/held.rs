//! A question that is held: it stands above its keys, goes with its answer, and what it showed is printed once.

use ox_protocol::{CallId, Decision, Outcome, Rule, RuleAction};

use super::*;
use crate::canned::change;

fn asks(call: &str, lines: usize) -> Event {
    let added: String = (1..=lines).map(|it| format!("+line {it}\n")).collect();
    Event::ApprovalRequest {
        call: CallId(call.to_string()),
        tool: "edit_file".to_string(),
        args: json!({"path": "new.rs"}),
        level: Level::Edit,
        commands: Vec::new(),
        effects: Vec::new(),
        hosts: Vec::new(),
        why: ox_protocol::Problem::new("approval.why.edit"),
        always: Rule { action: RuleAction::Allow, tool: "edit_file".to_string(), pattern: None },
        further: Vec::new(),
        changes: vec![change("new.rs", "", &format!("@@ -0,0 +1,{lines} @@\n{added}"))],
    }
}

/// The screen with a question about an edit of so many lines, and what was printed for it.
fn asked(lines: usize, holds: bool) -> (Screen, String) {
    let mut screen = screen(79);
    screen.has_composer = true;
    screen.questions = if holds { Questions::Held } else { Questions::Printed };
    let mut script = Script::default();
    script.reply("m1", "", &[("c1", "edit_file", json!({"path": "new.rs"}))]);
    script.steps.iter().for_each(|step| drop(screen.update(&step.update)));
    let printed = text(&screen.update(&frame(asks("c1", lines))), 79);
    (screen, printed)
}

fn approved(decision: Decision) -> Update {
    frame(Event::Approval { call: CallId("c1".into()), decision, by: "user".into() })
}

fn ended(lines: usize) -> Update {
    let Event::ApprovalRequest { changes, .. } = asks("c1", lines) else { unreachable!() };
    let outcome = Outcome { changed: changes, ..Outcome::default() };
    frame(Event::ToolComplete { call: CallId("c1".into()), tool: "edit_file".into(), outcome })
}

fn press(screen: &mut Screen, key: char) {
    screen.key(KeyEvent::from(KeyCode::Char(key)), T);
    screen.tick(Time(T.0 + 1_000));
}

#[test]
fn it_goes_with_its_answer_and_the_change_is_printed_once() {
    let (mut screen, printed) = asked(3, true);
    assert_eq!(printed, "");
    let shown = live(&screen, 0, 80);
    assert!(shown.contains("Edit new.rs?") && shown.contains("line 3") && shown.contains("y yes"), "{shown}");
    press(&mut screen, 'y');
    assert!(!live(&screen, 0, 80).contains("line 3"));
    assert_eq!(text(&screen.update(&approved(Decision::Allow)), 79), "");
    let printed = text(&screen.update(&ended(3)), 79);
    assert_eq!(printed.matches("line 3").count(), 1, "{printed}");
}

#[test]
fn it_is_held_in_the_next_conversation_too() {
    let (mut screen, _) = asked(3, true);
    screen.begin_anew();
    let printed = text(&screen.update(&frame(asks("c2", 3))), 79);
    assert_eq!(printed, "");
    assert!(live(&screen, 0, 80).contains("Edit new.rs?"));
}

#[test]
fn enter_takes_what_is_marked_once_there_was_time_to_read() {
    let enter = KeyEvent::from(KeyCode::Enter);
    let (mut screen, _) = asked(3, true);
    assert!(live(&screen, 0, 80).contains("❯ y yes"));
    for after in [0, 499] {
        screen.key(enter, Time(T.0 + after));
        assert_eq!(screen.tick(Time(T.0 + 5_000)).act, None, "it may be the end of a line");
    }
    screen.key(enter, Time(T.0 + 500));
    let Some(Act::Send(Command::Decide { decision, .. })) = screen.tick(Time(T.0 + 5_000)).act else { panic!() };
    assert_eq!(decision, Decision::Allow);
}

#[test]
fn what_others_answered_and_what_was_refused_is_named() {
    let (mut screen, _) = asked(3, true);
    assert_eq!(text(&screen.update(&approved(Decision::Allow)), 79), "✓ Edit new.rs? Allowed\n");
    assert!(!live(&screen, 0, 80).contains("line 3"));
    let (mut screen, _) = asked(3, true);
    let refused = approved(Decision::Deny { reason: String::new(), stop: false });
    assert_eq!(text(&screen.update(&refused), 79), "· Edit new.rs? Refused\n");
}

#[test]
fn what_was_printed_with_the_question_is_not_printed_again() {
    let (mut screen, printed) = asked(3, false);
    assert!(printed.contains("line 3"), "{printed}");
    press(&mut screen, 'y');
    screen.update(&approved(Decision::Allow));
    assert!(!text(&screen.update(&ended(3)), 79).contains("line 3"));
}

#[test]
fn one_that_does_not_fit_counts_what_it_leaves_out_and_shows_it_when_asked() {
    let (mut screen, printed) = asked(14, true);
    assert_eq!(printed, "");
    for (rows, least) in [(8, 3), (10, 5), (12, 7), (24, 14)] {
        let shown = screen.live(T, 80, rows).lines.iter().map(Line::text).collect::<Vec<_>>();
        assert!(shown.len() < rows, "{rows}: {shown:#?}");
        let shown = shown.join("\n");
        let seen = shown.matches("+ line ").count();
        assert!(shown.contains("Edit new.rs?") && shown.contains("y yes") && seen >= least, "{rows}: {shown}");
        assert_eq!(shown.contains(&format!("… {} more lines (press x", 14 - seen)), seen < 14, "{rows}: {shown}");
    }
    screen.rows = 12;
    let explained = text(&screen.key(KeyEvent::from(KeyCode::Char('x')), T).lines, 79);
    assert!(explained.contains("line 14"), "{explained}");
    assert_eq!(screen.key(KeyEvent::from(KeyCode::Char('x')), T).lines, [], "it is said once");
}

#[test]
fn a_letter_that_is_no_answer_begins_a_line_that_answers_nothing() {
    let (mut screen, _) = asked(3, true);
    screen.view.busy = true;
    for key in "/always".chars() {
        assert_eq!(screen.key(KeyEvent::from(KeyCode::Char(key)), T).act, None);
        assert_eq!(screen.tick(Time(T.0 + 1_000)).act, None);
    }
    assert_eq!(screen.typing().as_deref(), Some("/always"));
    let shown = live(&screen, 0, 80);
    assert!(shown.contains("Edit new.rs?") && shown.contains("Esc clears"), "the question stays: {shown}");
    assert!(!shown.contains("Esc stops"), "{shown}");
    assert_eq!(screen.key(KeyEvent::from(KeyCode::Esc), T).act, None, "the line is cleared first");
    assert!(live(&screen, 0, 80).contains("❯ y yes"));
    let stop = screen.key(KeyEvent::from(KeyCode::Esc), T).act;
    assert_eq!(stop, Some(Act::Send(Command::Interrupt)), "and then the turn is stopped");
}

#[test]
fn it_leaves_room_for_what_is_typed_on_a_low_screen() {
    let (mut screen, _) = asked(3, true);
    screen.key(KeyEvent::from(KeyCode::Char('/')), T);
    for rows in [8, 12, 15, 24] {
        let lines = screen.live(T, 80, rows).lines.len();
        assert!(lines < rows, "{lines} of {rows}");
    }
}
