//! What every store of conversations promises, whatever it is built on.
#![allow(clippy::unwrap_used)] // The tests' own steps may panic too.

mod common;
#[path = "contract/mail.rs"]
mod mail;
#[path = "contract/queue.rs"]
mod queue;

use std::cell::Cell;
use std::sync::Arc;

use common::{completion, first, frame, reply, turn};
use ox_protocol::{ConversationId, Event, Frame, Money, Seq, Stop, Time, Tokens};
use ox_store::{Log, Mail, Owner, PostgresStore, Queue, Store, StoreError};

/// All that a store can do.
trait Engine: Log + Queue + Mail {}

impl<T: Log + Queue + Mail> Engine for T {}

/// One empty store, opened twice as two processes would; the same one twice where it is in memory.
type Opened = [Arc<dyn Engine>; 2];

/// Runs every promise against stores that `open` makes.
fn contract(open: &dyn Fn() -> Opened) {
    let one = || open()[0].clone();
    what_was_appended_is_read_back(&*one());
    an_append_is_whole_or_nothing(&*one());
    a_log_begins_with_its_name_and_has_no_gap(&*one());
    a_list_shows_facts_newest_first(&*one());
    a_conversation_is_found_by_prefix_or_name(&*one());
    a_name_can_be_given_and_a_conversation_removed(&*one());
    words_are_found_in_what_was_said(&*one());
    what_a_newer_ox_wrote_is_not_continued(&*one());
    the_outline_of_the_last_turns_is_reported(&*one());
    what_is_forgotten_is_said_and_stays_in_the_log(&*one());
    only_the_newest_owner_appends(&open());
    of_two_writers_one_wins_each_number(&open());
    queue::contract(open);
    mail::contract(open);
}

#[test]
fn sqlite_on_disk_keeps_the_contract() {
    let folder = tempfile::tempdir().unwrap();
    let count = Cell::new(0);
    contract(&|| {
        count.set(count.get() + 1);
        let path = folder.path().join(format!("state/{}.db", count.get()));
        [(); 2].map(|()| Arc::new(Store::open(&path).unwrap()) as Arc<dyn Engine>)
    });
}

#[test]
fn sqlite_in_memory_keeps_the_contract() {
    contract(&|| {
        let store: Arc<dyn Engine> = Arc::new(Store::in_memory().unwrap());
        [store.clone(), store]
    });
}

#[test]
#[cfg(target_os = "linux")]
fn postgresql_keeps_the_contract() {
    let Some(server) = common::postgres::Server::start() else { return };
    let count = Cell::new(0);
    contract(&|| {
        count.set(count.get() + 1);
        let url = server.empty(&format!("contract{}", count.get()));
        [(); 2].map(|()| Arc::new(PostgresStore::open(&url).unwrap()) as Arc<dyn Engine>)
    });
}

fn what_was_appended_is_read_back(log: &dyn Log) {
    let id = log.create(&first("a-1", "/p", 10)).unwrap();
    // Frames that do not name their conversation do so when they are read.
    let of = |frame: Frame| Frame { conversation: id.clone(), ..frame };
    let frames = [frame(2, 20, turn(1, "Fix it")), frame(3, 30, reply("Done: \"ö\" \u{1F402}\n", 7))];
    log.append(&id, Owner::FIRST, Seq(1), &frames).unwrap();
    let frames = frames.map(of);
    let history = log.read(&id).unwrap();
    assert_eq!(history.frames, [&[of(first("a-1", "/p", 10))], &frames[..]].concat());
    assert_eq!(history.read_only(), None);
    assert_eq!(log.read_from(&id, Seq(3)).unwrap().frames, frames[1..]);
    assert_eq!(log.read_from(&id, Seq(4)).unwrap().frames, []);
    log.append(&id, Owner::FIRST, Seq(3), &[]).unwrap();
    assert_eq!(log.info(&id).unwrap().last, Seq(3));
}

fn an_append_is_whole_or_nothing(log: &dyn Log) {
    let id = log.create(&first("a-1", "/p", 10)).unwrap();
    log.append(&id, Owner::FIRST, Seq(1), &[frame(2, 20, turn(1, "mine"))]).unwrap();
    let late = [frame(2, 21, turn(1, "theirs")), frame(3, 21, Event::Interrupted)];
    assert_eq!(
        log.append(&id, Owner::FIRST, Seq(1), &late),
        Err(StoreError::Conflict { id: id.clone(), expected: Seq(1), found: Seq(2) })
    );
    assert_eq!(log.read(&id).unwrap().frames.len(), 2);
    assert_eq!(log.create(&first("a-1", "/q", 11)), Err(StoreError::Exists { id: id.clone() }));
    assert_eq!(log.info(&id).unwrap().root, "/p");
    let nobody = ConversationId("nobody".into());
    let missing = StoreError::NotFound { id: "nobody".into() };
    assert_eq!(log.append(&nobody, Owner::FIRST, Seq(1), &[frame(2, 1, Event::Interrupted)]), Err(missing));
}

