//! Measures what a turn waits for: opening the store, appending an event, reading a log back; and what a fleet does: many
//! conversations at a time, and claims.
//!
//! Takes a folder for the SQLite file and, where `OX_STORE` is set, measures that PostgreSQL database beside it. Prints a
//! table; asserts nothing, because disks differ.

use std::path::Path;
use std::time::{Duration, Instant};

use ox_protocol::{ConversationId, Event, Frame, Seq, Time};
use ox_store::{Log, NewTask, Outcome, Owner, PostgresStore, ProjectLimits, Queue, Store, StoreError};

const APPENDS: u64 = 2_000;
/// Conversations that are appended to at a time, and how often each.
const TOGETHER: (u64, u64) = (100, 50);
/// Tasks, and the workers that claim and finish them.
const TASKS: (u64, u64) = (500, 16);

trait Engine: Log + Queue {}

impl<T: Log + Queue> Engine for T {}

fn main() -> Result<(), StoreError> {
    let folder = std::env::args().nth(1).unwrap_or_else(|| std::env::temp_dir().join("ox-speed").display().to_string());
    let path = Path::new(&folder).join("ox.db");
    let _ = std::fs::remove_dir_all(&folder);

    let (store, first) = timed(|| Store::open(&path))?;
    row("open, new file", first);
    drop(store);
    let (store, again) = timed(|| Store::open(&path))?;
    row("open, again", again);
    measure(&store)?;
    row(
        "close",
        timed(|| {
            drop(store);
            Ok(())
        })?
        .1,
    );
    let Ok(source) = std::env::var("OX_STORE") else { return Ok(()) };
    println!("PostgreSQL");
    drop(PostgresStore::open(&source)?);
    let (store, again) = timed(|| PostgresStore::open(&source))?;
    row("open, again", again);
    measure(&store)
}

fn measure(store: &dyn Engine) -> Result<(), StoreError> {
    let id = begin(store, "speed")?;
    let times = append(store, &id, APPENDS)?;
    spread("append 2 KB", times);
    row("read 2,000 events", timed(|| store.read(&id))?.1);
    row("list", timed(|| store.list(None, 50))?.1);
    row("search", timed(|| store.search("xyz", None, 50))?.1);
    store.delete(&id)?;

    let (conversations, each) = TOGETHER;
    let ids: Vec<ConversationId> =
        (0..conversations).map(|it| begin(store, &format!("c{it}"))).collect::<Result<_, _>>()?;
    let begun = Instant::now();
    let times = all(ids.iter().map(|id| move || append(store, id, each)))?.concat();
    rate("append, 100 together", conversations * each, begun.elapsed());
    spread("append, 100 together", times);

    let (tasks, workers) = TASKS;
    let limits = ProjectLimits { running: 64, queued: 10_000, weight: 1.0 };
    for at in 0..tasks {
        let project = format!("p{}", at % 20);
        if at < 20 {
            store.set_limits(&project, &limits)?;
        }
        let conversation = begin(store, &format!("t{at}"))?;
        let delay = Duration::ZERO;
        store.submit(&NewTask { conversation, project, priority: 0, delay, request: String::new() })?;
    }
    let begun = Instant::now();
    let times = all((0..workers).map(|at| move || work(store, &format!("w{at}"))))?.concat();
    rate("claim and finish", tasks, begun.elapsed());
    spread("claim", times);
    for id in store.list(None, usize::MAX)? {
        store.delete(&id.id)?;
    }
    Ok(())
}

fn begin(store: &dyn Engine, name: &str) -> Result<ConversationId, StoreError> {
    let id = ConversationId(name.into());
    let event = Event::ConversationId { id, root: "/p".into(), ox: "0".into(), from: None };
    store.create(&Frame::new(Seq(1), Time(1), event))
}

fn append(store: &dyn Engine, id: &ConversationId, count: u64) -> Result<Vec<Duration>, StoreError> {
    let one = |last| {
        let event = Event::Steered { text: "x".repeat(2_000), images: Vec::new() };
        let frame = Frame::new(Seq(last + 1), Time(last), event);
        timed(|| store.append(id, Owner::FIRST, Seq(last), &[frame])).map(|it| it.1)
    };
    (1..=count).map(one).collect()
}

/// Claims and finishes until there is nothing more; how long the claims took.
fn work(store: &dyn Engine, worker: &str) -> Result<Vec<Duration>, StoreError> {
    let mut times = Vec::new();
    while let (Some(claim), time) = timed(|| store.claim(worker, Duration::from_secs(60)))? {
        store.finish(claim.id, claim.owner, &Outcome::Done)?;
        times.push(time);
    }
    Ok(times)
}

/// Does all of it at a time.
fn all<T: Send, F>(work: impl Iterator<Item = F>) -> Result<Vec<T>, StoreError>
where
    F: FnOnce() -> Result<T, StoreError> + Send,
{
    std::thread::scope(|scope| {
        let threads: Vec<_> = work.map(|it| scope.spawn(it)).collect();
        threads.into_iter().map(|it| it.join().expect("invariant: nothing here panics")).collect()
    })
}

fn timed<T>(work: impl FnOnce() -> Result<T, StoreError>) -> Result<(T, Duration), StoreError> {
    let begin = Instant::now();
    Ok((work()?, begin.elapsed()))
}

fn spread(what: &str, mut times: Vec<Duration>) {
    times.sort_unstable();
    row(&format!("{what}, median"), times[times.len() / 2]);
    row(&format!("{what}, 99 %"), times[times.len() * 99 / 100]);
}

fn rate(what: &str, count: u64, time: Duration) {
    println!("{what:<30}{:>10.0} a second", count as f64 / time.as_secs_f64());
}

fn row(what: &str, time: Duration) {
    println!("{what:<30}{:>10.3} ms", time.as_secs_f64() * 1000.0);
}
