//! Measures what a turn waits for: opening the store, appending an event, reading a log back.
//!
//! Prints a table; asserts nothing, because disks differ.

use std::path::Path;
use std::time::{Duration, Instant};

use ox_protocol::{ConversationId, Event, Frame, Seq, Time};
use ox_store::{Log, Store, StoreError};

const APPENDS: u64 = 2_000;

fn main() -> Result<(), StoreError> {
    let folder = std::env::args().nth(1).unwrap_or_else(|| std::env::temp_dir().join("ox-speed").display().to_string());
    let path = Path::new(&folder).join("ox.db");
    let _ = std::fs::remove_dir_all(&folder);

    let (store, first) = timed(|| Store::open(&path))?;
    row("open, new file", first);
    drop(store);
    let (store, again) = timed(|| Store::open(&path))?;
    row("open, again", again);

    let id = ConversationId("speed".into());
    let begin = Event::ConversationId { id: id.clone(), root: "/p".into(), ox: "0".into(), from: None };
    store.create(&Frame::new(Seq(1), Time(1), begin))?;
    let mut times = Vec::new();
    for last in 1..=APPENDS {
        let event = Event::Steered { text: "x".repeat(2_000), images: Vec::new() };
        let frame = Frame::new(Seq(last + 1), Time(last), event);
        times.push(timed(|| store.append(&id, Seq(last), &[frame]))?.1);
    }
    times.sort_unstable();
    row("append 2 KB, median", times[times.len() / 2]);
    row("append 2 KB, 99 %", times[times.len() * 99 / 100]);
    row("read 2,000 events", timed(|| store.read(&id))?.1);
    row("list", timed(|| store.list(None, 50))?.1);
    row("search", timed(|| store.search("xyz", None, 50))?.1);
    row(
        "close",
        timed(|| {
            drop(store);
            Ok(())
        })?
        .1,
    );
    Ok(())
}

fn timed<T>(work: impl FnOnce() -> Result<T, StoreError>) -> Result<(T, Duration), StoreError> {
    let begin = Instant::now();
    Ok((work()?, begin.elapsed()))
}

fn row(what: &str, time: Duration) {
    println!("{what:<22}{:>10.3} ms", time.as_secs_f64() * 1000.0);
}
