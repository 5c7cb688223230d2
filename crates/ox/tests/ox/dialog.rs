//! A person at a terminal: consent, refusal, steering, stopping, the prompt.

use std::fs;

use crate::place::Place;
use crate::terminal::Terminal;

const CTRL_C: &str = "\u{3}";
const CTRL_D: &str = "\u{4}";

/// One command, then the end.
fn one(command: &str) -> String {
    format!("-- model --\n@run_command\ncommand: {command}\n-- model --\n@attempt_completion\nresult: All **done**.\n")
}

#[test]
fn consent_is_given_by_one_key_after_an_explanation() {
    let place = Place::new();
    let model = place.script(&one("echo hello > made.txt"));
    let mut terminal = Terminal::open(&place, &["--model", &model, "make a file"], &[]);
    terminal.shows("Run this command? (changes the project)");
    terminal.shows("echo hello > made.txt");
    terminal.shows("y yes");
    assert!(!place.project("made.txt").exists(), "it ran unasked");
    terminal.types("x");
    terminal.shows("What it may do:");
    terminal.types("y");
    terminal.shows("All done.");
    terminal.shows("Done, but not verified: there are no checks to run.");
    terminal.leaves();
    assert_eq!(place.read("made.txt"), "hello\n");
}

#[test]
fn a_refusal_with_its_reason_reaches_the_model() {
    let place = Place::new();
    let model = place.script(&one("rm notes.txt"));
    place.write("notes.txt", "mine\n");
    let mut terminal = Terminal::open(&place, &["--model", &model, "tidy up"], &[]);
    terminal.shows("n no");
    terminal.types("n");
    terminal.shows("Why not?");
    terminal.types("these are my notes\r");
    terminal.shows("Refused: these are my notes");
    terminal.shows("All done.");
    terminal.shows("Ended without what you refused.");
    terminal.leaves();
    assert_eq!(place.read("notes.txt"), "mine\n");
    let id = place.ox(&["sessions"]).out.split(' ').next().unwrap().to_string();
    let reported = place.ox(&["sessions", "export", &id, "--format", "json"]).out;
    assert!(reported.contains("the user refused `rm notes.txt` and said: these are my notes."), "{reported}");
}

#[test]
fn a_refusal_without_a_reason_ends_the_turn() {
    let place = Place::new();
    let model = place.script(&one("rm notes.txt"));
    place.write("notes.txt", "mine\n");
    let mut terminal = Terminal::open(&place, &["--model", &model, "tidy up"], &[]);
    terminal.shows("n no");
    terminal.types("n\r");
    terminal.shows("Refused");
    terminal.shows("What should Ox do instead?");
    let all = terminal.leaves();
    assert!(!all.contains("All done."), "the model was asked once more: {all}");
    assert_eq!(place.read("notes.txt"), "mine\n");
}

#[test]
fn an_edit_is_seen_before_it_is_consented_to_and_chosen_with_arrows() {
    let place = Place::new();
    let edit = "-- model --\n@edit_file\npath: a.txt\nold: one\nnew: two\n";
    let model = place.script(&format!("{edit}-- model --\n@attempt_completion\nresult: Edited.\n"));
    place.write("a.txt", "one\n");
    let mut terminal = Terminal::open(&place, &["--approval", "ask", "--model", &model, "count"], &[]);
    terminal.shows("Edit a.txt?");
    terminal.shows("1 - one");
    terminal.shows("1 + two");
    terminal.shows("x explain");
    assert_eq!(place.read("a.txt"), "one\n", "nothing was said yet");
    terminal.types("\u{1b}[B");
    terminal.shows("❯ a always");
    terminal.types("\u{1b}[A");
    terminal.shows("❯ y yes");
    terminal.types("y");
    terminal.shows("Edited.");
    terminal.leaves();
    assert_eq!(place.read("a.txt"), "two\n");
}

#[test]
fn always_asks_once() {
    let place = Place::new();
    let step = "-- model --\n@run_command\ncommand: echo x >> log.txt\n";
    let model = place.script(&format!("{step}{step}-- model --\n@attempt_completion\nresult: Twice.\n"));
    let mut terminal = Terminal::open(&place, &["--model", &model, "log twice"], &[]);
    terminal.shows("a always allow `echo x >> log.txt`");
    terminal.types("a");
    terminal.shows("Allowed for the rest of this conversation: `echo x >> log.txt`");
    terminal.shows("Twice.");
    let all = terminal.leaves();
    assert_eq!(all.matches("Run this command?").count(), 1, "{all}");
    assert_eq!(place.read("log.txt"), "x\nx\n");
}