fn a_log_begins_with_its_name_and_has_no_gap(log: &dyn Log) {
    let misplaced = |result: Result<(), StoreError>| matches!(result, Err(StoreError::Misplaced { .. }));
    assert!(misplaced(log.create(&frame(1, 10, Event::Interrupted)).map(drop)));
    let mut second = first("a-1", "/p", 10);
    second.seq = Seq(2);
    assert!(misplaced(log.create(&second).map(drop)));
    let id = log.create(&first("a-1", "/p", 10)).unwrap();
    assert!(misplaced(log.append(&id, Owner::FIRST, Seq(1), &[frame(3, 10, Event::Interrupted)])));
    let gap = [frame(2, 10, Event::Interrupted), frame(4, 10, Event::Interrupted)];
    assert!(misplaced(log.append(&id, Owner::FIRST, Seq(1), &gap)));
    assert_eq!(log.read(&id).unwrap().frames.len(), 1);
}

fn a_list_shows_facts_newest_first(log: &dyn Log) {
    for (id, root, time) in [("a", "/p", 10), ("b", "/q", 20), ("c", "/p", 30)] {
        log.create(&first(id, root, time)).unwrap();
    }
    let a = ConversationId("a".into());
    let events = [
        frame(2, 40, turn(1, "  Fix the sum\nplease")),
        frame(3, 41, reply("ok", 7)),
        frame(4, 42, completion(Stop::ChecksFailing)),
        frame(5, 43, turn(2, "Again")),
        frame(6, 44, reply("ok", 5)),
    ];
    log.append(&a, Owner::FIRST, Seq(1), &events).unwrap();
    // A sub-agent is named after the conversation that it works for, and is no conversation of the user's.
    log.create(&first("a.1", "/p", 50)).unwrap();
    let ids = |root, limit| -> Vec<String> { log.list(root, limit).unwrap().into_iter().map(|it| it.id.0).collect() };
    assert_eq!(ids(None, 10), ["a", "c", "b"]);
    assert_eq!(ids(Some("/p"), 10), ["a", "c"]);
    assert_eq!(ids(None, 1), ["a"]);
    assert_eq!(log.latest("/q").unwrap().map(|it| it.id.0).as_deref(), Some("b"));
    assert_eq!(log.latest("/r").unwrap(), None);
    let info = log.info(&a).unwrap();
    assert_eq!((info.title(), info.turns, info.stop, info.last), ("Fix the sum", 2, None, Seq(6)));
    assert_eq!((info.cost, info.tokens), (Some(Money(12)), Tokens(24)));
    assert_eq!((info.created, info.updated), (Time(10), Time(44)));
    log.append(&a, Owner::FIRST, Seq(6), &[frame(7, 45, completion(Stop::Done))]).unwrap();
    assert_eq!(log.info(&a).unwrap().stop, Some(Stop::Done));
}

fn a_conversation_is_found_by_prefix_or_name(log: &dyn Log) {
    for (id, time) in [("20260101-aaaa", 1), ("20260101-abbb", 2), ("20260102-cccc", 3), ("2026", 4)] {
        log.create(&first(id, "/p", time)).unwrap();
    }
    log.rename(&ConversationId("20260101-abbb".into()), "sums").unwrap();
    log.create(&first("20260102-cccc.1", "/p", 5)).unwrap();
    let found = |prefix: &str| log.find(prefix).map(|it| it.id.0);
    assert_eq!(found("20260102").as_deref(), Ok("20260102-cccc"));
    assert_eq!(found("20260102-cccc.1").as_deref(), Ok("20260102-cccc.1"));
    assert_eq!(found("sums").as_deref(), Ok("20260101-abbb"));
    assert_eq!(found("2026").as_deref(), Ok("2026"));
    assert_eq!(found("x"), Err(StoreError::NotFound { id: "x".into() }));
    assert_eq!(found("%"), Err(StoreError::NotFound { id: "%".into() }));
    let error = found("20260101-a").unwrap_err();
    assert_eq!(
        error.to_string(),
        "20260101-a matches several conversations: 20260101-abbb, 20260101-aaaa. Type more of the id."
    );
}

