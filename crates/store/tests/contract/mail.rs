//! What every store promises of commands, whatever it is built on.

use ox_protocol::{CommandId, ConversationId, Event, Seq};
use ox_store::{Answer, Owner, StoreError, StoredCommand};

use crate::common::{first, frame};
use crate::{Engine, Opened};

pub fn contract(open: &dyn Fn() -> Opened) {
    commands_wait_for_an_owner_in_the_order_in_which_they_were_sent(&open());
    an_answer_is_stored_with_its_events_once_or_not_at_all(&open());
    of_two_that_answer_at_once_one_counts(&open());
}

fn command(id: &str, json: &str) -> StoredCommand {
    let (id, conversation) = (CommandId(id.into()), ConversationId("c".into()));
    StoredCommand { id, conversation, by: "somebody".into(), json: json.into() }
}

fn answer(id: &str, json: &str) -> Answer {
    Answer { command: CommandId(id.into()), json: json.into() }
}

fn commands_wait_for_an_owner_in_the_order_in_which_they_were_sent([one, other]: &Opened) {
    let missing = Err(StoreError::NotFound { id: "c".into() });
    assert_eq!(one.send(&command("z", "1")), missing);
    let id = one.create(&first("c", "/p", 1)).unwrap();
    for (id, json) in [("z", "1"), ("a", "2"), ("m", "3")] {
        one.send(&command(id, json)).unwrap();
    }
    // The same id is the same command, as it was sent first.
    other.send(&command("z", "else")).unwrap();
    let all = [command("z", "1"), command("a", "2"), command("m", "3")];
    assert_eq!(other.open_commands(&id), Ok(all.to_vec()));
    assert_eq!(one.answer_to(&id, &CommandId("a".into())), Ok(None));
    let owner = other.own(&id).unwrap();
    assert_eq!(other.answer(&id, owner, Seq(1), &[], &answer("z", "done")), Ok(true));
    assert_eq!(one.open_commands(&id), Ok(all[1..].to_vec()));
    assert_eq!(one.answer_to(&id, &CommandId("z".into())), Ok(Some("done".into())));
    let unknown = StoreError::NoCommand { id: CommandId("x".into()) };
    assert_eq!(one.answer_to(&id, &CommandId("x".into())), Err(unknown.clone()));
    assert_eq!(one.answer(&id, owner, Seq(1), &[], &answer("x", "done")), Err(unknown));
    // They go with their conversation.
    one.delete(&id).unwrap();
    one.create(&first("c", "/p", 1)).unwrap();
    assert_eq!(one.open_commands(&id), Ok(vec![]));
}

fn an_answer_is_stored_with_its_events_once_or_not_at_all([one, other]: &Opened) {
    let id = one.create(&first("c", "/p", 1)).unwrap();
    one.send(&command("a", "stop")).unwrap();
    let events = |last: u64| [frame(last + 1, 2, Event::Interrupted), frame(last + 2, 2, Event::Interrupted)];
    let untouched = || {
        assert_eq!(one.read(&id).unwrap().frames.len(), 1);
        assert_eq!(one.answer_to(&id, &CommandId("a".into())), Ok(None));
    };
    // Whatever would refuse the events refuses the answer.
    let conflict = StoreError::Conflict { id: id.clone(), expected: Seq(5), found: Seq(1) };
    assert_eq!(one.answer(&id, Owner::FIRST, Seq(5), &events(5), &answer("a", "no")), Err(conflict));
    untouched();
    let owner = other.own(&id).unwrap();
    let lost = Err(StoreError::Lost { id: id.clone() });
    assert_eq!(one.answer(&id, Owner::FIRST, Seq(1), &events(1), &answer("a", "no")), lost);
    assert_eq!(one.answer(&id, Owner::FIRST, Seq(1), &[], &answer("a", "no")), lost);
    untouched();
    assert_eq!(other.answer(&id, owner, Seq(1), &events(1), &answer("a", "yes")), Ok(true));
    // A second answer is none, and what it led to did not happen.
    assert_eq!(other.answer(&id, owner, Seq(3), &events(3), &answer("a", "again")), Ok(false));
    assert_eq!(one.read(&id).unwrap().frames.len(), 3);
    assert_eq!(one.answer_to(&id, &CommandId("a".into())), Ok(Some("yes".into())));
    other.append(&id, owner, Seq(3), &[frame(4, 3, Event::Interrupted)]).unwrap();
}

fn of_two_that_answer_at_once_one_counts(opened: &Opened) {
    let id = opened[0].create(&first("c", "/p", 1)).unwrap();
    for round in 0..50_u64 {
        let name = format!("c{round}");
        opened[0].send(&command(&name, "do it")).unwrap();
        let last = Seq(round + 1);
        let events = [frame(last.0 + 1, 2, Event::Interrupted)];
        let reply = |engine: &dyn Engine, json: &str| match engine.answer(
            &id,
            Owner::FIRST,
            last,
            &events,
            &answer(&name, json),
        ) {
            Ok(stored) => stored,
            Err(StoreError::Conflict { .. }) => false,
            Err(error) => panic!("{error}"),
        };
        let reply = &reply;
        let stored = std::thread::scope(|scope| {
            let both = [(0, "0"), (1, "1")].map(|(at, json)| scope.spawn(move || reply(&*opened[at], json)));
            both.map(|it| it.join().unwrap())
        });
        assert_eq!(stored.iter().filter(|it| **it).count(), 1, "{stored:?}");
        let counts = opened[0].answer_to(&id, &CommandId(name.clone())).unwrap().unwrap();
        assert!(stored[counts.parse::<usize>().unwrap()], "{counts} is there of {stored:?}");
    }
    assert_eq!(opened[1].info(&id).unwrap().last, Seq(51));
    assert_eq!(opened[1].open_commands(&id), Ok(vec![]));
}
