//! What keys do while something goes on: the user's own command, a turn that is stopped, the editor, a guest.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;

use crate::gate::LIMIT;
use crate::place::Place;
use crate::provider::{Format, Provider};
use crate::terminal::Terminal;

const CTRL_C: &str = "\u{3}";
const CTRL_G: &str = "\u{7}";
const ESCAPE: &str = "\u{1b}";

/// A conversation at its prompt.
fn opened(place: &Place, script: &str, variables: &[(&str, &str)]) -> Terminal {
    let model = place.script(script);
    let terminal = Terminal::open(place, &["--model", &model], variables);
    terminal.pictures(&["Describe a task"]);
    terminal
}

fn pipe(path: &Path) {
    assert!(Command::new("mkfifo").arg(path).status().unwrap().success());
}

/// What the model was sent, as far as the log tells.
fn exported(place: &Place) -> String {
    let id = place.ox(&["sessions"]).out.split(' ').next().unwrap().to_string();
    place.ox(&["sessions", "export", &id, "--format", "json"]).out
}

/// How many processes work in the project of this place.
fn working(place: &Place) -> usize {
    let root = place.project("").canonicalize().unwrap();
    let works_here = |entry: &fs::DirEntry| fs::read_link(entry.path().join("cwd")).is_ok_and(|it| it == root);
    fs::read_dir("/proc").unwrap().flatten().filter(works_here).count()
}

#[test]
fn a_command_of_the_users_own_runs_unasked_and_the_model_reads_what_came_of_it() {
    let place = Place::new();
    pipe(&place.project("go"));
    let mut terminal = opened(&place, "-- model --\nI have seen it.\n", &[]);
    terminal.types("!echo early; cat go; echo wrong >&2; exit 3\r");
    // What it prints is seen while it runs.
    terminal.pictures(&["› !echo early", "early", "running", "Esc stops"]);
    fs::write(place.project("go"), "late\n").unwrap();
    terminal.pictures(&["! echo early", "early", "late", "wrong", "Exit code 3", "Describe a task"]);
    terminal.types("what happened?\r");
    terminal.pictures(&["I have seen it.", "Describe a task"]);
    terminal.leaves();
    let sent = exported(&place);
    assert!(sent.contains("early\\nlate\\nwrong"), "{sent}");
}

#[test]
fn a_command_of_the_users_own_is_stopped_with_all_that_it_started() {
    for key in [CTRL_C, ESCAPE] {
        let place = Place::new();
        let mut terminal = opened(&place, "-- model --\nNothing.\n", &[]);
        let before = working(&place);
        terminal.types("!sleep 300 & echo begun; sleep 300\r");
        terminal.pictures(&["› !sleep", "begun", "Esc stops"]);
        terminal.types(key);
        terminal.pictures(&["! sleep", "begun", "Stopped", "Describe a task"]);
        let deadline = std::time::Instant::now() + LIMIT;
        while working(&place) > before {
            assert!(std::time::Instant::now() < deadline, "a process goes on");
            std::thread::yield_now();
        }
        terminal.leaves();
    }
}

#[test]
fn escape_stops_a_turn_and_keeps_what_is_typed() {
    let place = Place::new();
    let script = "-- model --\n@run_command\ncommand: echo begun; sleep 300\n-- model --\nWent on.\n";
    let model = place.script(script);
    let mut terminal = Terminal::open(&place, &["--allow", "run_command", "--model", &model, "wait"], &[]);
    terminal.pictures(&["begun", "running"]);
    terminal.types("a draft");
    terminal.pictures(&["› a draft"]);
    terminal.types(ESCAPE);
    terminal.pictures(&["Interrupted.", "› a draft"]);
    terminal.types("\u{15}");
    terminal.pictures(&["Describe a task"]);
    terminal.leaves();
}

