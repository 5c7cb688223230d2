//! The keys of the dialogs, and what they show.

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use expect_test::expect;
use ox_protocol::{
    BackgroundJob, BackgroundState, CallId, ChangeKind, CheckReport, CheckStatus, Command, CommandReach, Decision,
    Effect, EffectKind, Event, FileChange, Keep, Level, Problem, Rule, RuleAction, Time, WantId,
};
use serde_json::json;

use crate::canned;
use crate::screen::tests::{T, frame, live, screen, text};
use crate::screen::{Act, HOLD, Reaction, Screen};

fn asking(tool: &str, args: serde_json::Value, commands: &[&str]) -> Screen {
    let mut screen = screen(79);
    screen.view.busy = true;
    screen.view.began = T;
    screen.update(&frame(Event::ApprovalRequest {
        call: CallId("c1".to_string()),
        tool: tool.to_string(),
        args,
        level: Level::Shell,
        commands: commands.iter().map(|it| (*it).to_string()).collect(),
        effects: Vec::new(),
        hosts: Vec::new(),
        why: Problem::new("approval.why.shell"),
        always: rule(),
        further: Vec::new(),
        changes: Vec::new(),
    }));
    screen
}

fn rule() -> Rule {
    Rule { action: RuleAction::Allow, tool: "run_command".to_string(), pattern: Some("cargo test*".to_string()) }
}

/// Presses keys half a second apart: `⏎` is Enter, `↓` and `↑` are arrows, `⎋` Esc, `⌃` Ctrl-C, `·` nothing.
fn press(screen: &mut Screen, keys: &str) -> (Vec<Act>, String) {
    // After there was time to read the question.
    let (mut acts, mut lines, mut now) = (Vec::new(), Vec::new(), T.0 + 1_000);
    for c in keys.chars() {
        let key = match c {
            '⏎' => KeyEvent::from(KeyCode::Enter),
            '⎋' => KeyEvent::from(KeyCode::Esc),
            '↓' => KeyEvent::from(KeyCode::Down),
            '↑' => KeyEvent::from(KeyCode::Up),
            '⌃' => KeyEvent::new(KeyCode::Char('c'), KeyModifiers::CONTROL),
            c => KeyEvent::from(KeyCode::Char(c)),
        };
        for reaction in [screen.key(key, Time(now)), screen.tick(Time(now + 500))] {
            acts.extend(reaction.act);
            lines.extend(reaction.lines);
        }
        now += 600;
    }
    (acts, text(&lines, 79))
}

fn decided(decision: Decision) -> Vec<Act> {
    vec![Act::Send(Command::Decide { call: CallId("c1".to_string()), decision })]
}

#[test]
fn keys_decide() {
    let args = json!({"command": "cargo test"});
    let deny = |reason: &str| Decision::Deny { reason: reason.to_string(), stop: reason.is_empty() };
    let amend = |command: &str| Decision::Amend { args: json!({ "command": command }) };
    let cases = [
        ("y", decided(Decision::Allow)),
        ("Y", decided(Decision::Allow)),
        ("a", decided(Decision::AllowAlways { rule: rule(), further: Vec::new(), keep: Keep::Conversation })),
        ("n⏎", decided(deny(""))),
        ("nno net⏎", decided(deny("no net"))),
        ("n⎋y", decided(Decision::Allow)),
        ("e -q⏎", decided(amend("cargo test -q"))),
        ("e⏎", decided(Decision::Allow)),
        ("e -q⌃y", decided(Decision::Allow)),
        ("nno⌃⌃", vec![Act::Send(Command::Interrupt)]),
        ("xy", decided(Decision::Allow)),
        ("?y", decided(Decision::Allow)),
        ("q", Vec::new()),
        ("1", decided(Decision::Allow)),
        ("4⏎", decided(deny(""))),
        ("2", decided(Decision::AllowAlways { rule: rule(), further: Vec::new(), keep: Keep::Conversation })),
        ("0", Vec::new()),
        ("9", Vec::new()),
        ("⏎", decided(Decision::Allow)),
        ("↓⏎", decided(Decision::AllowAlways { rule: rule(), further: Vec::new(), keep: Keep::Conversation })),
        ("↓↓↑↑⏎", decided(Decision::Allow)),
        ("↓↓↓⏎⏎", decided(deny(""))),
        ("↑⏎", decided(Decision::Allow)),
        ("↓", Vec::new()),
        (" ", Vec::new()),
        ("yyy", decided(Decision::Allow)),
        ("⌃", vec![Act::Send(Command::Interrupt)]),
        ("⌃⌃", vec![Act::Send(Command::Interrupt), Act::Leave]),
    ];
    for (keys, expected) in cases {
        let mut screen = asking("run_command", args.clone(), &["cargo test"]);
        assert_eq!(press(&mut screen, keys).0, expected, "{keys}");
    }
}

