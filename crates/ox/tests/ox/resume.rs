//! Conversations after their run: listed, found, gone on with.

use std::time::Instant;

use expect_test::expect;

use crate::place::{Place, Ran};
use crate::provider::{Format, Provider};
use crate::terminal::Terminal;

const LOOKS: &str = "-- model --\n@list_files\n-- model --\nIt is empty.\n";

/// The conversation that a run was.
fn id(ran: &Ran) -> String {
    ran.err.lines().next().unwrap().trim_start_matches("Conversation ").to_string()
}

#[test]
fn conversations_are_listed_searched_and_gone_on_with_by_name() {
    let place = Place::new();
    let first = place.play(LOOKS, &["--mode", "chat", "--name", "first", "What is here?"]);
    assert_eq!(first.code, Some(0), "{}", first.err);
    let id = id(&first);
    place.play(LOOKS, &["--mode", "chat", "And now?"]);
    let list = place.ox(&["sessions", "list"]).out;
    assert!(list.lines().count() == 2 && list.contains("first"), "{list}");
    let found = place.ox(&["sessions", "search", "what is here"]).out;
    assert!(found.starts_with(&id) && found.lines().count() == 1, "{found}");
    // Nothing names a model: it is the conversation's own.
    let ran = place.ox(&["run", "--mode", "chat", "--resume", &id, "Once more?"]);
    assert!(ran.err.contains("Cannot read the script script.txt"), "{}", ran.err);
    // A second task in the first conversation knows what was said.
    let provider = Provider::new(Format::OpenAi, "-- model --\nStill empty.\n");
    let ran = place.finish(place.command_on(&provider, &["run", "--mode", "chat", "--resume", &id, "Again?"]));
    assert_eq!((ran.code, ran.out.as_str()), (Some(0), "Still empty.\n"), "{}", ran.err);
    provider.is_content();
    let request = provider.mock.requests()[0]["messages"].to_string();
    let order = ["What is here?", "It is empty.", "Again?"].map(|it| request.find(it).unwrap());
    assert!(order.is_sorted(), "{request}");
    assert_eq!(place.ox(&["sessions", "list"]).out.lines().count(), 2);
    expect![[r#"
        ox: There is no conversation nope. `ox sessions` lists all.
    "#]]
    .assert_eq(place.ox(&["run", "--model", &place.script(LOOKS), "--resume", "nope", "x"]).refusal(1));
}

#[test]
fn a_tree_that_another_run_changes_is_named_with_its_holder() {
    let place = Place::new();
    let mut provider = Provider::new(
        Format::OpenAi,
        "-- model --\n@write_file\npath: a.txt\ncontent: a\n-- model --\n@attempt_completion\nresult: Made.\n",
    );
    let held = crate::gate::before(&mut provider, 2, crate::gate::Keep::Everything);
    let mut busy = crate::place::start(&mut place.command_on(&provider, &["run", "make it"]));
    held.recv_timeout(crate::gate::LIMIT).unwrap();
    let second = place.play(LOOKS, &["change it"]);
    let words = second.err.replace(&busy.id().to_string(), "PID");
    busy.kill().unwrap();
    busy.wait().unwrap();
    assert_eq!((second.code, second.out.as_str()), (Some(1), ""), "{words}");
    // Without the conversation's id.
    let words: Vec<&str> = words.lines().skip(1).collect();
    expect![[r#"
        ✗ Another turn is changing /project: ox (process PID). Wait until it ends, or use another working tree.

        ✗ Stopped by the error above."#]]
    .assert_eq(&words.join("\n"));
    // Reading is possible meanwhile, and the killed run gave the tree back.
    assert_eq!(place.play(LOOKS, &["--mode", "chat", "look"]).code, Some(0));
}

#[test]
fn a_conversation_that_another_run_goes_on_with_is_left_to_it() {
    let place = Place::new();
    let id = id(&place.play(LOOKS, &["--mode", "chat", "What is here?"]));
    let mut provider = Provider::new(Format::OpenAi, "-- model --\nStill empty.\n");
    let (held, go_on) = crate::gate::until_reported(&mut provider, 1);
    let args = ["run", "--mode", "chat", "--resume", &id, "Again?"];
    let (began, busy) = (Instant::now(), crate::place::start(&mut place.command_on(&provider, &args)));
    held.recv_timeout(crate::gate::LIMIT).unwrap();
    let model = place.script(LOOKS);
    for args in [&["run", "--resume", &id, "--mode", "chat", "And now?"][..], &["resume", &id]] {
        let second = place.ox(&[args, &["--model", &model]].concat());
        let words = second.refusal(1).replace(&busy.id().to_string(), "PID").replace(&id, "ID");
        assert_eq!(
            words,
            "ox: Conversation ID is open in another session (ox (process PID)). Nothing was written. Close that session, or start a new conversation.\n"
        );
    }
    go_on.send(()).unwrap();
    let first = place.ended(busy, began);
    assert_eq!((first.code, first.out.as_str()), (Some(0), "Still empty.\n"), "{}", first.err);
    provider.is_content();
    let log = place.ox(&["sessions", "export", &id, "--format", "json"]).out;
    assert!(log.contains("Still empty.") && !log.contains("And now?"), "{log}");
}

#[test]
fn a_mode_said_for_this_run_counts_in_a_conversation_that_has_one() {
    let place = Place::new();
    let answer = "-- model --\n@list_files\n-- model --\nHere.\n";
    let first = place.play(answer, &["--mode", "chat", "What is here?"]);
    let (id, model) = (id(&first), place.script(answer));
    std::fs::write(place.home("config.toml"), "mode = \"build\"\n").unwrap();
    let task = ["run", "--model", &model, "--resume", &id, "And now?"];
    let goes_on = ["resume", &id, "--model", &model, "--max-iterations", "1"];
    for (args, variables) in [
        // What a file says is for new conversations.
        (task.to_vec(), &[][..]),
        ([&task[..], &["--mode", "plan"]].concat(), &[]),
        (task.to_vec(), &[]),
        (task.to_vec(), &[("OX_MODE", "chat")]),
        ([&goes_on[..], &["--mode", "plan"]].concat(), &[]),
        (goes_on.to_vec(), &[("OX_MODE", "chat")]),
    ] {
        place.ox_with(&args, variables);
    }
    let exported = place.ox(&["sessions", "export", &id, "--format", "json"]).out;
    let exported: serde_json::Value = serde_json::from_str(&exported).unwrap();
    let began = exported["events"].as_array().unwrap().iter().filter(|it| it["event"] == "turn_start");
    let modes: Vec<&str> = began.map(|it| it["mode"].as_str().unwrap()).collect();
    assert_eq!(modes, ["chat", "chat", "plan", "plan", "chat", "plan", "chat"]);
}

#[test]
fn a_conversation_that_is_gone_on_with_shows_its_last_turns() {
    let place = Place::new();
    let answer = |text: &str| format!("-- model --\n{text}\n");
    let first = place.play(&answer("The first answer."), &["--mode", "chat", "What is one?"]);
    let id = id(&first);
    for (text, asked) in [("The second answer.", "What is two?"), ("The third answer.", "What is three?")] {
        let ran = place.play(&answer(text), &["--mode", "chat", "--resume", &id, asked]);
        assert_eq!(ran.code, Some(0), "{}", ran.err);
    }
    let model = place.script(&answer("The fourth answer."));
    let mut terminal = Terminal::open(&place, &["-c", "--model", &model], &[]);
    terminal.shows(&format!("Conversation {id}"));
    for said in [
        "› What is one?",
        "The first answer.",
        "What is two?",
        "The second answer.",
        "What is three?",
        "The third answer.",
    ] {
        terminal.shows(said);
    }
    // Before the prompt is there, the end of the input is the terminal's own affair.
    terminal.shows("Describe a task");
    terminal.leaves();
}

#[test]
fn a_conversation_that_goes_on_with_another_model_shows_that_one_and_parts_its_turns() {
    let place = Place::new();
    place.play(LOOKS, &["--mode", "chat", "--name", "here", "What is here?"]);
    place.play(LOOKS, &["--mode", "chat", "--resume", "here", "And now?"]);
    place.write("other.txt", LOOKS);
    let other = format!("scripted/{}", place.project("other.txt").display());
    let terminal = Terminal::open(&place, &["-c", "--model", &other], &[]);
    let shown = terminal.pictures(&["› And now?", "Describe a task"]);
    let footer = shown.lines().find(|it| it.contains("chat ·") && it.contains("context")).unwrap();
    assert!(footer.contains("scripted/other.txt"), "{shown}");
    let parted = shown.lines().map(str::trim_end).collect::<Vec<&str>>().join("\n");
    assert!(parted.contains("\n\n› And now?"), "{parted}");
    terminal.leaves();
}
