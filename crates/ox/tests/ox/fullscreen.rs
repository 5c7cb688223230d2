//! The conversation on a full screen of its own: scrolling, searching, selecting, panes, and the way there and back.

use crate::place::{OX, Place};
use crate::terminal::{Emulator, Size, Terminal};

const ESCAPE: &str = "\u{1b}";
const PAGE_UP: &str = "\u{1b}[5~";
const END: &str = "\u{1b}[F";
const FIND: &str = "\u{6}";
const PANE: &str = "\u{1b}OQ";
const PROMPT: &str = "Describe a task";
const SIZE: Size = Size { columns: 80, rows: 24 };

/// A reply of sixty items.
fn items() -> String {
    let items: String = (1..=60).map(|it| format!("- item {it} of sixty\n")).collect();
    format!("-- model --\n{items}")
}

fn opened(place: &Place, script: &str, flags: &[&str], size: Size) -> Terminal {
    let model = place.script(script);
    let mut all = vec!["--approval", "auto", "--model", &model];
    all.extend(flags);
    let terminal = Terminal::sized(place, &all, &[], size);
    terminal.pictures(&[PROMPT]);
    terminal
}

/// The row and the column, from 1, where a text begins on the screen.
fn place_of(emulator: &Emulator, text: &str) -> Option<(usize, usize)> {
    let rows = emulator.screen();
    rows.iter().enumerate().find_map(|(row, line)| {
        let at = line.find(text)?;
        Some((row + 1, line[..at].chars().count() + 1))
    })
}

/// How often a text stands in what has scrolled off and on the screen.
fn times(terminal: &Terminal, text: &str) -> usize {
    terminal.now(|it| it.lines().iter().filter(|line| line.contains(text)).count())
}

#[test]
fn it_is_scrolled_by_keys_and_wheel_and_follows_the_end_again() {
    let place = Place::new();
    let script = items() + "-- model --\nA second answer.\n";
    let mut terminal = opened(&place, &script, &["--mode", "chat", "--fullscreen"], SIZE);
    assert!(terminal.now(Emulator::is_full));
    terminal.types("tell me\r");
    terminal.pictures(&["item 60 of sixty", PROMPT]);
    terminal.types(PAGE_UP);
    let top = terminal.until("an earlier page", |it| {
        let hidden = place_of(it, "item 60 of").is_none() && place_of(it, "↓ to the end").is_some();
        it.screen().first().filter(|_| hidden).cloned()
    });
    terminal.types("\u{1b}[<64;10;5M");
    let number = |line: &str| line.split(' ').find_map(|it| it.parse::<usize>().ok());
    terminal.until("three rows further up", |it| {
        let now = number(it.screen().first()?)?;
        (now + 3 == number(&top)?).then_some(())
    });
    terminal.types(END);
    terminal.pictures(&["item 60 of sixty", PROMPT]);
    // What is said is seen, with what comes of it, wherever one looked before.
    terminal.types(PAGE_UP);
    terminal.pictures(&["↓ to the end", PROMPT]);
    terminal.types("and then?\r");
    terminal.pictures(&["A second answer.", PROMPT]);
    let all = terminal.leaves();
    assert!(all.contains("ox --resume"), "{all}");
}

#[test]
fn a_text_is_found_and_counted() {
    let place = Place::new();
    let mut terminal = opened(&place, &items(), &["--mode", "chat", "--fullscreen"], SIZE);
    terminal.types("tell me\r");
    terminal.pictures(&["item 60 of sixty", PROMPT]);
    terminal.types(FIND);
    terminal.pictures(&["Find:"]);
    terminal.types("ITEM 1");
    terminal.pictures(&["not found"]);
    terminal.types("\u{15}item 1");
    // `item 1` and `item 10` to `item 19`; the last above the view's bottom is looked at.
    terminal.pictures(&["item 19 of sixty", "Find: item 1", "11/11"]);
    terminal.types("\u{1b}[A");
    terminal.pictures(&["item 18 of sixty", "10/11"]);
    terminal.types("\u{1b}[B\u{1b}[B");
    terminal.pictures(&["item 1 of sixty", "1/11"]);
    terminal.types(ESCAPE);
    terminal.until("the search is gone", |it| place_of(it, "Find:").is_none().then_some(()));
    terminal.leaves();
}

