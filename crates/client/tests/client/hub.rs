//! Subscribers: order, gaps, late ones and stuck ones.

use std::sync::{Arc, Mutex};

use ox_client::{Client, Control, Hub, Subscription, Update, pair};
use ox_protocol::{
    Command, CommandId, ConversationId, Delta, DeltaKind, Event, Frame, MessageId, Mode, Problem, Seq, Time,
};

/// A hub over a log in memory.
pub struct Log {
    hub: Arc<Hub>,
    frames: Arc<Mutex<Vec<Frame>>>,
}

impl Log {
    pub fn over(hub: Arc<Hub>) -> Log {
        let frames = Arc::new(Mutex::new(Vec::<Frame>::new()));
        let stored = frames.clone();
        let read = move |from| Ok(stored.lock().unwrap().iter().filter(|it| it.seq >= from).cloned().collect());
        hub.open(ConversationId("talk".into()), Seq(0), Arc::new(read));
        Log { hub, frames }
    }

    pub fn new() -> Log {
        Log::over(Arc::default())
    }

    pub fn record(&self, event: Event) -> Frame {
        let mut frames = self.frames.lock().unwrap();
        let seq = Seq(frames.len() as u64 + 1);
        let frame = Frame::new(seq, Time(seq.0), event);
        frames.push(frame.clone());
        drop(frames);
        self.hub.frame(frame.clone());
        frame
    }

    fn delta(&self, text: &str, offset: u64) {
        self.hub.delta(Delta {
            conversation: ConversationId::default(),
            kind: DeltaKind::Text,
            message_id: MessageId("m1".into()),
            call: None,
            offset,
            delta: text.into(),
        });
    }
}

fn any() -> Event {
    Event::ModeSet { mode: Mode::Plan }
}

/// What has arrived: numbers of events, text, and words for the rest.
fn arrived(updates: &mut Subscription) -> Vec<String> {
    std::iter::from_fn(|| updates.ready())
        .map(|it| match it {
            Update::Frame(frame) => frame.seq.to_string(),
            Update::Delta(delta) => format!("{}:{}", delta.offset, delta.delta),
            Update::Control(Control::Snapshot { view }) => format!("snapshot {}", view.seq),
            Update::Control(Control::Gap { from, .. }) => format!("gap {from}"),
            Update::Control(Control::Rejected { command, .. }) => format!("rejected {command}"),
            Update::Control(Control::Accepted { command, seq, .. }) => format!("accepted {command} {seq}"),
        })
        .collect()
}

#[test]
fn who_comes_late_gets_what_was_missed_and_the_text_so_far() {
    let log = Log::new();
    (0..3).for_each(|_| drop(log.record(any())));
    log.delta("Hel", 0);
    log.delta("lo", 3);
    let mut late = log.hub.subscribe(Seq(2)).unwrap();
    let mut live = log.hub.subscribe(Seq(4)).unwrap();
    log.delta(" you", 5);
    log.record(any());
    assert_eq!(arrived(&mut late), ["2", "3", "0:Hello", "5: you", "4"]);
    assert_eq!(arrived(&mut live), ["0:Hello", "5: you", "4"]);
    log.record(Event::Stopped { stop: ox_protocol::Stop::Answered });
    assert_eq!(arrived(&mut log.hub.subscribe(Seq(6)).unwrap()), [""; 0], "the text is in the log now");
}

#[test]
fn of_endless_output_the_end_is_kept() {
    let log = Log::new();
    let piece = "é".repeat(500);
    for at in 0..1_000 {
        log.hub.delta(Delta {
            conversation: ConversationId::default(),
            kind: DeltaKind::ToolOutput,
            message_id: MessageId::default(),
            call: Some(ox_protocol::CallId("c1".into())),
            offset: at * 1_000,
            delta: piece.clone(),
        });
    }
    let first = log.hub.subscribe(Seq(1)).unwrap().ready();
    let Some(Update::Delta(kept)) = first else { panic!("{first:?}") };
    assert_eq!(kept.offset + kept.delta.len() as u64, 1_000_000);
    assert!((64 << 10..=128 << 10).contains(&kept.delta.len()), "{}", kept.delta.len());
}

