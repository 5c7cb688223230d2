//! Lists to choose from at a terminal: conversations, points to go back to, earlier messages, models.

use std::fs;

use crate::place::Place;
use crate::provider::{Format, Provider};
use crate::terminal::Terminal;

const DOWN: &str = "\u{1b}[B";
const ESCAPE: &str = "\u{1b}";
const RENAME: &str = "\u{12}";
const DELETE: &str = "\u{4}";

/// A turn that writes a file and says so.
fn writes(file: &str, content: &str) -> String {
    format!(
        "-- model --\n@write_file\npath: {file}\ncontent: {content}\n-- model --\n@attempt_completion\nresult: Wrote {file}.\n"
    )
}

/// A conversation of two turns, each of which wrote a file.
fn two_turns(place: &Place) -> Terminal {
    let model = place.script(&(writes("a.txt", "one") + &writes("b.txt", "two")));
    let mut terminal = Terminal::open(place, &["--approval", "auto", "--mode", "build", "--model", &model], &[]);
    for (prompt, file) in [("begin with a", "a.txt"), ("go on with b", "b.txt")] {
        terminal.pictures(&["Describe a task"]);
        terminal.types(&format!("{prompt}\r"));
        terminal.pictures(&[&format!("Wrote {file}."), "Done, but not verified", "Describe a task"]);
    }
    terminal
}

#[test]
fn a_conversation_is_searched_renamed_deleted_and_gone_on_with() {
    let place = Place::new();
    let says = |text: &str| format!("-- model --\n{text}\n");
    for (prompt, reply) in [("What is a monad?", "A burrito."), ("Why is it slow?", "It sleeps."), ("Old", "Gone.")] {
        place.play(&says(reply), &["--mode", "chat", prompt]);
    }
    let model = place.script(&says("Once more."));
    let mut terminal = Terminal::open(&place, &["--mode", "chat", "--model", &model, "--resume"], &[]);
    terminal.pictures(&["Continue a conversation"]);
    terminal.pictures(&["Old"]);
    terminal.pictures(&["Gone."]);
    terminal.types(DELETE);
    terminal.pictures(&["Delete “Old” for good? y/N"]);
    terminal.types("y");
    terminal.pictures(&["Deleted."]);
    terminal.types("monad");
    terminal.pictures(&["A burrito."]);
    terminal.types(RENAME);
    terminal.pictures(&["New title: What is a monad?"]);
    terminal.types("\u{15}Burritos\r");
    terminal.pictures(&["Renamed."]);
    terminal.types("\r");
    terminal.pictures(&["A burrito.", "Describe a task"]);
    terminal.types("and again?\r");
    terminal.pictures(&["Once more."]);
    terminal.leaves();
    let list = place.ox(&["sessions"]).out;
    assert_eq!(list.lines().count(), 2, "{list}");
    let first = list.lines().next().unwrap();
    let cells: Vec<&str> = first.split("  ").map(str::trim).filter(|it| !it.is_empty()).collect();
    assert!(cells.contains(&"2") && cells.contains(&"Burritos"), "{list}");
}

#[test]
fn leaving_the_list_opens_nothing() {
    let place = Place::new();
    place.play("-- model --\nIt is.\n", &["--mode", "chat", "Is it?"]);
    let mut terminal = Terminal::open(&place, &["resume"], &[]);
    terminal.pictures(&["Continue a conversation"]);
    terminal.types(ESCAPE);
    terminal.ends(0);
    assert_eq!(place.ox(&["sessions"]).out.lines().count(), 1);
}

