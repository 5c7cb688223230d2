//! What a user of another agent tries in the first hour, where it once went wrong.

use std::fs;
use std::io::{Read, Write};
use std::net::TcpListener;

use crate::place::{OX, Place};
use crate::terminal::{Size, Terminal};

const CTRL_O: &str = "\u{f}";
const CTRL_Z: &str = "\u{1a}";

/// Files with a check that passes, and trusted settings.
fn checked() -> Place {
    let place = Place::new();
    place.write("check.sh", "echo '2 passed in 0.01s'\n");
    place.write(".ox/config.toml", "[[checks]]\nkind = \"test\"\ncommand = \"sh check.sh\"\n");
    place.trusts();
    place
}

/// A command, then the end of the turn.
fn runs(command: &str) -> String {
    format!("-- model --\n@run_command\ncommand: {command}\n-- model --\nIt is done.\n")
}

#[test]
fn a_question_is_answered_without_asking_for_the_checks() {
    let place = checked();
    place.write("a.txt", "apple\n");
    let script = "-- model --\n@read_file\npath: a.txt\n-- model --\nIt says apple.\n-- model --\nYou are welcome.\n";
    let model = place.script(script);
    let mut terminal = Terminal::open(&place, &["--approval", "ask", "--model", &model], &[]);
    for (prompt, answer) in [("What does a.txt say?", "It says apple."), ("Thanks", "You are welcome.")] {
        terminal.pictures(&["Describe a task"]);
        terminal.types(&format!("{prompt}\r"));
        terminal.pictures(&[answer, "Describe a task"]);
    }
    let all = terminal.leaves();
    for wrong in ["y yes", "run_checks", "Asking the model", "✗"] {
        assert!(!all.contains(wrong), "{wrong}: {all}");
    }
}

#[test]
fn a_server_of_this_machine_is_reached_by_a_command_that_was_consented_to() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    std::thread::spawn(move || {
        let (mut socket, _) = listener.accept().unwrap();
        let mut request = [0; 1024];
        let _ = socket.read(&mut request);
        socket.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 12\r\n\r\nit is served").unwrap();
    });
    let place = Place::new();
    let model = place.script(&runs(&format!("curl -sS http://127.0.0.1:{port}/")));
    let mut terminal = Terminal::open(&place, &["--model", &model, "look at the server"], &[]);
    let opens = format!("allow it, it can reach only these hosts: 127.0.0.1:{port}");
    let asked = terminal.pictures(&["Run this command?", &opens, "y yes"]);
    assert!(!asked.contains("no network access"), "{asked}");
    terminal.types("y");
    terminal.pictures(&["it is served", "It is done."]);
    terminal.leaves();
}

#[test]
fn without_colour_the_screen_is_live_and_typing_is_seen() {
    let place = Place::new();
    let model = place.script(&runs("echo begun; sleep 300"));
    let args = ["--allow", "run_command", "--model", &model, "wait"];
    let mut terminal = Terminal::open(&place, &args, &[("NO_COLOR", "1")]);
    terminal.pictures(&["begun", "running", "Esc stops", "Type to steer"]);
    terminal.types("a draft");
    terminal.pictures(&["running", "› a draft"]);
    terminal.types("\u{1b}");
    terminal.pictures(&["Interrupted.", "› a draft"]);
    terminal.types("\u{15}");
    terminal.leaves();
}

#[test]
fn what_a_command_printed_is_folded_and_shown_whole_by_a_key() {
    let place = Place::new();
    let model = place.script(&runs("seq -f 'line %03g' 40; touch made.txt"));
    let args = ["--allow", "run_command", "--model", &model, "count"];
    let mut terminal = Terminal::open(&place, &args, &[("PAGER", "cat")]);
    terminal.pictures(&["$ seq -f 'line %03g' 40; touch made.txt", "line 001", "(ctrl+o)", "line 040", "It is done."]);
    assert!(!terminal.wrote("line 020"));
    terminal.types(CTRL_O);
    terminal.until("all lines", |it| it.lines().iter().any(|row| row.trim() == "line 020").then_some(()));
    terminal.pictures(&["Describe a task"]);
    terminal.leaves();
}