fn a_name_can_be_given_and_a_conversation_removed(log: &dyn Log) {
    let id = log.create(&first("a", "/p", 10)).unwrap();
    let other = log.create(&first("b", "/p", 10)).unwrap();
    log.append(&id, Owner::FIRST, Seq(1), &[frame(2, 20, Event::Named { name: "first".into() })]).unwrap();
    assert_eq!(log.info(&id).unwrap().name.as_deref(), Some("first"));
    log.rename(&id, " second ").unwrap();
    assert_eq!(log.info(&id).unwrap().title(), "second");
    // The label is no event: whoever is appending goes on undisturbed.
    log.append(&id, Owner::FIRST, Seq(2), &[frame(3, 30, Event::Interrupted)]).unwrap();
    log.rename(&id, "").unwrap();
    assert_eq!(log.info(&id).unwrap().name, None);
    log.delete(&id).unwrap();
    let missing = StoreError::NotFound { id: "a".into() };
    assert_eq!(log.read(&id), Err(missing.clone()));
    assert_eq!(log.delete(&id), Err(missing.clone()));
    assert_eq!(log.rename(&id, "x"), Err(missing));
    assert_eq!(log.read(&other).unwrap().frames.len(), 1);
    log.create(&first("a", "/p", 40)).unwrap();
    assert_eq!(log.read(&id).unwrap().frames.len(), 1);
}

fn words_are_found_in_what_was_said(log: &dyn Log) {
    for (id, root, time, prompt, said) in [
        ("a", "/p", 10, "Fix the Parser", "It was 50% \"wrong\""),
        ("b", "/q", 20, "Something else", "The parser is fine, \\n and Ärger"),
        ("c", "/p", 30, "Third", "nothing"),
    ] {
        let id = log.create(&first(id, root, time)).unwrap();
        log.append(&id, Owner::FIRST, Seq(1), &[frame(2, time, turn(1, prompt)), frame(3, time, reply(said, 1))])
            .unwrap();
    }
    log.rename(&ConversationId("c".into()), "parser talk").unwrap();
    let found = |text: &str, root| -> Vec<(String, u64)> {
        let found = log.search(text, root, 10).unwrap();
        found.into_iter().map(|it| (it.info.id.0, it.seq.0)).collect()
    };
    let all = [("c", 0), ("b", 3), ("a", 2)].map(|(id, seq)| (id.to_string(), seq));
    assert_eq!(found("PARSER", None), all);
    assert_eq!(found("parser", Some("/q")), all[1..2]);
    assert_eq!(found("50% \"wrong\"", None), [("a".to_string(), 3)]);
    assert_eq!(found("ärger", None), [("b".to_string(), 3)]);
    // Words of the format and of the rules are nothing that was said.
    assert_eq!(found("turn_start", None), []);
    assert_eq!(found("iterations", None), []);
    assert_eq!(log.search("parser", None, 1).unwrap().len(), 1);
}

fn what_a_newer_ox_wrote_is_not_continued(log: &dyn Log) {
    let id = log.create(&first("a", "/p", 10)).unwrap();
    let mut newer = frame(2, 20, turn(1, "Fix it"));
    newer.v = ox_protocol::VERSION + 1;
    let what = format!("event 2 of version {}", newer.v);
    log.append(&id, Owner::FIRST, Seq(1), &[newer]).unwrap();
    let history = log.read(&id).unwrap();
    assert_eq!(history.frames.len(), 2);
    assert_eq!(history.read_only().as_deref(), Some(what.as_str()));
    let error = log.append(&id, Owner::FIRST, Seq(2), &[frame(3, 30, Event::Interrupted)]).unwrap_err();
    assert_eq!(error, StoreError::ReadOnly { id: id.clone(), what });
    assert_eq!(log.info(&id).unwrap().version, ox_protocol::VERSION + 1);
}

fn summary(text: &str) -> Event {
    Event::Summary { summary: ox_protocol::Summary { text: text.into(), ..Default::default() } }
}

fn the_outline_of_the_last_turns_is_reported(log: &dyn Log) {
    let id = log.create(&first("a-1", "/p", 10)).unwrap();
    let events = [
        turn(1, "one"),
        reply("on the way", 1),
        summary("did one"),
        completion(Stop::Done),
        turn(2, "two"),
        reply("first words", 1),
        reply("last words", 1),
        Event::Interrupted,
        turn(3, "three"),
        Event::Rewound { turn: 3 },
        turn(4, "four"),
    ];
    let frames: Vec<_> = (2..).zip(events).map(|(seq, event)| frame(seq, seq, event)).collect();
    log.append(&id, Owner::FIRST, Seq(1), &frames).unwrap();
    let seqs = |turns| log.recent_turns(&id, turns).unwrap().frames.iter().map(|it| it.seq.0).collect::<Vec<_>>();
    // A summary comes with how its turn ended; the reply stands in where one is missing, and nothing else of the log is read.
    assert_eq!(seqs(10), [2, 4, 5, 6, 8, 10, 11, 12]);
    assert_eq!(seqs(4), [2, 4, 5, 6, 8, 10, 11, 12]);
    assert_eq!(seqs(3), [6, 8, 10, 11, 12]);
    assert_eq!(seqs(1), [12]);
    assert_eq!(log.recent_turns(&id, 1).unwrap().frames[0], frames[10]);
    assert!(log.recent_turns(&ConversationId("nobody".into()), 1).is_err());
}