#[test]
fn what_the_mouse_selects_goes_to_the_clipboard() {
    let place = Place::new();
    let script = "-- model --\nSee src/main.rs:12. 全部通过.\n\n```\nfn main() {\n    run();\n}\n```\n";
    let mut terminal = opened(&place, script, &["--mode", "chat", "--fullscreen"], SIZE);
    terminal.types("where?\r");
    terminal.pictures(&["See src/main.rs:12.", "run();", PROMPT]);
    let copied = |terminal: &Terminal, text: &str| {
        terminal.until(text, |it| (it.clipboard() == text).then_some(()));
    };
    let (row, column) = terminal.now(|it| place_of(it, "src/main.rs")).unwrap();
    let click = |row: usize, column: usize| format!("\u{1b}[<0;{column};{row}M\u{1b}[<0;{column};{row}m");
    terminal.types(&click(row, column + 5).repeat(2));
    copied(&terminal, "src/main.rs");
    terminal.pictures(&["Copied 11 characters"]);
    // Three lines of code, dragged from the first cell of the first to the last of the last.
    let from = terminal.now(|it| place_of(it, "fn main()")).unwrap();
    let (last, _) = terminal.now(|it| place_of(it, "run();")).map(|(row, column)| (row + 1, column)).unwrap();
    let drag = format!("\u{1b}[<0;{};{}M\u{1b}[<32;40;{last}M\u{1b}[<0;40;{last}m", from.1, from.0);
    terminal.types(&drag);
    copied(&terminal, "fn main() {\n    run();\n}");
    terminal.leaves();
}

#[test]
fn panes_stand_beside_or_over_the_conversation() {
    let place = Place::new();
    place.write("a.txt", "one\n");
    let script = "-- model --\n@edit_file\npath: a.txt\nold: one\nnew: two\n-- model --\n@attempt_completion\nresult: Changed.\n";
    let size = Size { columns: 120, rows: 30 };
    let mut terminal = opened(&place, script, &["--mode", "build", "--fullscreen"], size);
    terminal.types("change it\r");
    terminal.pictures(&["Changed.", "Done, but not verified", PROMPT]);
    terminal.types(PANE);
    terminal.pictures(&["Plan", "Changes", "Checks", "Jobs"]);
    terminal.types(PANE);
    let picture = terminal.pictures(&["a.txt", "two"]);
    assert!(picture.contains("change it"), "{picture}");
    terminal.resizes(SIZE);
    terminal.until("the pane over the conversation", |it| {
        (place_of(it, "Changes").is_some() && place_of(it, "change it").is_none()).then_some(())
    });
    terminal.types(ESCAPE);
    terminal.pictures(&["Changed."]);
    terminal.leaves();
}

#[test]
fn a_window_pulled_while_a_reply_comes_loses_nothing() {
    let place = Place::new();
    let script = items() + "@run_command\ncommand: until [ -e go ]; do sleep 0.05; done\n-- model --\nThe end of it.\n";
    let mut terminal = opened(&place, &script, &["--fullscreen"], SIZE);
    terminal.types("tell me\r");
    terminal.pictures(&["item 60 of sixty"]);
    for columns in [50, 120, 80] {
        terminal.resizes(Size { columns, rows: 24 });
        terminal.pictures(&["item 60 of sixty"]);
    }
    place.write("go", "");
    terminal.pictures(&["The end of it.", PROMPT]);
    terminal.types("\u{1b}[H");
    terminal.pictures(&["tell me", "item 1 of sixty", "item 2 of sixty"]);
    terminal.leaves();
}

#[test]
fn a_question_is_answered_and_a_turn_stopped() {
    let place = Place::new();
    let script = "-- model --\n@ask_user\nquestion: Which one?\noptions: = [\"left\", \"right\"]\n-- model --\n\
        @run_command\ncommand: echo begun; sleep 600\n";
    let mut terminal = opened(&place, script, &["--fullscreen"], SIZE);
    terminal.types("choose\r");
    terminal.pictures(&["Which one?", "left", "right"]);
    terminal.types("2\r");
    terminal.pictures(&["right", "sleep 600"]);
    terminal.types(ESCAPE);
    terminal.pictures(&["nterrupted", PROMPT]);
    terminal.leaves();
}