#[test]
fn what_is_typed_while_a_command_runs_steers_the_turn() {
    let place = Place::new();
    let pipe = place.project("go on");
    let made = std::process::Command::new("mkfifo").arg(&pipe).status().unwrap();
    assert!(made.success());
    let model = place.script(&one("echo x > made.txt; cat 'go on'"));
    let args = ["--allow", "run_command", "--model", &model, "wait for it"];
    let mut terminal = Terminal::open(&place, &args, &[]);
    terminal.shows("running");
    terminal.types("use tabs please\r");
    terminal.shows("use tabs please");
    terminal.shows("(queued; the agent reads it after the current step)");
    fs::write(&pipe, "enough\n").unwrap();
    terminal.shows("All done.");
    terminal.leaves();
    let reported = place.ox(&["sessions", "search", "use tabs please"]);
    assert_eq!(reported.out.lines().count(), 1, "{}", reported.out);
}

#[test]
fn what_is_queued_comes_back_when_the_turn_is_stopped() {
    let place = Place::new();
    let model = place.script(&one("echo begun; sleep 600"));
    let args = ["--allow", "run_command", "--model", &model, "wait for it"];
    let mut terminal = Terminal::open(&place, &args, &[]);
    terminal.shows("running");
    terminal.types("use tabs please\r");
    terminal.shows("takes back what is queued");
    terminal.types("\u{1b}");
    terminal.shows("Taken back: use tabs please");
    // What the command printed until then stays, and so does what was said.
    terminal.shows("    begun");
    terminal.shows("› use tabs please");
    terminal.types(CTRL_C);
    terminal.leaves();
    let id = place.ox(&["sessions"]).out.split(' ').next().unwrap().to_string();
    let log = place.ox(&["sessions", "export", &id, "--format", "json"]).out;
    assert!(log.contains("taken_back") && log.contains("begun\\n[stopped by the user"), "{log}");
}

#[test]
fn a_terminal_that_is_closed_takes_ox_with_it() {
    let place = Place::new();
    let model = place.script(&one("sleep 300"));
    let mut terminal = Terminal::open(&place, &["--allow", "run_command", "--model", &model, "wait"], &[]);
    terminal.shows("running");
    let works_here = |entry: &fs::DirEntry| {
        let link = |name: &str| fs::read_link(entry.path().join(name)).unwrap_or_default();
        link("cwd") == place.project("").canonicalize().unwrap()
    };
    let working = || fs::read_dir("/proc").unwrap().flatten().filter(works_here).count();
    assert!(working() > 1, "neither Ox nor its command was found");
    terminal.closes();
    let deadline = std::time::Instant::now() + crate::gate::LIMIT;
    while working() > 0 {
        assert!(std::time::Instant::now() < deadline, "Ox or its command goes on without a terminal");
        std::thread::yield_now();
    }
}

#[test]
fn ctrl_c_clears_what_is_typed_and_leaves_only_when_nothing_was() {
    let place = Place::new();
    let mut terminal = Terminal::open(&place, &["--model", &place.script(&one("true"))], &[]);
    terminal.shows("› ");
    terminal.types(CTRL_C);
    terminal.shows("Press Ctrl-C again to exit; Ctrl-D exits too.");
    terminal.types("new text");
    terminal.shows("new text");
    terminal.types(CTRL_C);
    terminal.shows("› ");
    // Still here, and the text can be had back.
    terminal.types("\u{1b}[A");
    terminal.shows("new text");
    terminal.types(CTRL_C);
    terminal.shows("› ");
    terminal.types(CTRL_C);
    terminal.shows("Press Ctrl-C again to exit; Ctrl-D exits too.");
    terminal.types(CTRL_C);
    terminal.ends(0);
}

#[test]
fn ctrl_c_stops_the_turn_and_gives_the_terminal_back() {
    let place = Place::new();
    let model = place.script(&one("sleep 300"));
    let mut terminal = Terminal::open(&place, &["--allow", "run_command", "--model", &model, "wait"], &[]);
    terminal.shows("running");
    terminal.types(CTRL_C);
    terminal.shows("Stopping this turn. Press Ctrl-C again to exit.");
    terminal.shows("Interrupted. Say what to do instead, or /continue.");
    terminal.leaves();
    // The words are kept: what was asked is shown again, and one command takes it up.
    let model = place
        .script("-- model --\n@list_files\n-- model --\n@attempt_completion\nresult: Went on.\nno_change: a pause\n");
    let mut terminal = Terminal::open(&place, &["resume", "--model", &model], &[]);
    terminal.shows("› wait");
    terminal.types("\r");
    terminal.shows("The last turn did not finish; /continue continues it.");
    terminal.shows("› ");
    terminal.types("/continue\r");
    terminal.shows("Went on.");
    terminal.shows("› ");
    terminal.types("/exit\r");
    terminal.ends(0);
}

#[test]
fn the_prompt_knows_commands_runs_tasks_and_leaves() {
    let place = Place::new();
    let model = place.script("-- model --\n@list_files\n-- model --\nNothing is *here*.\n");
    let mut terminal = Terminal::open(&place, &["--mode", "chat", "--model", &model], &[]);
    terminal.shows("mode chat");
    terminal.shows("› ");
    terminal.types("/help\r");
    terminal.shows("Start a new conversation");
    terminal.types("What is here?\r");
    terminal.shows("Nothing is here.");
    terminal.shows("› ");
    terminal.types("/nonsense\r");
    terminal.shows("Unknown command /nonsense");
    terminal.types("/exit\r");
    terminal.ends(0);
    // An empty conversation and Ctrl-D leave as well.
    let mut terminal = Terminal::open(&place, &["--model", &model], &[("OX_LANGUAGE", "zh")]);
    terminal.shows("/help");
    terminal.shows("› ");
    terminal.types(CTRL_D);
    terminal.ends(0);
}