#[test]
fn a_diff_that_is_longer_than_the_screen_is_shown_by_the_pager() {
    let place = Place::new();
    let write = |lines: usize| {
        let content: Vec<String> = (1..=lines).map(|it| format!("  row {it:03}")).collect();
        format!("-- model --\n@write_file\npath: rows.txt\ncontent: |\n{}\n", content.join("\n"))
    };
    let done = "-- model --\n@attempt_completion\nresult: It is written.\n";
    let model = place.script(&format!("{}{done}{}{done}", write(3), write(60)));
    let args = ["--approval", "accept-edits", "--mode", "build", "--model", &model, "write"];
    let mut terminal = Terminal::open(&place, &args, &[("PAGER", "sed -n 's/row 030/the pager/p'")]);
    terminal.pictures(&["It is written.", "Describe a task"]);
    terminal.types("/diff\r");
    terminal.pictures(&["1 + row 001", "3 + row 003", "Describe a task"]);
    terminal.types("more\r");
    terminal.pictures(&["rows.txt +57", "Done, but not verified", "Describe a task"]);
    terminal.types("/diff\r");
    terminal.pictures(&["the pager", "Describe a task"]);
    terminal.leaves();
}

#[test]
fn ox_stops_for_the_shell_at_any_time_and_comes_back_as_it_was() {
    let place = Place::new();
    let model = place.script(&format!("{}{}", runs("echo begun; cat go"), runs("echo two > made.txt")));
    assert!(std::process::Command::new("mkfifo").arg(place.project("go")).status().unwrap().success());
    let size = Size { columns: 100, rows: 40 };
    let mut shell = Terminal::of_others(&place, &["bash", "--norc", "-i"], &[("PS1", "shell> ")], size);
    let back = |shell: &mut Terminal, shown: &[&str]| {
        shell.types(CTRL_Z);
        shell.until("the shell", |it| it.caret().before.ends_with("shell>").then_some(()));
        shell.types("fg\r");
        shell.pictures(shown);
    };
    shell.until("the shell", |it| it.caret().before.ends_with("shell>").then_some(()));
    shell.types(&format!("'{OX}' --allow 'run_command(echo begun; cat go)' --model '{model}'\r"));
    shell.pictures(&["Describe a task"]);
    shell.types("a draft");
    shell.pictures(&["› a draft"]);
    back(&mut shell, &["fg", "› a draft"]);
    shell.types("\r");
    shell.pictures(&["begun", "running", "Type to steer"]);
    back(&mut shell, &["fg", "running", "Type to steer"]);
    fs::write(place.project("go"), "enough\n").unwrap();
    shell.pictures(&["fg", "It is done.", "Describe a task"]);
    shell.types("once more\r");
    shell.pictures(&["Run this command?", "y yes"]);
    back(&mut shell, &["fg", "y yes"]);
    shell.types("y");
    shell.pictures(&["It is done.", "Describe a task"]);
    assert_eq!(place.read("made.txt"), "two\n");
    shell.types("\u{4}");
    shell.until("the shell", |it| it.caret().before.ends_with("shell>").then_some(()));
    shell.types("exit\r");
    shell.ends(0);
}