#[test]
fn going_back_puts_back_the_files_the_conversation_or_both() {
    for (choice, a, b, turns) in [("1", true, false, 1), ("2", true, true, 1), ("3", true, false, 2)] {
        let place = Place::new();
        let mut terminal = two_turns(&place);
        terminal.types("/rewind\r");
        terminal.pictures(&["Go back to before a turn"]);
        terminal.pictures(&["go on with b"]);
        terminal.pictures(&["1 file changes:"]);
        terminal.pictures(&["b.txt  +0 -1"]);
        terminal.types("\r");
        terminal.pictures(&["Before turn 2: go on with b"]);
        terminal.pictures(&["Files and conversation"]);
        terminal.types(choice);
        terminal.pictures(&[if choice == "3" { "as it was" } else { "rewound to before turn 2" }]);
        // What was asked there stands where it can be said otherwise.
        match choice {
            "3" => drop(terminal.pictures(&["Describe a task"])),
            _ => terminal.is_typed("go on with b"),
        }
        terminal.types("\u{15}/rewind\r");
        terminal.pictures(&["Go back to before a turn"]);
        terminal.pictures(&[&format!("1/{turns}")]);
        terminal.types(ESCAPE);
        terminal.pictures(&["Describe a task"]);
        terminal.leaves();
        let is_there = |name: &str| place.project(name).exists();
        assert_eq!((is_there("a.txt"), is_there("b.txt")), (a, b), "choice {choice}");
    }
}

#[test]
fn an_earlier_message_is_edited_in_a_fork() {
    let place = Place::new();
    let mut terminal = two_turns(&place);
    terminal.types(ESCAPE);
    terminal.pictures(&["Esc again"]);
    terminal.types(ESCAPE);
    terminal.pictures(&["Edit an earlier message"]);
    terminal.pictures(&["begin with a"]);
    terminal.types("\r");
    terminal.pictures(&["A fork; the conversation before is kept"]);
    terminal.is_typed("go on with b");
    terminal.types(" or c\r");
    terminal.pictures(&["› go on with b or c", "4 steps", "Describe a task"]);
    terminal.leaves();
    assert!(fs::exists(place.project("b.txt")).unwrap(), "a fork leaves the files alone");
    let list = place.ox(&["sessions"]).out;
    assert!(list.lines().count() == 2 && list.lines().all(|it| it.contains("  2  ")), "{list}");
    let id = list.split(' ').next().unwrap();
    let export = place.ox(&["sessions", "export", id]).out;
    assert!(export.contains("begin with a") && export.contains("go on with b or c"), "{export}");
}

#[test]
fn a_model_is_chosen_by_a_short_name_and_from_the_list() {
    let place = Place::new();
    let model = place.script("-- model --\nIt is.\n");
    let key = [("ANTHROPIC_API_KEY", "sk-none")];
    let mut terminal = Terminal::open(&place, &["--mode", "chat", "--model", &model], &key);
    terminal.pictures(&["Describe a task"]);
    terminal.types("/model opus\r");
    terminal.pictures(&["Model: anthropic/claude-opus-5-5"]);
    terminal.types("/model sonet\r");
    terminal.pictures(&["Did you mean sonnet?"]);
    terminal.types("/model\r");
    terminal.pictures(&["Choose a model"]);
    terminal.pictures(&["anthropic/claude-opus-5-5"]);
    terminal.types("haiku");
    terminal.types("\r");
    terminal.pictures(&["Model: anthropic/claude-haiku-5-5"]);
    terminal.leaves();
    let explained = place.ox(&["models", "explain", "sonnet"]).out;
    assert!(explained.contains("anthropic/claude-sonnet-5-5"), "{explained}");
    assert!(place.ox(&["models"]).out.contains("haiku"));
}

#[test]
fn a_theme_is_shown_while_one_moves_and_kept_once_chosen() {
    let place = Place::new();
    let model = place.script("-- model --\nIt is.\n");
    let mut terminal = Terminal::open(&place, &["--model", &model], &[]);
    terminal.pictures(&["Describe a task"]);
    terminal.types("/theme\r");
    terminal.pictures(&["For light backgrounds"]);
    terminal.types(&format!("{DOWN}{DOWN}"));
    terminal.types("\r");
    terminal.pictures(&["Theme: light, kept in your configuration"]);
    terminal.types("/status\r");
    terminal.pictures(&["asks before each change"]);
    terminal.leaves();
    assert_eq!(place.ox(&["config", "get", "theme"]).out.trim(), "light");
}