#[test]
fn files_and_conversation_go_back_and_forth_at_the_prompt() {
    let place = Place::new();
    place.write("a.txt", "one\n");
    let model = place.script(
        "-- model --\n@read_file\npath: a.txt\n-- model --\n@edit_file\npath: a.txt\nold: one\nnew: two\n\
         -- model --\n@attempt_completion\nresult: Made it two.\n",
    );
    let mut terminal = Terminal::open(&place, &["--approval", "accept-edits", "--model", &model], &[]);
    terminal.shows("› ");
    // A command that the turn does not allow waits for its end.
    terminal.types("make it two\r/undo\r");
    terminal.shows("/undo runs when this turn has ended.");
    terminal.shows("Made it two.");
    terminal.shows("go either way");
    terminal.shows("~ a.txt");
    assert_eq!(place.read("a.txt"), "one\n");
    terminal.shows("› ");
    terminal.types("/redo\r");
    terminal.shows("go either way");
    assert_eq!(place.read("a.txt"), "two\n");
    terminal.shows("› ");
    terminal.types("/rewind\r");
    terminal.shows("1 file changes:");
    terminal.shows("a.txt  +1 -1");
    assert_eq!(place.read("a.txt"), "two\n");
    terminal.types("\u{1b}");
    terminal.pictures(&["Describe a task"]);
    terminal.types("/resume\r");
    terminal.shows("make it two");
    terminal.types("\u{1b}");
    terminal.pictures(&["Describe a task"]);
    place.write("a.txt", "mine\n");
    terminal.types("/rewind 1\r");
    terminal.shows("These files have changes that the turn did not make");
    terminal.shows("/rewind 1 force: restore everything");
    assert_eq!(place.read("a.txt"), "mine\n");
    terminal.shows("› ");
    terminal.types("/rewind 1 force\r");
    terminal.shows("Conversation rewound to before turn 1");
    assert_eq!(place.read("a.txt"), "one\n");
    // What was asked there can be said otherwise.
    terminal.shows("› make it two");
    terminal.types("\u{15}/rewind 7\r");
    terminal.shows("There is no turn 7");
    terminal.shows("› ");
    terminal.types("/exit\r");
    terminal.ends(0);
}

#[test]
fn without_colour_only_the_colour_is_missing() {
    let place = Place::new();
    let model = place.script(&one("echo hello > made.txt"));
    let args = ["--allow", "run_command", "--model", &model, "say hello"];
    let mut terminal = Terminal::open(&place, &args, &[("NO_COLOR", "1")]);
    terminal.shows("All done.");
    terminal.shows("› ");
    let plain = ["[0m", "[1m", "[2m", "[3m", "[4m", "[1;4m", "[7m"];
    let coloured = |it: &&String| it.ends_with('m') && !plain.contains(&it.as_str());
    assert_eq!(terminal.escapes().iter().find(coloured), None);
    terminal.leaves();
    let mut terminal = Terminal::open(&place, &args, &[("TERM", "dumb")]);
    terminal.shows("All done.");
    assert_eq!(terminal.escapes(), Vec::<String>::new());
    terminal.leaves();
}

#[test]
fn a_picture_in_the_clipboard_goes_with_the_message() {
    let place = Place::new();
    let model = place.script("-- model --\nIt is one pixel.\n");
    let bin = tempfile::tempdir().unwrap();
    let program = bin.path().join("xclip");
    std::fs::write(&program, format!("#!/bin/sh\nprintf '{ONE_PIXEL}' | base64 -d\n")).unwrap();
    std::fs::set_permissions(&program, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    let path = format!("{}:{}", bin.path().display(), std::env::var("PATH").unwrap());
    let env = [("PATH", path.as_str()), ("DISPLAY", ":0"), ("WAYLAND_DISPLAY", "")];
    let mut terminal = Terminal::open(&place, &["--model", &model], &env);
    terminal.shows("› ");
    terminal.types("\u{16}");
    terminal.shows("[Image #1]");
    terminal.types(" what is it?\r");
    terminal.shows("Attached: ");
    terminal.shows("It is one pixel.");
    terminal.leaves();
    // Without one, nothing is attached.
    std::fs::write(&program, "#!/bin/sh\nexit 1\n").unwrap();
    let mut terminal = Terminal::open(&place, &["--model", &model], &env);
    terminal.shows("› ");
    terminal.types("\u{16}");
    terminal.shows("There is no image in the clipboard.");
    terminal.leaves();
}

/// A picture of one pixel, as base64.
const ONE_PIXEL: &str =
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