#[test]
fn going_there_and_back_prints_nothing_twice_and_is_remembered() {
    let place = Place::new();
    let script = "-- model --\nThe first answer.\n-- model --\nThe second answer.\n-- model --\nThe third answer.\n";
    let mut terminal = opened(&place, script, &["--mode", "chat"], SIZE);
    assert!(!terminal.now(Emulator::is_full));
    terminal.types("one\r");
    terminal.pictures(&["The first answer.", PROMPT]);
    terminal.types("/fullscreen\r");
    terminal.until("the full screen", |it| it.is_full().then_some(()));
    terminal.pictures(&["The first answer.", PROMPT]);
    terminal.types("two\r");
    terminal.pictures(&["The second answer.", PROMPT]);
    assert_eq!(place.ox(&["config", "get", "screen"]).out.trim(), "fullscreen");
    terminal.types("/fullscreen\r");
    terminal.until("the scrollback", |it| (!it.is_full()).then_some(()));
    terminal.pictures(&["The first answer.", "The second answer.", PROMPT]);
    terminal.types("three\r");
    terminal.pictures(&["The third answer.", PROMPT]);
    for answer in ["The first answer.", "The second answer.", "The third answer."] {
        assert_eq!(times(&terminal, answer), 1, "{answer}");
    }
    assert_eq!(place.ox(&["config", "get", "screen"]).out.trim(), "inline");
    terminal.leaves();
}

#[test]
fn it_is_entered_and_left_in_the_middle_of_a_turn() {
    let place = Place::new();
    let script = items() + "@run_command\ncommand: until [ -e go ]; do sleep 0.05; done\n-- model --\nThe end of it.\n";
    let mut terminal = opened(&place, &script, &["--mode", "build"], SIZE);
    terminal.types("tell me\r");
    terminal.pictures(&["item 60 of sixty", "running"]);
    terminal.types("/fullscreen\r");
    terminal.until("the full screen", |it| it.is_full().then_some(()));
    terminal.pictures(&["item 60 of sixty", "running"]);
    terminal.types("/fullscreen\r");
    terminal.until("the scrollback", |it| (!it.is_full()).then_some(()));
    terminal.pictures(&["item 60 of sixty", "running"]);
    place.write("go", "");
    terminal.pictures(&["The end of it.", PROMPT]);
    for text in ["item 1 of sixty", "item 33 of sixty", "item 60 of sixty", "The end of it."] {
        assert_eq!(times(&terminal, text), 1, "{text}");
    }
    terminal.leaves();
}

#[test]
fn the_shell_and_the_editor_get_the_terminal_and_give_it_back() {
    let place = Place::new();
    let model = place.script(&items());
    let editor = place.root().join("edit");
    std::fs::write(&editor, "printf 'first line\\nof %s\\n' \"$(cat \"$1\")\" > \"$1\"\n").unwrap();
    let variables = [("PS1", "shell> "), ("EDITOR", &format!("sh {}", editor.display()))];
    let mut shell = Terminal::of_others(&place, &["bash", "--norc", "-i"], &variables, SIZE);
    let at_the_shell = |it: &Emulator| (!it.is_full() && it.caret().before.ends_with("shell>")).then_some(());
    shell.until("the shell", at_the_shell);
    shell.types(&format!("'{OX}' --fullscreen --mode chat --model '{model}'\r"));
    shell.pictures(&[PROMPT]);
    shell.types("tell me\r");
    shell.pictures(&["item 60 of sixty", PROMPT]);
    shell.types("a draft");
    shell.pictures(&["› a draft"]);
    shell.types("\u{1a}");
    shell.until("the shell", at_the_shell);
    shell.types("fg\r");
    shell.until("the full screen", |it| it.is_full().then_some(()));
    shell.pictures(&["item 60 of sixty", "› a draft"]);
    shell.types("\u{7}");
    shell.pictures(&["item 60 of sixty", "› first line", "of a draft"]);
    assert!(shell.now(Emulator::is_full));
    shell.types("\u{3}");
    shell.pictures(&["item 60 of sixty", PROMPT]);
    shell.types("\u{4}");
    shell.until("the shell", at_the_shell);
    shell.types("exit\r");
    shell.ends(0);
}

#[test]
fn the_terminal_is_itself_again_after_a_signal() {
    let place = Place::new();
    let mut terminal = opened(&place, &items(), &["--mode", "chat", "--fullscreen"], SIZE);
    terminal.types("tell me\r");
    terminal.pictures(&["item 60 of sixty", PROMPT]);
    let ours = std::fs::read_dir("/proc").unwrap().flatten().find(|it| {
        let link = |name: &str| std::fs::read_link(it.path().join(name)).unwrap_or_default();
        link("cwd") == place.project("").canonicalize().unwrap() && link("exe").ends_with("ox")
    });
    let mut kill = std::process::Command::new("kill");
    assert!(kill.arg(ours.unwrap().file_name()).status().unwrap().success());
    terminal.shows("as before");
    assert!(!terminal.now(Emulator::is_full));
    for mode in ["[?1000l", "[?1002l", "[?1006l"] {
        assert!(terminal.escapes().iter().any(|it| it.starts_with(mode)), "{mode}");
    }
}