#[test]
fn a_gap_that_is_too_large_is_a_snapshot() {
    let log = Log::new();
    log.record(Event::Named { name: "first".into() });
    (0..1_500).for_each(|_| drop(log.record(any())));
    let mut updates = log.hub.subscribe(Seq(1)).unwrap();
    let first = updates.ready();
    let Some(Update::Control(Control::Snapshot { view })) = first else { panic!("{first:?}") };
    assert_eq!((view.seq, view.mode, view.name.as_deref()), (Seq(1_501), Mode::Plan, Some("first")));
    log.record(any());
    assert_eq!(arrived(&mut updates), ["1502"]);
    assert_eq!(arrived(&mut log.hub.subscribe(Seq(1_001)).unwrap()).len(), 502, "500 events are replayed");
}

/// Of a hundred subscribers one reads nothing. It is cut and told where to go on; the others get everything, and whoever
/// publishes waits for nobody: nothing here awaits.
#[test]
fn nobody_waits_for_one_that_is_stuck() {
    let log = Log::new();
    let mut subscribers: Vec<Subscription> = (0..100).map(|_| log.hub.subscribe(Seq(1)).unwrap()).collect();
    let mut seen = vec![0_u64; subscribers.len()];
    for _ in 0..5_000 {
        log.record(any());
        for (count, it) in seen.iter_mut().zip(&mut subscribers).skip(1) {
            while let Some(Update::Frame(frame)) = it.ready() {
                assert_eq!(frame.seq, Seq(*count + 1));
                *count += 1;
            }
        }
    }
    assert!(seen[1..].iter().all(|it| *it == 5_000));
    let stuck = arrived(&mut subscribers[0]);
    assert_eq!((stuck.len(), stuck.last().unwrap().as_str()), (4_097, "gap 4097"));
    assert_eq!(subscribers[0].ready(), None);
    let mut again = log.hub.subscribe(Seq(4_097)).unwrap();
    assert_eq!(arrived(&mut again).len(), 904);
}

/// A client in the same process goes on by itself, without a gap and without anything twice.
#[tokio::test]
async fn a_slow_client_loses_nothing() {
    let (mut client, side) = pair();
    let log = Log::over(side.hub.clone());
    for _ in 0..4_500 {
        log.record(any());
    }
    let mut next = 1;
    while next <= 4_500 {
        let update = client.next().await.unwrap();
        let Update::Frame(frame) = update else { panic!("{update:?}") };
        assert_eq!(frame.seq, Seq(next));
        next += 1;
    }
    drop(side);
    assert_eq!(client.next().await, None);
}

#[tokio::test]
async fn answers_reach_whoever_asked() {
    let (mut client, mut side) = pair();
    let log = Log::over(side.hub.clone());
    let id = client.send(Command::Interrupt);
    let submission = side.commands.recv().await.unwrap();
    assert_eq!((&submission.id, &submission.command), (&id, &Command::Interrupt));
    side.hub.reject(CommandId("of-somebody-else".into()), Problem::new("rejected.idle"));
    side.hub.reject(id.clone(), Problem::new("rejected.idle"));
    let update = client.next().await.unwrap();
    assert!(matches!(&update, Update::Control(Control::Rejected { command, .. }) if *command == id), "{update:?}");
    let id = client.prompt("hi");
    log.record(any());
    side.hub.accept(id.clone());
    assert!(matches!(client.next().await, Some(Update::Frame(_))));
    let update = client.next().await.unwrap();
    let answer =
        Update::Control(Control::Accepted { conversation: ConversationId("talk".into()), command: id, seq: Seq(1) });
    assert_eq!(update, answer);
}

#[tokio::test]
async fn a_session_ends_with_its_owner_and_a_client_with_its_session() {
    let (client, mut side) = pair();
    client.send(Command::Interrupt);
    let further = side.further.clone();
    drop(client);
    assert_eq!(side.commands.recv().await.map(|it| it.command), Some(Command::Interrupt));
    assert_eq!(side.commands.recv().await, None);
    assert!(further.upgrade().is_none());
    let (mut client, side): (Client, _) = pair();
    drop(side);
    client.send(Command::Close);
    assert_eq!(client.next().await, None);
}