#[test]
fn arguments_are_edited_as_json_and_nonsense_is_refused() {
    let mut screen = asking("edit_file", json!({"path": "a"}), &[]);
    assert_eq!(press(&mut screen, "e").0, [Act::Draft]);
    let draft = screen.draft(&|_| None).expect("it can be edited");
    assert_eq!(screen.edited(&draft, Some("{\"path\":\"a\"}!".into())).act, None);
    expect![[r#"
        Arguments (Esc to go back):
        Not valid JSON: trailing characters at line 1 column 13
        › {"path":"a"}!
    "#]]
    .assert_eq(&live(&screen, 0, 80));
    screen.key(KeyEvent::from(KeyCode::Backspace), T);
    let (acts, _) = press(&mut screen, "⏎");
    assert_eq!(acts, decided(Decision::Allow), "unchanged arguments are a plain yes");
}

#[test]
fn a_command_is_edited_in_the_users_editor_where_they_have_named_one() {
    for (has_editor, live, expected) in [(true, true, vec![Act::Draft]), (false, true, vec![]), (true, false, vec![])] {
        let mut screen = asking("run_command", json!({"command": "cargo test"}), &["cargo test"]);
        (screen.look.has_editor, screen.look.live) = (has_editor, live);
        assert_eq!(press(&mut screen, "e").0, expected, "{has_editor} {live}");
    }
}

/// What a yes opens stands where the consent is asked for, never its opposite.
#[test]
fn a_question_says_which_hosts_a_yes_opens() {
    let table = [
        (vec![], vec![], "It has no network access."),
        (vec!["a.example"], vec![], "It can reach only these hosts: a.example"),
        (vec![], vec!["b.example"], "If you allow it, it can reach only these hosts: b.example"),
        (vec!["a.example"], vec!["b.example"], "If you allow it, it can reach only these hosts: a.example, b.example"),
        (vec!["a.example"], vec!["a.example"], "It can reach only these hosts: a.example"),
        (vec![], vec!["b.example", "*"], "If you allow it, it can reach any host."),
        (vec!["*"], vec!["b.example"], "It has network access."),
    ];
    let own = |hosts: &[&str]| hosts.iter().map(ToString::to_string).collect::<Vec<_>>();
    for (open, asked, expected) in table {
        let mut screen = screen(200);
        screen.view.sandbox_reach = Some(CommandReach { write: vec!["/p".into()], hosts: own(&open) });
        let lines = screen.update(&frame(Event::ApprovalRequest {
            call: CallId("c1".to_string()),
            tool: "run_command".to_string(),
            args: json!({"command": "curl b.example"}),
            level: Level::System,
            commands: vec!["curl b.example".into()],
            effects: vec![Effect::new(EffectKind::Network, Level::System, "b.example")],
            hosts: own(&asked),
            why: Problem::new("approval.why.system"),
            always: rule(),
            further: Vec::new(),
            changes: Vec::new(),
        }));
        let shown = text(&lines, 199);
        assert!(shown.contains(&format!("temporary folder. {expected}\n")), "{open:?} {asked:?}: {shown}");
    }
}

#[test]
fn a_folder_outside_that_a_yes_opens_is_named_where_the_reach_is() {
    let mut screen = screen(200);
    screen.view.sandbox_reach = Some(CommandReach { write: vec!["/p".into()], hosts: Vec::new() });
    let lines = screen.update(&frame(Event::ApprovalRequest {
        call: CallId("c1".to_string()),
        tool: "run_command".to_string(),
        args: json!({"command": "git push"}),
        level: Level::System,
        commands: vec!["git push".into()],
        effects: vec![Effect::new(EffectKind::Write, Level::System, "/srv/project.git")],
        hosts: Vec::new(),
        why: Problem::new("approval.why.system"),
        always: rule(),
        further: Vec::new(),
        changes: Vec::new(),
    }));
    let shown = text(&lines, 199);
    assert!(shown.contains("can change files only in /p, /srv/project.git and"), "{shown}");
}

#[test]
fn the_choices_are_shown_and_shown_again_after_an_unknown_key() {
    let mut screen = asking("run_command", json!({"command": "cargo test"}), &["cargo test"]);
    let before = live(&screen, 0, 80);
    press(&mut screen, "q");
    expect![[r#"
        ❯ y yes
          a always allow commands like `cargo test…`
          p always in this project
          n no
          e edit it first  x explain
        ---
        ⠋ waiting for you (Esc clears your input) · 0 s
    "#]]
    .assert_eq(&format!("{before}---\n{}", live(&screen, 0, 80)));
}

#[test]
fn explain_tells_what_the_sandbox_holds_and_what_a_yes_opens() {
    let mut screen = screen(79);
    screen.view.busy = true;
    screen.view.began = T;
    screen.view.sandbox_reach = Some(CommandReach { write: vec!["/home/u/p".into()], hosts: Vec::new() });
    let opening = screen.update(&frame(Event::ApprovalRequest {
        call: CallId("c1".to_string()),
        tool: "run_command".to_string(),
        args: json!({"command": "git reset --hard; curl a.example \u{1b}[2K"}),
        level: Level::System,
        commands: vec!["git reset --hard; curl a.example \u{1b}[2K".into()],
        effects: vec![
            Effect::new(EffectKind::Destroy, Level::System, "git reset --hard"),
            Effect::new(EffectKind::Network, Level::System, "a.example"),
            Effect::new(EffectKind::Computed, Level::System, "$x"),
        ],
        hosts: vec!["a.example".into()],
        why: Problem::new("approval.why.system"),
        always: rule(),
        further: Vec::new(),
        changes: Vec::new(),
    }));
    let (_, lines) = press(&mut screen, "x");
    let reported =
        lines.split("What it may do:").nth(1).and_then(|it| it.split("Step by step").next()).unwrap_or_default();
    let opening = text(&opening, 79);
    assert!(opening.contains("␛[2K"), "{opening}");
    let reported: Vec<&str> = reported.lines().map(str::trim).filter(|it| !it.is_empty()).collect();
    expect![[r#"
        It runs in the sandbox and can change files only in /home/u/p and in its
        own temporary folder.
        If you allow it, it can reach only these hosts: a.example
        Files with secrets and the settings of git and editors are off limits.
        The sandbox does not prevent this: deletes work that exists nowhere else:
        git reset --hard
        Why Ox asks:
        it acts outside the project"#]]
    .assert_eq(&reported.join("\n"));
}

#[test]
fn explain_tells_level_command_effect_and_rule() {
    let mut screen = asking("run_command", json!({"command": "cargo test"}), &["cargo test"]);
    expect![[r#"
        x
          What it may do:
            There is no sandbox: the command runs with your permissions and may change
            or delete files and use the network.
          Why Ox asks:
            it runs a shell command
          If you press a:
            No longer asked about in this conversation: commands like `cargo test…`.
    "#]]
    .assert_eq(&format!("x\n{}", press(&mut screen, "x").1));
}

/// Letters in quick succession are a line that steers, also when a question has just come up.
#[test]
fn typing_is_never_taken_for_consent() {
    for line in ["also do that", "yes but", "y and n"] {
        let mut screen = asking("run_command", json!({"command": "rm x"}), &["rm x"]);
        let mut acts = Vec::new();
        for (index, c) in line.chars().enumerate() {
            let now = Time(T.0 + index as u64 * 120);
            acts.extend(screen.tick(now).act);
            acts.extend(screen.key(KeyEvent::from(KeyCode::Char(c)), now).act);
        }
        assert!(acts.is_empty(), "{line}: {acts:?}");
        let entered = screen.key(KeyEvent::from(KeyCode::Enter), Time(T.0 + 60_000));
        assert_eq!(entered.act, Some(Act::Typed(line.to_string())));
    }
}

#[test]
fn consent_counts_only_after_a_moment_and_enter_confirms_it_at_once() {
    let mut screen = asking("run_command", json!({"command": "x"}), &["x"]);
    let y = KeyEvent::from(KeyCode::Char('y'));
    assert_eq!(screen.key(y, T), Reaction::default());
    assert_eq!(screen.tick(Time(T.0 + HOLD - 1)), Reaction::default());
    assert_eq!(screen.tick(Time(T.0 + HOLD)).act.into_iter().collect::<Vec<_>>(), decided(Decision::Allow));
    let mut screen = asking("run_command", json!({"command": "x"}), &["x"]);
    screen.key(y, T);
    let act = screen.key(KeyEvent::from(KeyCode::Enter), T).act;
    assert_eq!(act.into_iter().collect::<Vec<_>>(), decided(Decision::Allow));
}

#[test]
fn a_question_takes_a_number_or_words() {
    let question = || {
        let mut screen = screen(79);
        screen.view.busy = true;
        let options = vec!["SQLite".to_string(), "Postgres".to_string()];
        let call = CallId("c1".to_string());
        let lines = screen.update(&frame(Event::Question { call, text: "Which store?".to_string(), options }));
        (screen, text(&lines, 79))
    };
    let answer =
        |text: &str| vec![Act::Send(Command::Answer { call: CallId("c1".to_string()), text: text.to_string() })];
    for (keys, expected) in [
        ("2", answer("Postgres")),
        ("↓↓⏎", answer("Postgres")),
        ("↑⏎", answer("Postgres")),
        ("9⏎", answer("9")),
        ("none⏎", answer("none")),
        ("⏎", vec![]),
        ("x⎋1", answer("SQLite")),
    ] {
        let (mut screen, _) = question();
        assert_eq!(press(&mut screen, keys).0, expected, "{keys}");
    }
    let (mut screen, reported) = question();
    press(&mut screen, "↓");
    expect![[r#"
        ? Which store?
        ---
        ❯ 1 SQLite
          2 Postgres
        ↑↓ and Enter, or a number; anything else begins an answer of your own
    "#]]
    .assert_eq(&format!("{reported}---\n{}", live(&screen, 0, 80)));
    // A number with a letter right behind it is the beginning of a line.
    let (mut screen, _) = question();
    for c in "2x".chars() {
        assert_eq!(screen.key(KeyEvent::from(KeyCode::Char(c)), T).act, None);
    }
    assert_eq!(press(&mut screen, "⏎").0, answer("2x"));
}

fn change(path: &str, kind: ChangeKind, diff: &str) -> FileChange {
    let count = |sign: char| u32::try_from(diff.lines().filter(|it| it.starts_with(sign)).count()).unwrap_or(0);
    let (added, removed) = (count('+'), count('-'));
    FileChange { path: path.into(), kind, from: None, why: None, diff: diff.into(), added, removed }
}

fn editing(columns: usize, args: serde_json::Value, changes: Vec<FileChange>) -> (Screen, String) {
    let mut screen = screen(columns);
    screen.view.busy = true;
    screen.view.began = T;
    let lines = screen.update(&frame(Event::ApprovalRequest {
        call: CallId("c1".to_string()),
        tool: "edit_file".to_string(),
        args,
        level: Level::Edit,
        commands: Vec::new(),
        effects: Vec::new(),
        hosts: Vec::new(),
        why: Problem::new("approval.why.edit"),
        always: Rule { action: RuleAction::Allow, tool: "edit_file".to_string(), pattern: None },
        further: Vec::new(),
        changes,
    }));
    let shown = text(&lines, columns);
    (screen, shown)
}

#[test]
fn an_edit_is_shown_as_a_diff_before_it_is_consented_to() {
    let diff = "@@ -1,3 +1,3 @@\n fn add(a: i32, b: i32) -> i32 {\n-    a - b\n+    a + b\n }\n";
    let mut shown = String::new();
    for columns in [50, 80, 120] {
        let args = json!({"path": "src/lib.rs", "old": "a - b", "new": "a + b"});
        let (screen, opening) = editing(columns, args, vec![change("src/lib.rs", ChangeKind::Modified, diff)]);
        shown += &format!("{opening}---\n{}=====\n", live(&screen, 0, columns));
    }
    expect![[r#"
        ? Edit src/lib.rs?
                1   fn add(a: i32, b: i32) -> i32 {
                2 -     a - b
                2 +     a + b
                3   }
        ---
        ❯ y yes
          a always allow all edits
          p always in this project
          n no
          e edit it first  x explain
        =====
        ? Edit src/lib.rs?
                1   fn add(a: i32, b: i32) -> i32 {
                2 -     a - b
                2 +     a + b
                3   }
        ---
        ❯ y yes
          a always allow all edits
          p always in this project
          n no
          e edit it first  x explain
        =====
        ? Edit src/lib.rs?
                1   fn add(a: i32, b: i32) -> i32 {
                2 -     a - b
                2 +     a + b
                3   }
        ---
        ❯ y yes
          a always allow all edits
          p always in this project
          n no
          e edit it first  x explain
        =====
    "#]]
    .assert_eq(&shown);
}

/// What ends or begins meanwhile is told below the answer.
#[test]
fn nothing_comes_between_a_question_and_its_keys() {
    let args = json!({"path": "src/lib.rs"});
    let (mut screen, opening) = editing(50, args, vec![change("src/lib.rs", ChangeKind::Modified, "+one\n")]);
    let report = CheckReport {
        results: vec![canned::result("cargo test", CheckStatus::Failed, 83, Vec::new())],
        tree: String::new(),
    };
    let want = WantId::default();
    let late = [
        Event::CheckResult { want, baseline: true, round: 0, total: 5, report },
        Event::Background(BackgroundJob {
            id: "job_1".into(),
            command: "sleep 1".into(),
            state: BackgroundState::Ended,
            exit_code: Some(0),
        }),
    ];
    for event in late {
        assert_eq!(screen.update(&frame(event)), [], "{opening}");
    }
    let call = CallId("c1".to_string());
    let lines = screen.update(&frame(Event::Approval { call, decision: Decision::Allow, by: "user".to_string() }));
    expect![[r#"
        ✓ Allowed
        Baseline
        ✗ cargo test already fails (83 ms)
        · job_1 ended with exit code 0: sleep 1
    "#]]
    .assert_eq(&text(&lines, 50));
}

#[test]
fn a_question_takes_eight_rows_beside_its_diff_and_says_nothing_twice() {
    let long: String = (1..=40).map(|it| format!("+line {it}\n")).collect();
    let diff = format!("@@ -0,0 +1,40 @@\n{long}");
    for (columns, rows) in [(50, 15), (80, 24), (120, 40)] {
        let mut screen = screen(columns - 1);
        screen.rows = rows;
        let mut request = ox_client::view::ApprovalRequest {
            call: CallId("c1".into()),
            tool: "edit_file".into(),
            args: json!({"path": "src/lib.rs"}),
            level: Level::Edit,
            commands: Vec::new(),
            effects: Vec::new(),
            hosts: Vec::new(),
            why: Problem::new("approval.why.edit"),
            always: Rule { action: RuleAction::Allow, tool: "edit_file".to_string(), pattern: None },
            further: Vec::new(),
            changes: vec![change("src/lib.rs", ChangeKind::Modified, &diff)],
            sandbox_reach: None,
            agent: None,
        };
        let shown = |screen: &Screen, request: &ox_client::view::ApprovalRequest| {
            let dialog = super::Dialog::new(ox_client::view::Asked::Approval(request.clone()), &screen.look, rows, T);
            let mut lines = dialog.opening(&screen.look, "/p").lines();
            lines.extend(dialog.prompt(&screen.look, false).above);
            text(&lines, columns - 1)
        };
        let edit = shown(&screen, &request);
        assert!(edit.lines().count() < rows, "{edit}");
        let beside = edit.lines().filter(|it| !it.contains("line ")).count();
        assert!(beside <= 8 && edit.matches("src/lib.rs").count() == 1, "{edit}");
        assert!(edit.contains("always allow all edits"), "{edit}");
        request.changes = Vec::new();
        request.tool = "run_command".into();
        request.args = json!({"command": "python3 -m unittest -v"});
        request.level = Level::Shell;
        request.commands = vec!["python3 -m unittest -v".into()];
        request.effects = vec![Effect::new(EffectKind::Execute, Level::Shell, "python3 -m unittest -v")];
        request.why = Problem::new("approval.why.shell");
        request.sandbox_reach = Some(CommandReach { write: vec!["/p".into()], hosts: Vec::new() });
        request.always = Rule {
            action: RuleAction::Allow,
            tool: "run_command".into(),
            pattern: Some("python3 -m unittest *".into()),
        };
        let command = shown(&screen, &request);
        assert!(columns < 80 || command.lines().count() <= 8 + 1, "{command}");
        assert_eq!(command.matches("unittest -v").count(), 1, "{command}");
        let flat = command.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(flat.contains("commands like `python3 -m unittest …`") && flat.contains("this project"), "{command}");
        screen.update(&frame(Event::ApprovalSet { policy: ox_protocol::ApprovalPolicy::Ask }));
    }
}

#[test]
fn what_an_edit_does_is_explained_by_itself() {
    let args = json!({"path": "src/lib.rs", "old": "a", "new": "b"});
    let (mut screen, _) = editing(80, args, vec![change("src/lib.rs", ChangeKind::Modified, "-a\n+b\n")]);
    let (_, lines) = press(&mut screen, "x");
    expect![[r#"
        x
          What it may do:
            It changes src/lib.rs and nothing else; /undo takes it back.
          Why Ox asks:
            each change is asked about; Shift-Tab changes that
          If you press a:
            No longer asked about in this conversation: all edits.
    "#]]
    .assert_eq(&format!("x\n{lines}"));
}

#[test]
fn several_files_are_folded_and_unfolded_by_a_key() {
    let long: String = (1..=30).map(|it| format!("+line {it}\n")).collect();
    let changes = vec![
        change("new.rs", ChangeKind::Created, &format!("@@ -0,0 +1,30 @@\n{long}")),
        change("old.rs", ChangeKind::Deleted, ""),
    ];
    let (mut screen, opening) = editing(80, json!({"edits": []}), changes);
    assert!(opening.contains("Change 2 files?") && opening.contains("line 13"), "{opening}");
    assert!(!opening.contains("line 14") && opening.contains("more lines (press d to see all)"), "{opening}");
    let (acts, whole) = press(&mut screen, "d");
    assert!(acts.is_empty() && whole.contains("line 30") && whole.contains("old.rs"), "{whole}");
    let unfold = KeyEvent::new(KeyCode::Char('o'), KeyModifiers::CONTROL);
    assert!(text(&screen.key(unfold, T).lines, 79).contains("line 30"));
}

#[test]
fn the_users_editor_gets_the_command_or_the_file_as_it_would_be() {
    let file = "one\ntwo\nthree\n";
    let edit = |old: &str, new: &str| json!({"path": "a/b.rs", "old": old, "new": new});
    let two = json!({"edits": [edit("one", "1"), edit("two", "2")]});
    let cases = [
        (
            "run_command",
            json!({"command": "cargo test"}),
            "cargo test",
            ".sh",
            "cargo test -q\n",
            json!({"command": "cargo test -q"}),
        ),
        (
            "write_file",
            json!({"path": "a/b.rs", "content": "x\n"}),
            "x\n",
            ".rs",
            "y\n",
            json!({"path": "a/b.rs", "content": "y\n"}),
        ),
        ("edit_file", edit("two", "2"), "one\n2\nthree\n", ".rs", "one\nII\nthree\n", edit("two\n", "II\n")),
        ("edit_file", two, "1\n2\nthree\n", ".rs", "1\ntwo\nthree\n", edit("one\n", "1\n")),
        // Where it is not plain what the edit does to the file, its arguments are edited.
        (
            "edit_file",
            json!({"edits": []}),
            "{\n  \"edits\": []\n}",
            ".json",
            "{\"edits\": [1]}\n",
            json!({"edits": [1]}),
        ),
    ];
    for (tool, args, shown, suffix, typed, amended) in cases {
        let commands: &[&str] = if tool == "run_command" { &["cargo test"] } else { &[] };
        let mut screen = asking(tool, args, commands);
        let current = |path: &str| (path == "a/b.rs").then(|| file.to_owned());
        let draft = screen.draft(&current).expect("it can be edited");
        assert_eq!((draft.text.as_str(), draft.suffix.as_str()), (shown, suffix));
        // Closing the editor is no consent.
        assert_eq!(screen.edited(&draft, None).act, None);
        assert!(screen.is_asked());
        let act = screen.edited(&draft, Some(typed.to_string())).act;
        assert_eq!(act.into_iter().collect::<Vec<_>>(), decided(Decision::Amend { args: amended }));
        assert_eq!(screen.draft(&current), None);
    }
}

#[test]
fn a_request_that_nobody_answered_is_withdrawn_in_words() {
    let mut screen = asking("run_command", json!({"command": "cargo test"}), &["cargo test"]);
    let lines = screen.update(&frame(Event::Completion { stop: ox_protocol::Stop::Interrupted, exit_code: 130 }));
    let shown = text(&lines, 79);
    assert!(shown.contains("Withdrawn: Run `cargo test`?"), "{shown}");
}
