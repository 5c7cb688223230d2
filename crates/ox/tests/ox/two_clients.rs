//! A second client beside the terminal: over the conversation's socket it sees the same and answers what was asked there.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use ox_client::socket::Remote;
use ox_client::view::{Asked, View};
use ox_client::{Control, Update};
use ox_protocol::{CallId, Command, Decision, Delivery, Event, Seq};

use crate::gate::LIMIT;
use crate::place::Place;
use crate::terminal::Terminal;

/// The one socket of the place, once it is there.
fn socket(place: &Place) -> PathBuf {
    let folder = place.home("state/sockets");
    let deadline = Instant::now() + LIMIT;
    loop {
        let found = std::fs::read_dir(&folder).ok().and_then(|mut it| it.next()?.ok());
        if let Some(found) = found {
            return found.path();
        }
        assert!(Instant::now() < deadline, "nobody listens in {folder:?}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// Follows until the view is as it is wanted.
async fn follow(remote: &mut Remote, view: &mut View, until: impl Fn(&View) -> bool) {
    while !until(view) {
        let update = tokio::time::timeout(LIMIT, remote.next()).await.expect("an update").unwrap();
        match update.expect("the session goes on") {
            Update::Frame(frame) => view.apply(&frame),
            Update::Control(Control::Snapshot { view: all }) => *view = *all,
            Update::Control(_) | Update::Delta(_) => {}
        }
    }
}

fn asked(view: &View) -> Option<CallId> {
    view.asked.iter().find(|it| matches!(it, Asked::Approval(_))).map(|it| it.call().clone())
}

#[tokio::test(flavor = "multi_thread")]
async fn one_client_answers_what_the_other_was_asked() {
    let place = Place::new();
    let model = place.script(
        "-- model --\n@run_command\ncommand: echo hello > made.txt\n-- model --\n@run_command\ncommand: rm notes.txt\n\
         -- model --\n@attempt_completion\nresult: All **done**.\n",
    );
    place.write("notes.txt", "mine\n");
    let mut terminal = Terminal::open(&place, &["--model", &model, "make a file"], &[]);
    terminal.shows("y yes");
    let path = socket(&place);
    let (mut view, mut late) = (View::default(), View::default());
    let mut remote = Remote::connect(&path, Seq(1)).await.unwrap();
    follow(&mut remote, &mut view, |it| asked(it).is_some()).await;
    let call = asked(&view).unwrap();
    // The test allows the first command, the person at the terminal refuses the second.
    let allow = Command::Decide { call: call.clone(), decision: Decision::Allow };
    remote.send(allow.clone()).await.unwrap();
    terminal.shows("Allowed");
    terminal.shows("rm notes.txt");
    terminal.shows("n no");
    assert_eq!(place.read("made.txt"), "hello\n");
    follow(&mut remote, &mut view, |it| asked(it).is_some_and(|it| it != call)).await;
    // The first answer has won.
    let second = remote.send(allow).await.unwrap();
    let answer = loop {
        match tokio::time::timeout(LIMIT, remote.next()).await.expect("an answer").unwrap().unwrap() {
            Update::Frame(frame) => view.apply(&frame),
            Update::Control(Control::Rejected { command, why, .. }) if command == second => break why,
            _ => {}
        }
    };
    assert_eq!(answer.code, "rejected.not_asked");
    terminal.types("n");
    terminal.shows("Why not?");
    terminal.types("these are my notes\r");
    let mut other = Remote::connect(&path, Seq(1)).await.unwrap();
    let is_over = |it: &View| it.turn == 1 && !it.busy;
    follow(&mut remote, &mut view, is_over).await;
    follow(&mut other, &mut late, is_over).await;
    assert!(view == late, "whoever comes late sees the same");
    terminal.shows("Refused: these are my notes");
    terminal.shows("All done.");
    terminal.leaves();
    assert!(!path.exists(), "nobody listens any more");
    // What the terminal's own process kept folds to the same view.
    let id = view.conversation.0.clone();
    let reported = place.command(&["sessions", "export", &id, "--format", "json"]).output().unwrap();
    let reported: serde_json::Value = serde_json::from_slice(&reported.stdout).unwrap();
    let frames: Vec<ox_protocol::Frame> = serde_json::from_value(reported["events"].clone()).unwrap();
    let upto = frames.iter().filter(|it| it.seq <= view.seq);
    assert!(View::of(upto) == view, "{:#?}\n{view:#?}", View::of(&frames));
    assert!(frames.iter().any(|it| matches!(it.event, Event::Completion { .. })));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_queued_prompt_is_a_turn_of_its_own_after_the_running_one() {
    let place = Place::new();
    let model = place.script(
        "-- model --\n@run_command\ncommand: echo hello > made.txt\n-- model --\n@attempt_completion\nresult: First.\n\
         -- model --\n@attempt_completion\nresult: Second.\nno_change: nothing to do\n",
    );
    let mut terminal = Terminal::open(&place, &["--model", &model], &[]);
    terminal.shows("› ");
    terminal.types("make a file\r");
    terminal.shows("y yes");
    let mut remote = Remote::connect(&socket(&place), Seq(1)).await.unwrap();
    let mut view = View::default();
    follow(&mut remote, &mut view, |it| asked(it).is_some()).await;
    let queue = |text: &str| Command::Prompt {
        text: text.to_owned(),
        images: Vec::new(),
        mode: None,
        delivery: Delivery::Queue,
    };
    for text in ["wait for it", "never mind"] {
        remote.send(queue(text)).await.unwrap();
    }
    follow(&mut remote, &mut view, |it| it.queue.len() == 2).await;
    let prompts = vec![view.queue[0].id.clone()];
    remote.send(Command::SetQueue { prompts }).await.unwrap();
    follow(&mut remote, &mut view, |it| it.queue.len() == 1).await;
    assert_eq!(view.queue[0].text, "wait for it");
    terminal.types("y");
    follow(&mut remote, &mut view, |it| it.turn == 2 && !it.busy).await;
    assert_eq!((view.queue.len(), view.turns[1].prompt.as_str()), (0, "wait for it"));
    assert_eq!(view.summary.map(|it| it.text), Some("Second.".to_owned()));
    // The first turn is over here too, and the prompt is back.
    terminal.shows("not verified");
    terminal.shows("› ");
    terminal.types("\u{4}");
    terminal.ends(0);
}