#[test]
fn what_is_typed_is_edited_in_the_users_editor_and_not_yet_sent() {
    let place = Place::new();
    let editor = place.root().join("editor");
    fs::write(&editor, "#!/bin/sh\nprintf 'first line\\nof %s\\n' \"$(cat \"$1\")\" > \"$1\"\n").unwrap();
    fs::set_permissions(&editor, fs::Permissions::from_mode(0o755)).unwrap();
    let editor = editor.display().to_string();
    for variable in ["EDITOR", "VISUAL"] {
        let mut terminal = opened(&place, "-- model --\nUnderstood.\n", &[(variable, editor.as_str())]);
        terminal.types("a thought");
        terminal.pictures(&["› a thought"]);
        terminal.types(CTRL_G);
        terminal.pictures(&["› first line", "of a thought"]);
        terminal.types(" and more\r");
        terminal.pictures(&["› first line", "of a thought and more", "Understood.", "Describe a task"]);
        terminal.leaves();
        assert!(exported(&place).contains("first line\\nof a thought and more"));
    }
    // One that fails leaves the text as it was.
    let mut terminal = opened(&place, "-- model --\nUnderstood.\n", &[("EDITOR", "false")]);
    terminal.types("a thought");
    terminal.pictures(&["› a thought"]);
    terminal.types(CTRL_G);
    terminal.pictures(&["false", "› a thought"]);
    terminal.types("\u{15}");
    terminal.pictures(&["Describe a task"]);
    terminal.leaves();
}

#[test]
fn a_guest_stops_the_turn_and_leaves_without_ending_it() {
    let place = Place::new();
    let script = "-- model --\n@run_command\ncommand: echo begun; sleep 300\n-- model --\nWent on.\n";
    let model = place.script(script);
    let owner = Terminal::open(&place, &["--allow", "run_command", "--model", &model, "wait"], &[]);
    owner.pictures(&["begun", "running"]);
    let guest = Terminal::open(&place, &["attach"], &[]);
    guest.pictures(&["Joined", "running"]);
    // A guest that leaves in the middle of a turn takes nothing with it.
    assert!(guest.leaves().contains("Left. The conversation goes on."));
    owner.pictures(&["running"]);
    let mut guest = Terminal::open(&place, &["attach"], &[]);
    guest.pictures(&["Joined", "running"]);
    guest.types("a draft");
    guest.pictures(&["› a draft"]);
    // The key clears what is typed before it stops anything.
    guest.types(CTRL_C);
    guest.pictures(&["running", "Type to steer"]);
    guest.types(ESCAPE);
    guest.pictures(&["Interrupted."]);
    owner.pictures(&["Interrupted.", "Describe a task"]);
    guest.types("/exit\r");
    guest.pictures(&["Left. The conversation goes on."]);
    guest.ends(0);
    owner.leaves();
}

#[test]
fn what_is_to_be_remembered_goes_into_the_instructions_and_to_the_model() {
    let place = Place::new();
    place.write("AGENTS.md", "# Rules\n\nBe brief.");
    let mut terminal = opened(&place, "-- model --\nI will.\n", &[]);
    terminal.types("# use tabs, never spaces\r");
    terminal.pictures(&["Added to AGENTS.md.", "Describe a task"]);
    terminal.types("# and no emoji\r");
    terminal.until("the second line", |_| place.read("AGENTS.md").contains("emoji").then_some(()));
    assert_eq!(place.read("AGENTS.md"), "# Rules\n\nBe brief.\n\n- use tabs, never spaces\n- and no emoji\n");
    terminal.types("will you?\r");
    terminal.pictures(&["I will.", "Describe a task"]);
    terminal.leaves();
    assert!(exported(&place).contains("use tabs, never spaces"));
    let fresh = Place::new();
    let mut terminal = opened(&fresh, "-- model --\nI will.\n", &[]);
    terminal.types("# test with cargo test\r");
    terminal.pictures(&["Added to AGENTS.md."]);
    terminal.leaves();
    assert_eq!(fresh.read("AGENTS.md"), "- test with cargo test\n");
}

