//! The index at the start of a turn: as fresh as a short wait makes it.
//!
//! Little that changed is taken in at once. Much of it is taken in beside the turn, which begins with what is known; the
//! prompt then says so. Nothing here fails a turn.

use std::sync::mpsc::{self, Receiver};
use std::time::{Duration, Instant};

use ox_context::Freshness;

use crate::project_index::{ProjectIndex, Staleness};

/// How long a turn waits for the index.
const WAIT: Duration = Duration::from_millis(400);
/// How long a project's very first turn waits for it.
const FIRST_WAIT: Duration = Duration::from_millis(1200);
/// More bytes of new and changed files are not taken in within these times, so that nobody waits for them.
const MUCH: u64 = 6 << 20;
/// A tree of no more files is shown whole in the prompt: nothing is picked from it, and nothing built before it is asked for.
pub(crate) const TINY: usize = 20;
/// How much later that begins which no turn waits for, so that it takes no core from the start of the turn.
pub(crate) const LATER: Duration = Duration::from_millis(50);
/// For how long a refresh that began before the turn stands for one of its own.
const AHEAD: Duration = Duration::from_secs(2);

/// What a refresh tells while it runs.
enum Step {
    Behind(Staleness),
    Done,
}

/// A refresh that has begun.
pub(crate) struct Refreshing {
    reported: Receiver<Step>,
    begun: Instant,
}

/// Begins a refresh on a thread of its own; none where no thread is to be had. A tiny tree is looked at only if it is
/// `wanted` all the same.
pub(crate) fn begin(index: &ProjectIndex, wanted: bool) -> Option<Refreshing> {
    let (tell, reported) = mpsc::channel();
    let index = index.clone();
    let refresh = move || {
        if !wanted && index.snapshot().is_empty() && index.is_tiny(TINY) {
            drop(tell.send(Step::Done));
            return;
        }
        let behind = |staleness: Staleness| {
            // Who no longer waits is not told.
            drop(tell.send(Step::Behind(staleness)));
            if patience(staleness).is_none() {
                std::thread::sleep(LATER);
            }
        };
        let done = index.refresh_telling(false, &behind, &|_| {});
        let _ = done.map(|_| tell.send(Step::Done));
    };
    std::thread::Builder::new().name("refresh".to_owned()).spawn(refresh).ok()?;
    Some(Refreshing { reported, begun: Instant::now() })
}

/// Refreshes, and comes back as soon as that is done or would take too long; the refresh itself goes on. `ahead` is one
/// that began before the turn.
pub(crate) fn freshen(index: &ProjectIndex, wanted: bool, ahead: Option<Refreshing>) -> Freshness {
    let ahead = ahead.filter(|it| it.begun.elapsed() < AHEAD);
    match ahead.or_else(|| begin(index, wanted)) {
        Some(it) => wait(&it.reported),
        None => Freshness::Behind,
    }
}

/// How long a turn waits until this is taken in; none where it does not.
fn patience(staleness: Staleness) -> Option<Duration> {
    (staleness.bytes <= MUCH).then_some(if staleness.is_new { FIRST_WAIT } else { WAIT })
}

fn wait(reported: &Receiver<Step>) -> Freshness {
    match reported.recv_timeout(WAIT) {
        Ok(Step::Behind(staleness)) => match patience(staleness).map(|it| reported.recv_timeout(it)) {
            Some(Ok(_)) => Freshness::Whole,
            _ if staleness.is_new => Freshness::Building,
            _ => Freshness::Behind,
        },
        Ok(Step::Done) => Freshness::Whole,
        Err(_) => Freshness::Behind,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_turn_waits_for_little_and_never_for_much() {
        let said = |steps: Vec<Step>| {
            let (tell, reported) = mpsc::channel();
            steps.into_iter().for_each(|it| tell.send(it).unwrap());
            drop(tell);
            wait(&reported)
        };
        let behind = |bytes, is_new| Step::Behind(Staleness { files: 7, bytes, is_new });
        assert_eq!(said(vec![behind(MUCH, false), Step::Done]), Freshness::Whole);
        assert_eq!(said(vec![behind(0, false), Step::Done]), Freshness::Whole);
        assert_eq!(said(vec![behind(MUCH + 1, false), Step::Done]), Freshness::Behind);
        assert_eq!(said(vec![behind(MUCH, true), Step::Done]), Freshness::Whole);
        assert_eq!(said(vec![behind(MUCH + 1, true), Step::Done]), Freshness::Building);
        assert_eq!(said(vec![behind(0, false)]), Freshness::Behind, "a refresh that failed");
        assert_eq!(said(Vec::new()), Freshness::Behind);
    }
}
