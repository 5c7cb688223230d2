//! What goes to standard output and what to standard error.

use expect_test::expect;
use ox_protocol::locale::Language;
use ox_protocol::{Command, Finish, Frame, Rules, Seq, Stop, Time};

use super::*;
use crate::canned;

fn run(quiet: bool, theme: Theme, frames: impl Iterator<Item = Frame>) -> (Vec<String>, String, Vec<Command>) {
    let mut unattended = Unattended::default();
    let mut plain = Plain::new(PlainOptions { language: Language::En, theme, quiet });
    let (mut out, mut log, mut sent) = (Vec::new(), String::new(), Vec::new());
    for frame in frames {
        let reported = plain.frame(&frame);
        log.extend(reported.log.iter().map(|line| theme.paint(line) + "\n"));
        out.extend(reported.answer);
        sent.extend(unattended.answer(&frame.event));
    }
    (out, log, sent)
}

fn frames() -> impl Iterator<Item = Frame> {
    canned::session().steps.into_iter().filter_map(|step| match step.update {
        Update::Frame(frame) => Some(Frame::clone(&frame)),
        Update::Delta(_) | Update::Control(_) => None,
    })
}

#[test]
fn the_answer_alone_goes_to_standard_output() {
    let (out, log, sent) = run(false, Theme::None, frames());
    let parts = [
        "`5ms` is five milliseconds now; `m` alone still means minutes.",
        "How to verify\nRun `cargo run -- 5ms`; it prints `5`.",
        "Remaining\n- The README still says that only s, m and h are known.",
    ];
    assert_eq!(out, [parts.join("\n\n")]);
    assert!(!log.contains('\u{1b}'));
    // Both requests for consent are answered, so that nothing waits for ever.
    assert_eq!(sent.len(), 2);
    assert!(sent.iter().all(|it| matches!(it, Command::Decide { decision: Decision::Deny { .. }, .. })));
    expect![[r#"
        Conversation 20261120-7f3k
        ● build · demo/recorded · asks first · checks: cargo check, cargo test
        I'll look at the **failing test** and at `Parser::unit` first.
        ✓ read_file src/parser.rs:30-60 (3 ms)
        ✓ search_code “parse_duration” · tests (12 ms)
        ✗ read_file src/parsr.rs (1 ms)
            src/parsr.rs does not exist; did you mean src/parser.rs? …
        Plan
          ☐ 1. Accept the unit `ms`
          ☐ 2. Run the tests
        Todo 0/2
          ▸ Accept `ms`
          ☐ Run the tests
        ↻ Retry 2 of 6 in 1.5 s: The provider's rate limit was reached. (Rate limit reached for requests)
        The unit `ms` is read as minutes, because `m` matches first:

        ```rust
        Some('m') => Ok(60),   // "5ms" ends here
        ```

        Two things follow:

        1. `m` must look at the **next** character,
        2. the result needs milliseconds.

        | input | before | after |
        |-------|-------:|------:|
        | `5ms` | 300 s | 5 ms |
        | `2m` | 120 s | 120 s |
        ✓ Allowed
        ✓ edit_file src/parser.rs:44 +4 −1 (3 ms)
        ✓ Allowed
          Running `cargo test --workspace`
        • $ cargo test --workspace · exit code 101 (2.3 s)
            … 2 more lines
            failures:
                five_ms
            assertion `left == right` failed
              left: 0
             right: 5
            test result: FAILED. 11 passed; 1 failed
        One more change: milliseconds count as 1.
        ✓ edit_file src/parser.rs:46 +2 −1 (2 ms)
          Running the checks · Checks, round 1 of 5
        ✓ cargo check (800 ms)
        ✗ cargo test failed (3.1 s)
            tests/duration.rs:12 five_ms assertion `left == right` failed: left: 0, right: 5
        ↻ Asking the model to fix checks that passed before (1/5)
          Running the checks · Checks, round 2 of 5
        ✓ cargo check (300 ms)
        ✓ cargo test (2.9 s)

        Changed files
          ~ src/parser.rs +4 −1  accept the unit ms
          + tests/duration.rs +2  cover ms and m

        Checks  ✓ cargo check  ✓ cargo test
          ✓ fail without the change, pass with it: five_ms

        What works
          ✓ `5ms` is read as 5 milliseconds  cargo test
          ? the command line accepts it too  the model says so; no run shows it

        ✓ Done; all checks pass.
          4 iterations · 34.1k tokens in (25.5k cached, 75%), 1.2k out (480 reasoning) · $0.10 · 10 s · 13% of context window
    "#]]
    .assert_eq(&log);
}

#[test]
fn quiet_leaves_only_problems() {
    let (out, log, _) = run(true, Theme::None, frames());
    assert_eq!(out.len(), 1);
    expect![""].assert_eq(&log);
}

#[test]
fn colours_only_where_asked_for() {
    let (_, log, _) = run(false, Theme::Dark, frames());
    assert!(log.contains("\u{1b}[32m✓ \u{1b}[0m"));
}

#[test]
fn the_agents_own_refusal_names_the_rule_that_would_allow_it() {
    let mut script = canned::Script::default();
    script.reply("m1", "", &[("c1", "run_command", serde_json::json!({"command": "make"}))]);
    script.ask("c1", ox_protocol::Level::Shell, &["make"], "run_command(make)");
    let all = script.steps.into_iter().filter_map(|step| match step.update {
        Update::Frame(frame) => {
            let mut frame = Frame::clone(&frame);
            if let Event::Approval { by, decision, .. } = &mut frame.event {
                *by = "headless".to_string();
                *decision = Decision::Deny { reason: String::new(), stop: false };
            }
            Some(frame)
        }
        Update::Delta(_) | Update::Control(_) => None,
    });
    let start = turn_start(Rules { headless: true, ..Rules::default() });
    let (_, log, sent) = run(true, Theme::None, std::iter::once(start).chain(all));
    assert!(sent.is_empty());
    expect![[r#"
        ✗ Denied, because there is no terminal to ask on: run_command `make`
          To allow it, start Ox with: --allow 'run_command(make)'
    "#]]
    .assert_eq(&log);
}

#[test]
fn escapes_in_the_answer_do_not_reach_the_terminal() {
    let mut script = canned::Script::default();
    script.reply("m1", "done \u{1b}]0;x\u{7}\u{1b}[2Jnow", &[]);
    script.event(0, Event::Completion { stop: Stop::Answered, exit_code: 0 });
    let frames = script.steps.into_iter().filter_map(|step| match step.update {
        Update::Frame(frame) => Some(Frame::clone(&frame)),
        Update::Delta(_) | Update::Control(_) => None,
    });
    assert_eq!(run(false, Theme::None, frames).0, ["done now"]);
}

#[test]
fn an_end_that_ox_does_not_know_is_reported() {
    for (calls, text) in [(&[][..], ""), (&[("c1", "list_files", serde_json::json!({}))][..], "I look.\n")] {
        let mut script = canned::Script::default();
        script.reply("m1", "I look.", calls);
        let frames = script.steps.into_iter().filter_map(|step| match step.update {
            Update::Frame(frame) => {
                let mut frame = Frame::clone(&frame);
                if let Event::StreamComplete { finish, .. } = &mut frame.event {
                    *finish = Finish::Other("eos".to_string());
                }
                Some(frame)
            }
            Update::Delta(_) | Update::Control(_) => None,
        });
        let words = "The provider ended this reply for an unknown reason: eos\n";
        assert_eq!(run(false, Theme::None, frames).1, format!("{text}{words}"));
    }
}

fn turn_start(rules: Rules) -> Frame {
    let found = frames().find(|frame| matches!(frame.event, Event::TurnStart { .. })).expect("the session has a turn");
    let mut event = found.event;
    if let Event::TurnStart { rules: of, .. } = &mut event {
        *of = rules;
    }
    Frame::new(Seq(1), Time(1), event)
}

#[test]
fn what_an_interrupted_reply_had_said_is_shown() {
    let mut plain = Plain::new(PlainOptions { language: Language::En, theme: Theme::None, quiet: true });
    let mut shown = |event: Option<Event>, said: Option<(&str, &str)>| {
        if let Some((id, text)) = said {
            let delta = Delta {
                conversation: ox_protocol::ConversationId::default(),
                kind: DeltaKind::Text,
                message_id: MessageId(id.into()),
                call: None,
                offset: 0,
                delta: text.into(),
            };
            plain.delta(&delta);
        }
        let Some(event) = event else { return String::new() };
        let reported = plain.frame(&Frame::new(Seq(1), Time(1), event));
        assert_eq!(reported.answer, None);
        reported.log.iter().map(|line| Theme::None.paint(line) + "\n").collect()
    };
    shown(None, Some(("m1", "cut before a retry")));
    shown(None, Some(("m2", "The sign ")));
    expect![[r#"
        The sign is wrong
        (interrupted)
    "#]]
    .assert_eq(&shown(Some(Event::Interrupted), Some(("m2", "is wrong"))));
    assert_eq!(shown(Some(Event::Interrupted), None), "", "it is shown once");
}