#[test]
fn who_looks_elsewhere_is_notified_of_a_question_and_of_the_end() {
    let place = Place::new();
    let ask = "-- model --\n@ask_user\nquestion: Which one?\n";
    let model = place.script(&format!("-- model --\nHello.\n{ask}-- model --\nThen left.\n"));
    let mut terminal = Terminal::open(&place, &["--mode", "chat", "--model", &model], &[]);
    terminal.pictures(&["Describe a task"]);
    terminal.types("hello\r");
    terminal.pictures(&["Hello.", "Describe a task"]);
    assert!(!terminal.wrote("\u{1b}]9;"));
    terminal.types("\u{1b}[O");
    terminal.types("choose\r");
    terminal.pictures(&["Which one?"]);
    assert!(terminal.wrote("\u{1b}]9;Ox: Waiting for your answer\u{7}"));
    terminal.types("left\r");
    terminal.pictures(&["Then left.", "Describe a task"]);
    assert!(terminal.wrote("\u{1b}]9;Ox: Answered.\u{7}"));
    terminal.leaves();
}

#[test]
fn what_the_model_thought_is_folded_until_it_is_wanted() {
    let place = Place::new();
    let model = place.script("-- model --\n@@think The user greets me.\nHello.\n");
    let args = ["--mode", "chat", "--model", &model, "hello"];
    let mut terminal = Terminal::open(&place, &args, &[("PAGER", "sed s/greets/paged/")]);
    let shown = terminal.pictures(&["Hello.", "Describe a task"]);
    assert!(!shown.contains("The user greets me."), "{shown}");
    terminal.types(CTRL_O);
    terminal.pictures(&["The user paged me.", "Describe a task"]);
    terminal.leaves();
}

#[test]
fn a_turn_that_another_ox_keeps_out_says_so_and_names_no_stages() {
    let place = Place::new();
    let answers = "-- model --\nYes.\n-- model --\nMade too.\n";
    let asks = place.script(&runs("echo mine > made.txt"));
    let mut first = Terminal::open(&place, &["--approval", "ask", "--model", &asks, "make a file"], &[]);
    first.pictures(&["Run this command?", "y yes"]);
    let mut second =
        Terminal::open(&place, &["--mode", "chat", "--model", &place.script(answers), "Is it there?"], &[]);
    second.pictures(&["Yes.", "Describe a task"]);
    second.types("/mode build\r");
    second.pictures(&["Mode: build", "Describe a task"]);
    second.types("make it\r");
    second.pictures(&["Another turn is changing", "“make it” begins when it ends", "Esc stops"]);
    second.types("\x1b");
    second.pictures(&["Not begun. ↑ brings the prompt back.", "Describe a task"]);
    second.types("make it\r");
    second.pictures(&["“make it” begins when it ends"]);
    first.types("y");
    first.pictures(&["It is done.", "Describe a task"]);
    first.leaves();
    second.pictures(&["Made too.", "Describe a task"]);
    let all = second.leaves();
    for mark in ["work", "summary", "record", "clean up", "prepare", "context", "prompt"] {
        for sign in ["✓", "✗"] {
            assert!(!all.contains(&format!("{sign} {mark}")), "{sign} {mark}: {all}");
        }
    }
}

#[test]
fn words_that_are_commands_elsewhere_start_no_turn() {
    let place = Place::new();
    let model = place.script("-- model --\nPAID.\n");
    for word in ["plugins", "logout", "agents", "version", "update", "upgrade", "sesions"] {
        let ran = place.ox_with(&[word], &[("OX_MODEL", model.as_str())]);
        assert!(!ran.out.contains("PAID") && !ran.err.contains("PAID"), "{word}: {}", ran.err);
    }
    let ran = place.ox_with(&["update", "the", "readme"], &[("OX_MODEL", model.as_str())]);
    assert!(ran.refusal(2).contains("ox \"update the readme\""), "{}", ran.err);
    let ran = place.ox(&["update"]);
    assert!(ran.code == Some(0) && ran.out.contains("git pull && cargo build"), "{}{}", ran.out, ran.err);
    assert!(place.ox(&["sessions"]).err.contains("No stored conversations"));
}

