//! Conversations after their run: listed, found, gone on with.

use expect_test::expect;

use crate::place::Place;
use crate::provider::{Format, Provider};

const LOOKS: &str = "-- model --\n@list_files\n-- model --\nIt is empty.\n";

#[test]
fn conversations_are_listed_searched_and_gone_on_with_by_name() {
    let place = Place::new();
    let first = place.play(LOOKS, &["--mode", "chat", "--name", "first", "What is here?"]);
    assert_eq!(first.code, Some(0), "{}", first.err);
    let id = first.err.lines().next().unwrap().trim_start_matches("Conversation ").to_string();
    place.play(LOOKS, &["--mode", "chat", "And now?"]);
    let list = place.ox(&["sessions", "list"]).out;
    assert!(list.lines().count() == 2 && list.contains("first"), "{list}");
    let found = place.ox(&["sessions", "search", "what is here"]).out;
    assert!(found.starts_with(&id) && found.lines().count() == 1, "{found}");
    // Nothing names a model: it is the conversation's own.
    let ran = place.ox(&["run", "--mode", "chat", "--resume", &id, "Once more?"]);
    assert!(ran.err.contains("The script script.txt cannot be used"), "{}", ran.err);
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
        ox: There is no conversation nope. `ox sessions` lists those that exist.
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
    // Without the conversation's id and the stages with their times.
    let words: Vec<&str> = words.lines().skip(1).filter(|it| !it.ends_with(" ms)")).collect();
    expect![[r#"
        ✗ Another turn is changing /project: ox (process PID). Wait until it is done, or work in another working tree.

        ✗ Stopped: Ox could not go on."#]]
    .assert_eq(&words.join("\n"));
    // Reading is possible meanwhile, and the killed run gave the tree back.
    assert_eq!(place.play(LOOKS, &["--mode", "chat", "look"]).code, Some(0));
}