fn what_is_forgotten_is_said_and_stays_in_the_log(log: &dyn Log) {
    let id = log.create(&first("a-1", "/p", 10)).unwrap();
    log.append(&id, Owner::FIRST, Seq(1), &[frame(2, 20, turn(1, "one")), frame(3, 30, summary("did one"))]).unwrap();
    assert_eq!(log.recent_turns(&id, 5).unwrap().forgotten, []);
    log.forget(&id, &[Seq(2)]).unwrap();
    log.forget(&id, &[Seq(2)]).unwrap();
    assert_eq!(log.recent_turns(&id, 5).unwrap().forgotten, [Seq(2)]);
    assert_eq!(log.read(&id).unwrap().frames.len(), 3);
    assert!(log.forget(&ConversationId("nobody".into()), &[Seq(2)]).is_err());
    // An id that is used again has nothing to forget.
    log.delete(&id).unwrap();
    log.create(&first("a-1", "/p", 10)).unwrap();
    assert_eq!(log.recent_turns(&id, 5).unwrap().forgotten, []);
}

fn only_the_newest_owner_appends([one, other]: &Opened) {
    let id = one.create(&first("a-1", "/p", 10)).unwrap();
    one.append(&id, Owner::FIRST, Seq(1), &[frame(2, 20, turn(1, "one"))]).unwrap();
    let owner = other.own(&id).unwrap();
    assert_eq!(owner.generation, Owner::FIRST.generation + 1);
    // Whoever owned it before is refused, with the right number and with a wrong one.
    let lost = StoreError::Lost { id: id.clone() };
    for last in [1, 2] {
        let late = [frame(last + 1, 30, Event::Interrupted)];
        assert_eq!(one.append(&id, Owner::FIRST, Seq(last), &late), Err(lost.clone()));
    }
    assert_eq!(other.read(&id).unwrap().frames.len(), 2);
    let conflict = StoreError::Conflict { id: id.clone(), expected: Seq(1), found: Seq(2) };
    assert_eq!(other.append(&id, owner, Seq(1), &[frame(2, 30, Event::Interrupted)]), Err(conflict));
    other.append(&id, owner, Seq(2), &[frame(3, 30, Event::Interrupted)]).unwrap();
    // A generation that nobody has yet is nobody's.
    let next = Owner { generation: owner.generation + 1 };
    assert_eq!(one.append(&id, next, Seq(3), &[frame(4, 30, Event::Interrupted)]), Err(lost));
    assert_eq!(one.own(&id), Ok(next));
    one.append(&id, next, Seq(3), &[frame(4, 30, Event::Interrupted)]).unwrap();
    assert_eq!(one.read(&id).unwrap().frames.len(), 4);
    assert_eq!(one.own(&ConversationId("nobody".into())), Err(StoreError::NotFound { id: "nobody".into() }));
}

/// How many events the two writers append between them, two with each append.
const RACED: u64 = 1_000;

fn of_two_writers_one_wins_each_number(opened: &Opened) {
    let id = opened[0].create(&first("a-1", "/p", 10)).unwrap();
    let write = |log: &dyn Log, who: &str| -> Vec<u64> {
        let (mut last, mut won) = (1, Vec::new());
        while last <= RACED {
            let pair = [frame(last + 1, 20, reply(who, 1)), frame(last + 2, 20, reply(who, 1))];
            match log.append(&id, Owner::FIRST, Seq(last), &pair) {
                Ok(()) => {
                    won.push(last + 1);
                    last += 2;
                }
                Err(StoreError::Conflict { expected, found, .. }) => {
                    assert!(expected == Seq(last) && found.0 > last, "{found} came after {last}");
                    last = found.0;
                }
                Err(error) => panic!("{error}"),
            }
        }
        won
    };
    let won = std::thread::scope(|scope| {
        let write = &write;
        let writers = [(0, "a"), (1, "b")].map(|(at, who)| scope.spawn(move || write(&*opened[at], who)));
        writers.map(|it| it.join().unwrap())
    });
    let frames = opened[0].read(&id).unwrap().frames;
    assert_eq!(frames.iter().map(|it| it.seq.0).collect::<Vec<_>>(), (1..=RACED + 1).collect::<Vec<_>>());
    for (who, won) in ["a", "b"].iter().zip(&won) {
        let by = |it: &&Frame| matches!(&it.event, Event::StreamComplete { text, .. } if text == who);
        let stored: Vec<u64> = frames.iter().filter(by).map(|it| it.seq.0).collect();
        assert_eq!(stored, won.iter().flat_map(|it| [*it, it + 1]).collect::<Vec<_>>());
    }
}