#[test]
fn the_users_own_command_fills_the_line_below_the_prompt() {
    let place = Place::new();
    place.write(
        "line.sh",
        "printf '\\033[31m%s\\033[0m %s\\nmore' mine \"$(grep -o '\"display_name\":\"[^\"]*' | cut -d '\"' -f 4)\"\n",
    );
    let script = format!("sh {}", place.project("line.sh").display());
    let mut terminal = opened(&place, "-- model --\nHere.\n", &[("OX_STATUS_LINE", script.as_str())]);
    terminal.pictures(&["Describe a task", "mine script.txt"]);
    place.write("line.sh", "grep -o '\"mode\":\"[a-z]*'\n");
    terminal.types("/mode chat\r");
    terminal.pictures(&["Mode: chat", "\"mode\":\"chat"]);
    place.write("line.sh", "echo broken >&2; exit 3\n");
    terminal.types("hello\r");
    terminal.pictures(&["Here.", "Describe a task", "terminal.status_line: broken"]);
    terminal.leaves();
}

#[test]
fn what_is_typed_is_edited_as_in_vi_where_the_user_says_so() {
    let place = Place::new();
    let model = place.script("-- model --\nSo be it.\n");
    let variables = [("OX_EDITING_MODE", "vi")];
    let mut terminal = Terminal::open(&place, &["--mode", "chat", "--model", &model], &variables);
    terminal.pictures(&["Describe a task", "INSERT"]);
    terminal.types("one two");
    terminal.is_typed("one two");
    terminal.types("\u{1b}");
    terminal.pictures(&["one two", "NORMAL"]);
    terminal.types("0dwA three");
    terminal.is_typed("two three");
    terminal.pictures(&["two three", "INSERT"]);
    terminal.types("\u{1b}");
    terminal.pictures(&["NORMAL"]);
    terminal.types("bcwfour\r");
    terminal.pictures(&["› two four", "So be it.", "Describe a task", "INSERT"]);
    terminal.types("\u{1b}");
    terminal.pictures(&["Press Esc again"]);
    terminal.leaves();
}

#[test]
fn an_edit_is_changed_in_the_users_editor_before_it_is_made_and_closing_that_is_no_consent() {
    let place = Place::new();
    place.write("a.txt", "one\ntwo\nthree\n");
    let model = "-- model --\n@edit_file\npath: a.txt\nold: two\nnew: 2\n-- model --\n@attempt_completion\nresult: It is changed.\n";
    let model = place.script(model);
    let script = place.root().join("editor.sh");
    // It leaves the file alone the first time.
    let once = place.root().join("once");
    let text = "[ -e ONCE ] || { touch ONCE; exit; }; grep -q '^2$' \"$1\" && sed -i 's/2/II/; s/one/I/' \"$1\"\n";
    std::fs::write(&script, text.replace("ONCE", &once.display().to_string())).unwrap();
    let editor = format!("sh {}", script.display());
    let args = ["--mode", "build", "--model", &model, "change it"];
    let mut terminal = Terminal::open(&place, &args, &[("EDITOR", &editor)]);
    terminal.pictures(&["Edit a.txt?", "edit it first"]);
    terminal.types("e");
    terminal.until("the editor", |_| once.exists().then_some(()));
    terminal.pictures(&["Edit a.txt?", "edit it first"]);
    assert_eq!(place.read("a.txt"), "one\ntwo\nthree\n");
    terminal.types("e");
    terminal.pictures(&["It is changed.", "Describe a task"]);
    assert_eq!(place.read("a.txt"), "I\nII\nthree\n");
    terminal.leaves();
}

#[test]
fn symbols_are_completed_behind_an_at_sign_and_reach_the_model() {
    let place = Place::new();
    place.write("src/text.py", "import os\n\ndef frobnicate(line):\n    return line\n");
    let provider = Provider::new(Format::OpenAi, "-- model --\nIt gives it back.\n");
    let flags = provider.flags();
    let mut args: Vec<&str> = flags.iter().map(String::as_str).collect();
    args.extend(["--mode", "chat"]);
    let mut terminal = Terminal::open(&place, &args, &[provider.key()]);
    terminal.pictures(&["Describe a task"]);
    terminal.types("what does @frobn");
    terminal.pictures(&["src/text.py:3-4", "frobnicate"]);
    terminal.types("\tdo?\r");
    terminal.pictures(&["what does @src/text.py:3-4 do?", "It gives it back."]);
    terminal.pictures(&["Describe a task"]);
    let asked = provider.mock.requests()[0].to_string();
    assert!(asked.contains("src/text.py: exists") && asked.contains("what does @src/text.py:3-4 do?"), "{asked}");
    terminal.leaves();
}