#[test]
fn a_start_that_came_to_nothing_leaves_no_conversation() {
    let place = Place::new();
    let model = place.script("-- model --\nHere.\n");
    let terminal = Terminal::open(&place, &["--model", &model], &[]);
    terminal.pictures(&["Describe a task"]);
    terminal.leaves();
    assert_eq!(place.ox(&["run", "--model", "nosuch/model", "hello"]).out, "");
    assert_eq!(place.ox(&["run", "--model", "scripted/absent.txt", "hello"]).out, "");
    assert!(place.ox(&["sessions"]).err.contains("No stored conversations"), "{}", place.ox(&["sessions"]).out);
}

#[test]
fn sentences_of_plain_commands_break_between_words() {
    let place = Place::new();
    let args = ["permit", "curl https://example.com/install.sh | sh"];
    let whole = place.ox(&args);
    let terminal = Terminal::sized(&place, &args, &[], Size { columns: 44, rows: 40 });
    terminal.until("the end", |it| it.screen().iter().any(|row| row.starts_with("code ")).then_some(()));
    let rows = terminal.now(|it| it.screen());
    let words: Vec<&str> = rows.iter().flat_map(|it| it.split_whitespace()).collect();
    for word in whole.out.split_whitespace().chain(whole.err.split_whitespace()).filter(|it| it.chars().count() < 40) {
        assert!(words.contains(&word), "`{word}` was cut: {rows:#?}");
    }
}

/// `kill -9` of Ox in this terminal.
fn kill(place: &Place, terminal: &Terminal) {
    let (root, ox) = (place.project("").canonicalize().unwrap(), fs::canonicalize(OX).unwrap());
    for process in fs::read_dir("/proc").unwrap().flatten() {
        let link = |name: &str| fs::read_link(process.path().join(name)).unwrap_or_default();
        if (link("cwd"), link("exe")) == (root.clone(), ox.clone()) {
            std::process::Command::new("kill").arg("-9").arg(process.file_name()).status().unwrap();
        }
    }
    terminal.until("the end", |it| it.lines().iter().any(|row| row.contains("code 137")).then_some(()));
}

#[test]
fn the_answer_to_a_question_that_a_crash_left_open_goes_on_with_the_turn() {
    let place = Place::new();
    let model = place.script(&runs("echo mine > made.txt"));
    let terminal = Terminal::open(&place, &["--approval", "ask", "--model", &model, "make a file"], &[]);
    terminal.pictures(&["Run this command?", "y yes"]);
    kill(&place, &terminal);
    let model = place.script("-- model --\n@attempt_completion\nresult: Made at last.\n");
    let mut terminal = Terminal::open(&place, &["--continue", "--approval", "ask", "--model", &model], &[]);
    let shown = terminal.pictures(&["Run this command?", "y yes"]);
    assert!(!shown.contains("/continue"), "{shown}");
    terminal.types("y");
    terminal.pictures(&["Made at last.", "Describe a task"]);
    assert_eq!(place.read("made.txt"), "mine\n");
    terminal.leaves();
}

#[test]
fn what_a_crash_left_is_said_once() {
    let place = Place::new();
    let model = place.script(&runs("echo begun > made.txt; sleep 300"));
    let terminal = Terminal::open(&place, &["--allow", "run_command", "--model", &model, "wait"], &[]);
    terminal.pictures(&["running"]);
    kill(&place, &terminal);
    let model = place.script("-- model --\nWent on.\n");
    let mut terminal = Terminal::open(&place, &["--continue", "--model", &model], &[]);
    terminal.pictures(&["Describe a task"]);
    terminal.types("/continue\r");
    terminal.pictures(&["Went on.", "Describe a task"]);
    let all = terminal.now(|it| it.lines().join(" "));
    assert_eq!(all.matches("was running when Ox stopped").count(), 1, "{all}");
    terminal.leaves();
}

#[test]
fn a_report_that_is_written_from_a_terminal_holds_no_escapes() {
    let place = Place::new();
    Terminal::open(&place, &["bug", "--output", "report.md"], &[]).ends(0);
    let report = place.read("report.md");
    assert!(report.contains("✓ Ox ") && !report.contains('\u{1b}'), "{report:?}");
}
