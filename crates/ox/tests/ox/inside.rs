//! Commands inside of a conversation, at a terminal that is drawn over and at one that is read aloud.

use std::fs;

use crate::place::Place;
use crate::terminal::Terminal;

const CTRL_C: &str = "\u{3}";
const ESCAPE: &str = "\u{1b}";
const END: &str = "\u{1b}[F";
const SHIFT_TAB: &str = "\u{1b}[Z";

fn conversation(place: &Place, variables: &[(&str, &str)]) -> Terminal {
    let model = place.script("-- model --\n@write_file\npath: a.txt\ncontent: one\n-- model --\nIt is written.\n");
    let args = ["--mode", "build", "--approval", "accept-edits", "--model", &model, "write a"];
    let mut terminal = Terminal::open(place, &args, variables);
    terminal.shows("It is written.");
    terminal
}

#[test]
fn each_command_answers() {
    let place = Place::new();
    let mut terminal = conversation(&place, &[]);
    terminal.pictures(&["Describe a task"]);
    for (typed, answer) in [
        ("/config", "approval"),
        ("/cost", "This conversation"),
        ("/bug", "Nothing was sent."),
        ("/init --no-model", "Wrote "),
        ("/sessions", "●  1"),
    ] {
        terminal.types(&format!("{typed}\r"));
        terminal.shows(answer);
        terminal.pictures(&["Describe a task"]);
    }
    for (typed, title) in [("/checkpoints", "Checkpoints"), ("/permissions", "Permissions: ")] {
        terminal.types(&format!("{typed}\r"));
        terminal.pictures(&[title, "Esc close"]);
        terminal.types(ESCAPE);
        // The list is gone, and so is what a key behind the Escape would make of it.
        terminal.pictures(&["Describe a task"]);
    }
    terminal.types("/new\r");
    terminal.shows("New conversation. /resume ");
    terminal.leaves();
}

#[test]
fn a_checkpoint_is_chosen_by_what_it_would_change_and_put_back_after_a_question() {
    let place = Place::new();
    let mut terminal = conversation(&place, &[]);
    terminal.pictures(&["Describe a task"]);
    terminal.types("/checkpoints\r");
    terminal.pictures(&["Checkpoints", "write a"]);
    terminal.types(END);
    terminal.pictures(&["1 file changes:", "a.txt", "Enter restore"]);
    terminal.types("\r");
    terminal.pictures(&["Put the project's files back to this state? y/N"]);
    terminal.types("n");
    terminal.pictures(&["Enter restore"]);
    assert!(place.project("a.txt").exists());
    terminal.types("\ry");
    terminal.pictures(&["D a.txt", "Restored checkpoint", "Describe a task"]);
    assert!(!place.project("a.txt").exists());
    terminal.leaves();
}

#[test]
fn what_is_read_aloud_prints_its_lists_and_takes_a_number_or_a_name() {
    for variable in [("OX_SCREEN_READER", "true"), ("TERM", "dumb")] {
        let place = Place::new();
        place.play("-- model --\nA burrito.\n", &["--mode", "chat", "What is a monad?"]);
        let mut terminal = conversation(&place, &[variable]);
        for (typed, answer) in [
            ("/theme", "1. auto"),
            ("2", "Theme: dark"),
            ("/theme", "1. auto"),
            ("Light", "Theme: light"),
            ("/theme", "1. auto"),
            ("mauve", "Nothing chosen: mauve is not in the list."),
            ("/jobs", "No command runs in the background."),
            ("/permissions", "Permissions: "),
            ("/resume", "What is a monad?"),
            ("2", "A burrito."),
        ] {
            terminal.types(&format!("{typed}\r"));
            terminal.shows(answer);
        }
        let all = terminal.escapes();
        let shown = terminal.leaves();
        assert!(shown.contains("Type a number or a name."), "{shown}");
        let moves = all.iter().find(|it| it.starts_with('[') && !it.ends_with('m') && !it.starts_with("[?"));
        assert_eq!(moves, None, "{variable:?}");
    }
}

#[test]
fn a_question_of_a_command_ends_with_ctrl_c_and_escape_and_takes_nothing_after_it() {
    let place = Place::new();
    let mut terminal = conversation(&place, &[("OPENAI_API_KEY", "sk-none")]);
    terminal.pictures(&["Describe a task"]);
    for key in [CTRL_C, ESCAPE] {
        terminal.types("/login\r");
        terminal.shows("Whose key is it?");
        terminal.types(key);
        terminal.pictures(&["Describe a task"]);
        terminal.types("/login openai\r");
        terminal.shows("Key for openai (not shown):");
        terminal.types(key);
        terminal.shows("Describe a task");
        terminal.types("/cost\r");
        terminal.shows("This conversation");
        terminal.pictures(&["Describe a task"]);
    }
    let shown = terminal.leaves();
    assert!(!shown.contains("exit code"), "{shown}");
    assert!(!fs::exists(place.home("state/keys.json")).unwrap());
}

#[test]
fn keys_change_policy_and_mode_however_fast_they_come() {
    let place = Place::new();
    let mut terminal = conversation(&place, &[]);
    terminal.pictures(&["Describe a task", "build · edits freely"]);
    terminal.types(SHIFT_TAB);
    terminal.pictures(&["Describe a task", "build · works freely"]);
    // Faster than they can be answered: build, plan, chat, auto, and around.
    terminal.types("\t\t\t");
    terminal.pictures(&["Describe a task", "auto · works freely"]);
    terminal.types("\t\t\t\t\t");
    terminal.pictures(&["Describe a task", "build · works freely"]);
    terminal.leaves();
}

#[test]
fn the_title_says_what_goes_on_and_is_given_back() {
    let place = Place::new();
    let mut terminal = conversation(&place, &[]);
    terminal.pictures(&["Describe a task"]);
    for title in ["Ox", "write a"] {
        assert!(terminal.wrote(title), "{title}");
    }
    assert!(!terminal.wrote("\u{1b}]2;\u{7}"));
    terminal.types("/exit\r");
    terminal.shows("code 0");
    assert!(terminal.wrote("\u{1b}]2;\u{7}"));
}

#[test]
fn a_picture_that_is_dropped_becomes_a_mark() {
    let place = Place::new();
    place.write("a b.png", b"\x89PNG\r\n\x1a\n");
    let mut terminal = conversation(&place, &[]);
    terminal.pictures(&["Describe a task"]);
    let path = place.project("a b.png").display().to_string().replace(' ', "\\ ");
    terminal.types(&format!("\u{1b}[200~{path} \u{1b}[201~"));
    terminal.pictures(&["[Image #1]"]);
    terminal.types("\u{15}");
    terminal.leaves();
}

#[test]
fn leaving_names_the_commands_that_end_with_it() {
    let place = Place::new();
    let model = "-- model --\n@run_command\ncommand: sleep 300\nbackground: true\n-- model --\nIt runs.\n";
    let model = place.script(model);
    let mut terminal = Terminal::open(&place, &["--allow", "run_command", "--model", &model, "start it"], &[]);
    terminal.pictures(&["It runs.", "Describe a task"]);
    terminal.types("/exit\r");
    terminal.shows("Commands in the background end with this conversation: `sleep 300`");
    terminal.ends(0);
}