#[test]
fn how_much_the_model_reasons_is_chosen_and_kept_with_the_conversation() {
    let place = Place::new();
    let provider = Provider::new(Format::OpenAi, "-- model --\nOne.\n-- model --\nTwo.\n-- model --\nThree.\n");
    let flags = provider.flags();
    let mut args: Vec<&str> = flags.iter().map(String::as_str).collect();
    args.extend(["--mode", "chat"]);
    let mut terminal = Terminal::open(&place, &[&args[..], &["--effort", "low"]].concat(), &[provider.key()]);
    terminal.pictures(&["Describe a task", "mock-model low"]);
    terminal.types("one?\r");
    terminal.pictures(&["One.", "Describe a task"]);
    terminal.types("/effort\r");
    terminal.pictures(&["Much reasoning, for hard tasks"]);
    terminal.types("5");
    terminal.pictures(&["Effort: high", "mock-model high"]);
    terminal.types("two?\r");
    terminal.pictures(&["Two.", "Describe a task"]);
    terminal.types("/effort much\r");
    terminal.pictures(&["Unknown effort much."]);
    terminal.leaves();
    // It goes on as the conversation did, where nothing else is asked for.
    let ran = place.finish(place.command_on(&provider, &["run", "--mode", "chat", "--continue", "three?"]));
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let asked: Vec<_> = provider.mock.requests().iter().map(|it| it["reasoning_effort"].clone()).collect();
    assert_eq!(asked, ["low", "high", "high"]);
    provider.is_content();
}

#[test]
fn a_conversation_is_named_copied_written_and_forked() {
    let place = Place::new();
    let model = place.script("-- model --\nSee:\n```sh\nls\n```\n");
    let mut terminal = Terminal::open(&place, &["--mode", "chat", "--model", &model], &[]);
    terminal.pictures(&["Describe a task"]);
    terminal.types("/export\r");
    terminal.pictures(&["This conversation has not begun yet."]);
    terminal.types("how to list?\r");
    terminal.pictures(&["See:"]);
    terminal.pictures(&["Describe a task"]);
    terminal.types("/copy code\r");
    terminal.pictures(&["Copied 1 line"]);
    assert!(terminal.wrote("\u{1b}]52;c;bHMK\u{7}"));
    terminal.types("/rename Listing\r");
    terminal.pictures(&["Title: Listing"]);
    terminal.types("/export out.md\r");
    terminal.pictures(&["Written to"]);
    terminal.types("/fork\r");
    terminal.pictures(&["A fork; the conversation before is kept"]);
    terminal.types("/context\r");
    terminal.pictures(&["of the window"]);
    terminal.leaves();
    assert!(place.read("out.md").contains("how to list?"));
    let list = place.ox(&["sessions"]).out;
    assert!(list.lines().count() == 2 && list.lines().all(|it| it.contains("Listing")), "{list}");
}

#[test]
fn a_conversation_that_another_process_has_is_not_opened_twice() {
    let place = Place::new();
    let model = place.script("-- model --\nIt is.\n");
    let mut first = Terminal::open(&place, &["--mode", "chat", "--model", &model], &[]);
    first.pictures(&["Describe a task"]);
    first.types("Is it?\r");
    first.pictures(&["It is.", "Describe a task"]);
    let mut second = Terminal::open(&place, &["-r"], &[]);
    second.pictures(&["Continue a conversation", "open elsewhere", "Is it?"]);
    second.types("\r");
    second.pictures(&["Continue a conversation", "ox attach"]);
    second.types(ESCAPE);
    second.ends(0);
    first.leaves();
}

#[test]
fn a_command_in_the_background_is_watched_and_stopped() {
    let place = Place::new();
    let model = place.script(
        "-- model --\n@run_command\ncommand: echo early; until [ -e go ]; do sleep 0.05; done; echo it went; cat\nbackground: true\n-- model --\nIt runs.\n",
    );
    let flags = ["--approval", "auto", "--model", &model];
    let mut terminal = Terminal::open(&place, &flags, &[]);
    terminal.pictures(&["Describe a task"]);
    terminal.types("start it\r");
    terminal.pictures(&["It runs.", "1 in background"]);
    terminal.types("/jobs\r");
    terminal.pictures(&["Commands in the background", "job_1", "No output since"]);
    place.write("go", "");
    terminal.pictures(&["╌╌╌", "it went", "Ctrl-D stop"]);
    terminal.types(DELETE);
    terminal.pictures(&["Stop this command and everything it started? y/N"]);
    terminal.types("y");
    terminal.pictures(&["No command runs in the background."]);
    terminal.types(ESCAPE);
    terminal.pictures(&["job_1", "stopped", "Describe a task"]);
    terminal.leaves();
}
