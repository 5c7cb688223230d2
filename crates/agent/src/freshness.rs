//! The index at the start of a turn: as fresh as a short wait makes it.
//!
//! Little that changed is taken in at once. Much of it is taken in beside the turn, which begins with what is known; the
//! prompt then says so. Nothing here fails a turn.

use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

use ox_context::Freshness;

/// How long a turn waits for the index.
const WAIT: Duration = Duration::from_millis(400);
/// How long a project's very first turn waits for it, listing the tree included. On an idle machine the index of some hundred
/// files is there within a second, on a busy one within three; a turn without it pays with a request of the model.
const FIRST_WAIT: Duration = Duration::from_secs(4);
/// A new project of so many bytes is not waited for: taking it in takes longer than the first word may, and where a task is
/// at home a look at the names of so few files tells as soon.
const NOT_WORTH_A_WAIT: std::ops::Range<u64> = (64 << 10)..(256 << 10);
/// More bytes of new and changed files are not taken in within these times, so that nobody waits for them.
const MUCH: u64 = 6 << 20;
/// The same of a project that is new.
const MUCH_AT_FIRST: u64 = 20 << 20;
/// A tree of no more files is shown whole in the prompt: nothing is picked from it, and nothing built before it is asked for.
pub(crate) const TINY: usize = 20;
/// How much later that begins which no turn waits for, so that it takes no core from the start of the turn.
pub(crate) const AFTER_START: Duration = Duration::from_millis(50);
/// For how long a refresh that began before the turn stands for one of its own.
const AHEAD: Duration = Duration::from_secs(2);

/// How far what is known is behind the tree.
#[derive(Clone, Copy)]
pub(crate) struct Staleness {
    /// The bytes of new and changed files.
    pub bytes: u64,
    /// Nothing at all is known yet.
    pub is_new: bool,
}

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

impl Refreshing {
    /// Begins `refresh` on a thread of its own; none where no thread is to be had. It says how far the index is behind
    /// before it reads any file, and at the end whether it is whole.
    pub fn begin(refresh: impl FnOnce(&dyn Fn(Staleness)) -> bool + Send + 'static) -> Option<Refreshing> {
        let (tell, reported) = mpsc::channel();
        let work = move || {
            let behind = |staleness: Staleness| {
                // Who no longer waits is not told.
                drop(tell.send(Step::Behind(staleness)));
                if patience(staleness).is_none() {
                    std::thread::sleep(AFTER_START);
                }
            };
            if refresh(&behind) {
                drop(tell.send(Step::Done));
            }
        };
        std::thread::Builder::new().name("refresh".to_owned()).spawn(work).ok()?;
        Some(Refreshing { reported, begun: Instant::now() })
    }

    /// True while it stands for one that the turn would begin itself.
    pub fn is_recent(&self) -> bool {
        self.begun.elapsed() < AHEAD
    }

    /// Comes back as soon as the refresh is done or would take too long. `is_new` says that nothing is known so far.
    pub fn wait(&self, is_new: bool) -> Freshness {
        wait(&self.reported, is_new)
    }
}

/// How long a turn waits until this is taken in; none where it does not.
fn patience(staleness: Staleness) -> Option<Duration> {
    let much = if staleness.is_new { MUCH_AT_FIRST } else { MUCH };
    let waits = staleness.bytes <= much && !(staleness.is_new && NOT_WORTH_A_WAIT.contains(&staleness.bytes));
    waits.then(|| longest(staleness.is_new))
}

fn longest(is_new: bool) -> Duration {
    if is_new { FIRST_WAIT } else { WAIT }
}

fn wait(reported: &Receiver<Step>, is_new: bool) -> Freshness {
    wait_for(reported, is_new, longest(is_new))
}

/// The same; `listing` is how long listing the tree may take.
fn wait_for(reported: &Receiver<Step>, is_new: bool, listing: Duration) -> Freshness {
    match reported.recv_timeout(listing) {
        Ok(Step::Behind(staleness)) => match patience(staleness).map(|it| reported.recv_timeout(it)) {
            Some(Ok(_)) => Freshness::Whole,
            _ if staleness.is_new => Freshness::Building,
            _ => Freshness::Behind,
        },
        Ok(Step::Done) => Freshness::Whole,
        // A tree that is not even listed yet may be of any size.
        Err(RecvTimeoutError::Timeout) if is_new => Freshness::Building,
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
            wait(&reported, false)
        };
        let behind = |bytes, is_new| Step::Behind(Staleness { bytes, is_new });
        assert_eq!(said(vec![behind(MUCH, false), Step::Done]), Freshness::Whole);
        assert_eq!(said(vec![behind(0, false), Step::Done]), Freshness::Whole);
        assert_eq!(said(vec![behind(MUCH + 1, false), Step::Done]), Freshness::Behind);
        assert_eq!(said(vec![behind(MUCH_AT_FIRST, true), Step::Done]), Freshness::Whole);
        assert_eq!(said(vec![behind(MUCH_AT_FIRST + 1, true), Step::Done]), Freshness::Building);
        assert_eq!(said(vec![behind(NOT_WORTH_A_WAIT.start, true), Step::Done]), Freshness::Building);
        assert_eq!(said(vec![behind(NOT_WORTH_A_WAIT.end, true), Step::Done]), Freshness::Whole);
        assert_eq!(said(vec![behind(NOT_WORTH_A_WAIT.start, false), Step::Done]), Freshness::Whole);
        assert_eq!(said(vec![behind(0, false)]), Freshness::Behind, "a refresh that failed");
        assert_eq!(said(Vec::new()), Freshness::Behind);
    }
    #[test]
    fn a_new_tree_that_is_not_listed_in_time_is_being_built() {
        let (tell, reported) = mpsc::channel();
        assert_eq!(wait_for(&reported, true, Duration::ZERO), Freshness::Building);
        assert_eq!(wait_for(&reported, false, Duration::ZERO), Freshness::Behind);
        drop(tell);
        assert_eq!(wait(&reported, true), Freshness::Behind, "a refresh that failed");
    }
}
